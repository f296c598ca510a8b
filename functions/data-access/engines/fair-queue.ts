/** Longer than what a quick query takes beside others on a busy machine. */
const SLOW_AFTER_MS = 1_000;
/** For so long the next query of a key is expected to take as long as its last. */
const KNOWN_FOR_MS = 30_000;

interface Lane {
  /** When each of the key's visits began that is inside. */
  readonly began: Set<{ readonly at: number }>;
  readonly waiting: (() => void)[];
  /** What earlier visits say of the next, as long as they do; one that was slow outweighs those that were quick. */
  slowUntil: number;
  quickUntil: number;
}

type Pace = 'quick' | 'slow';

export interface TurnstileOptions {
  /** Places for keys whose visits are short; there is one more, so that slow keys never hold them all. */
  readonly places: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

export type Turnstile = ReturnType<typeof turnstile>;

/**
 * Lets a few visits through at a time and shares the places among keys: first the key that has the fewest visits inside,
 * then the one whose turn or arrival is longest ago. A key has one visit inside until it is known to be quick. Keys that
 * are known to be slow leave one place free together, so that a short visit never waits for long ones to end. `signal`
 * ends the waiting by throwing its reason; it does not end a visit that is inside.
 */
export function turnstile({ places, now = () => performance.now() }: TurnstileOptions) {
  // In the order in which they were last let in or, before that, came.
  const lanes = new Map<string, Lane>();

  const laneOf = (key: string): Lane => {
    const lane: Lane = lanes.get(key) ?? { began: new Set(), waiting: [], slowUntil: 0, quickUntil: 0 };
    lanes.set(key, lane);
    return lane;
  };
  const paceOf = ({ began, slowUntil, quickUntil }: Lane, at: number): Pace | undefined => {
    if (at < slowUntil || [...began].some((visit) => at - visit.at > SLOW_AFTER_MS)) return 'slow';
    return at < quickUntil ? 'quick' : undefined;
  };

  const mayEnter = (lane: Lane, at: number): boolean => {
    const inside = [...lanes.values()].reduce((sum, { began }) => sum + began.size, 0);
    if (inside > places) return false;
    const pace = paceOf(lane, at);
    if (pace === 'quick') return lane.began.size < places;
    if (pace === undefined) return lane.began.size === 0;
    const slow = [...lanes.values()].filter((each) => paceOf(each, at) === 'slow');
    return lane.began.size === 0 && slow.reduce((sum, { began }) => sum + began.size, 0) < places;
  };

  /** Lets in as many as may enter now. */
  const admit = () => {
    const at = now();
    for (;;) {
      const [next] = [...lanes]
        .filter(([, lane]) => lane.waiting.length > 0 && mayEnter(lane, at))
        .toSorted(([, a], [, b]) => a.began.size - b.began.size);
      if (next === undefined) return;
      const [key, lane] = next;
      lanes.delete(key);
      lanes.set(key, lane);
      lane.waiting.shift()?.();
    }
  };

  /** Forgets keys that nothing is to be known of any more. */
  const forget = (at: number) => {
    for (const [key, lane] of lanes)
      if (lane.began.size === 0 && lane.waiting.length === 0 && paceOf(lane, at) === undefined)
        lanes.delete(key);
  };

  const enter = (lane: Lane, signal: AbortSignal) =>
    new Promise<{ readonly at: number }>((resolve, reject) => {
      const letIn = () => {
        signal.removeEventListener('abort', giveUp);
        const visit = { at: now() };
        lane.began.add(visit);
        resolve(visit);
      };
      const giveUp = () => {
        lane.waiting.splice(lane.waiting.indexOf(letIn), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      lane.waiting.push(letIn);
      admit();
    });

  return async <T>(key: string, signal: AbortSignal, use: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const lane = laneOf(key);
    const visit = await enter(lane, signal);
    try {
      const answer = await use();
      // One that was stopped early says nothing of how long it would have taken.
      lane.quickUntil = now() + KNOWN_FOR_MS;
      return answer;
    } finally {
      const at = now();
      lane.began.delete(visit);
      if (at - visit.at > SLOW_AFTER_MS) lane.slowUntil = at + KNOWN_FOR_MS;
      admit();
      forget(at);
    }
  };
}
