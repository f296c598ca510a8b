import type { Queue } from '../../shared/planning/plan.ts';

/** A queue whose items a test takes explicitly. */
export interface InMemoryQueue<T> extends Queue<T> {
  /** The items sent since the last call, in order. */
  take(): T[];
}

export function inMemoryQueue<T>(): InMemoryQueue<T> {
  let waiting: T[] = [];
  return {
    async send(items) {
      waiting.push(...structuredClone(items));
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}
