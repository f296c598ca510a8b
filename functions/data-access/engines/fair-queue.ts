import { lazyIn } from '../../../shared/units/lazy.ts';

/** Longer than a quick query takes on a busy machine. */
const SLOW_AFTER_MS = 1_000;
/** For this long, the next query of a key is expected to take as long as its last. */
const KNOWN_FOR_MS = 30_000;

/** The queries of one key. */
interface Lane {
  /** The start of each running query. */
  readonly running: Set<{ readonly at: number }>;
  readonly waiting: (() => void)[];
  /** What earlier queries predict for the next one; slow outweighs quick. */
  slowUntil: number;
  quickUntil: number;
}

const newLane = (): Lane => ({ running: new Set(), waiting: [], slowUntil: 0, quickUntil: 0 });

type Pace = 'quick' | 'slow';

export interface FairQueueOptions {
  /** Slots for keys with quick queries. There is one more, so that slow keys never take all slots. */
  readonly slots: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export type FairQueue = ReturnType<typeof fairQueue>;

/**
 * Runs a few queries at a time and shares the slots among keys. The next slot goes to the key with the fewest running
 * queries, then to the one that has waited longest. A key runs one query at a time until it is known to be quick. Slow
 * keys together leave one slot free, so that a quick query never waits for slow ones to end. An abort of `signal` ends
 * the wait with its reason; it does not stop a running query.
 */
export function fairQueue({ slots, now = () => performance.now() }: FairQueueOptions) {
  // In the order of their last start or, without one, of their arrival.
  const lanes = new Map<string, Lane>();

  const paceOf = ({ running, slowUntil, quickUntil }: Lane, at: number): Pace | undefined => {
    if (at < slowUntil || [...running].some((query) => at - query.at > SLOW_AFTER_MS)) return 'slow';
    return at < quickUntil ? 'quick' : undefined;
  };

  const mayStart = (lane: Lane, at: number): boolean => {
    const total = [...lanes.values()].reduce((sum, { running }) => sum + running.size, 0);
    if (total > slots) return false;
    const pace = paceOf(lane, at);
    if (pace === 'quick') return lane.running.size < slots;
    if (pace === undefined) return lane.running.size === 0;
    const slow = [...lanes.values()].filter((each) => paceOf(each, at) === 'slow');
    return lane.running.size === 0 && slow.reduce((sum, { running }) => sum + running.size, 0) < slots;
  };

  /** Starts as many queries as may start now. */
  const startNext = () => {
    const at = now();
    for (;;) {
      const [next] = [...lanes]
        .filter(([, lane]) => lane.waiting.length > 0 && mayStart(lane, at))
        .toSorted(([, a], [, b]) => a.running.size - b.running.size);
      if (next === undefined) return;
      const [key, lane] = next;
      lanes.delete(key);
      lanes.set(key, lane);
      lane.waiting.shift()?.();
    }
  };

  /** Removes keys without queries and without a prediction. */
  const forget = (at: number) => {
    for (const [key, lane] of lanes)
      if (lane.running.size === 0 && lane.waiting.length === 0 && paceOf(lane, at) === undefined)
        lanes.delete(key);
  };

  const waitForSlot = (lane: Lane, signal: AbortSignal) =>
    new Promise<{ readonly at: number }>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp);
        const query = { at: now() };
        lane.running.add(query);
        resolve(query);
      };
      const giveUp = () => {
        lane.waiting.splice(lane.waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      lane.waiting.push(start);
      startNext();
    });

  return async <T>(key: string, signal: AbortSignal, use: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const lane = lazyIn(lanes, key, newLane);
    const query = await waitForSlot(lane, signal);
    try {
      const answer = await use();
      // A query that was stopped early predicts nothing.
      lane.quickUntil = now() + KNOWN_FOR_MS;
      return answer;
    } finally {
      const at = now();
      lane.running.delete(query);
      if (at - query.at > SLOW_AFTER_MS) lane.slowUntil = at + KNOWN_FOR_MS;
      startNext();
      forget(at);
    }
  };
}
