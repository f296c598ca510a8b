/**
 * Lets so many through at a time, the others in the order in which they came. `signal` ends the waiting by throwing
 * its reason; who is through is through.
 */
export function turnstile(atOnce: number) {
  let inside = 0;
  const waiting: (() => void)[] = [];

  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(enter);
    });

  return async <T>(signal: AbortSignal, use: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    if (inside < atOnce) inside += 1;
    else await turn(signal);
    try {
      return await use();
    } finally {
      const next = waiting.shift();
      // Who leaves hands the place on, so that nobody new slips in between.
      if (next) next();
      else inside -= 1;
    }
  };
}
