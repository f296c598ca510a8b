/**
 * Takes from this thread what differs from run to run: the clock, chance and the environment throw where they are asked.
 * Rules that depend on them would be others in the review, in a test and in the deployment, unnoticed.
 */
export function standStill(): void {
  globalThis.Date = StillDate;
  Object.assign(Math, { random: () => refuse('chance') });
  Object.assign(performance, { now: () => refuse('the clock') });
  for (const name of ['randomUUID', 'getRandomValues'])
    Object.defineProperty(crypto, name, { value: () => refuse('chance') });
  const { env } = process;
  Object.defineProperty(process, 'env', { value: forNodeAlone(env) });
}

/** A date that is named may be reckoned with; only what it is now may not be asked. */
const StillDate = new Proxy(Date, {
  construct: (target, given: [], newTarget) =>
    given.length === 0 ? refuse('the clock') : Reflect.construct(target, given, newTarget),
  apply: () => refuse('the clock'),
  get: (target, key) => (key === 'now' ? () => refuse('the clock') : Reflect.get(target, key)),
});

/** Node itself looks into the environment while it loads modules. */
function forNodeAlone(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return new Proxy(env, {
    get: (target, key) => (askedByNode() ? Reflect.get(target, key) : refuse('the environment')),
    has: (target, key) => (askedByNode() ? Reflect.has(target, key) : refuse('the environment')),
    ownKeys: (target) => (askedByNode() ? Reflect.ownKeys(target) : refuse('the environment')),
  });
}

function askedByNode(): boolean {
  const [, , , caller = ''] = new Error('who asks').stack?.split('\n') ?? [];
  return !caller.includes('file:');
}

function refuse(what: string): never {
  throw new Error(`rules must be the same each time they are read, so they cannot ask ${what}`);
}
