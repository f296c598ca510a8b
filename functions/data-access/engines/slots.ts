/** Gives a slot back. */
export type Release = () => void;

/** A few slots. Who waits gets the next one in the order of arrival; an abort of `signal` ends the wait with its reason. */
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
