import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import nodeOs from 'node:os';

/**
 * Takes from this thread what differs from run to run and from machine to machine: the clock, the time zone, chance,
 * the machine's name and the environment throw where they are asked. Rules that depend on them would be others in the
 * review, in a test and in the deployment, unnoticed.
 */
export function standStill(): void {
  globalThis.Date = StillDate;
  Object.assign(Math, { random: () => refuse('chance') });
  Object.assign(performance, { now: () => refuse('the clock') });
  for (const name of ['randomUUID', 'getRandomValues'])
    Object.defineProperty(crypto, name, { value: () => refuse('chance') });
  for (const name of Object.keys(nodeCrypto).filter((each) => each.startsWith('random')))
    Object.assign(nodeCrypto, { [name]: () => refuse('chance') });
  for (const [name, value] of Object.entries(nodeOs))
    if (typeof value === 'function') Object.assign(nodeOs, { [name]: () => refuse('the machine') });
  syncBuiltinESMExports();
  Object.assign(process, {
    hrtime: Object.assign(() => refuse('the clock'), { bigint: () => refuse('the clock') }),
    uptime: () => refuse('the clock'),
  });
  standInNoZone();
  const { env } = process;
  Object.defineProperty(process, 'env', { value: forNodeAlone(env) });
}

/** A date that is named may be reckoned with; only what it is now, or is here, may not be asked. */
const StillDate = new Proxy(Date, {
  construct(target, given: unknown[], newTarget) {
    const [first, ...others] = given;
    if (given.length === 0) refuse('the clock');
    if (others.length > 0 || (typeof first === 'string' && isLocal(first))) refuse(THE_ZONE);
    return Reflect.construct(target, given, newTarget);
  },
  apply: () => refuse('the clock'),
  get(target, key) {
    if (key === 'now') return () => refuse('the clock');
    if (key !== 'parse') return Reflect.get(target, key);
    return (text: string) => (isLocal(text) ? refuse(THE_ZONE) : target.parse(text));
  },
});

const THE_ZONE = "the machine's time zone; write dates in UTC";

/** Whether what a text says depends on where it is read: a day alone is one of UTC. */
function isLocal(text: string): boolean {
  return !/^\d{4}(-\d\d){0,2}$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/.test(text);
}

function standInNoZone(): void {
  const dates: object = StillDate.prototype;
  for (const name of Object.getOwnPropertyNames(dates)) {
    if (/^toLocale/.test(name)) {
      const plain: unknown = Reflect.get(dates, name);
      Object.assign(dates, {
        [name](this: Date, locale?: unknown, options?: Intl.DateTimeFormatOptions) {
          if (locale === undefined || options?.timeZone === undefined) refuse(THE_ZONE);
          return typeof plain === 'function' ? plain.call(this, locale, options) : undefined;
        },
      });
    } else if (/^(get|set)(?!UTC|Time$)|^to(Date|Time)?String$/.test(name))
      Object.assign(dates, { [name]: () => refuse(THE_ZONE) });
  }
  Intl.DateTimeFormat = StillFormat;
  const formats = StillFormat.prototype;
  const { formatToParts } = formats;
  const format = Object.getOwnPropertyDescriptor(formats, 'format')?.get;
  Object.defineProperty(formats, 'format', {
    get(this: Intl.DateTimeFormat) {
      return (date?: Date) => (date === undefined ? refuse('the clock') : format?.call(this)(date));
    },
  });
  Object.assign(formats, {
    formatToParts(this: Intl.DateTimeFormat, date?: Date) {
      return date === undefined ? refuse('the clock') : formatToParts.call(this, date);
    },
  });
}

type FormatInput = [locale?: string, options?: Intl.DateTimeFormatOptions];

const StillFormat = new Proxy(Intl.DateTimeFormat, {
  construct: (target, given: FormatInput, newTarget) => Reflect.construct(target, withZone(given), newTarget),
  apply: (target, _self, given: FormatInput) => target(...withZone(given)),
});

function withZone([locale, options]: FormatInput): FormatInput {
  return locale === undefined || options?.timeZone === undefined ? refuse(THE_ZONE) : [locale, options];
}

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
