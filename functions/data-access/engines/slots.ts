/** Gives a slot back. */
export type Release = () => void;

/** Limits how much runs at a time. Waiting callers get free slots in order of arrival. An abort of `signal` ends the wait. */
export function slots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  const release = () => {
    free += 1;
    waiting.shift()?.();
  };
  return (signal: AbortSignal): Promise<Release> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const start = () => {
        signal.removeEventListener('abort', giveUp);
        free -= 1;
        resolve(release);
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      if (free > 0) return start();
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(start);
    });
}
