import { BusyError } from '../../../shared/runtime/errors.ts';

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

/** Waits for a slot. The wait counts towards the time limit of the statement. */
export async function slotWithin(
  slot: ReturnType<typeof slots>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Release> {
  using limit = abortAfter(timeoutMs, () => new BusyError('no connection within the time limit'));
  return await slot(AbortSignal.any([signal, limit.signal]));
}

/** A signal that is aborted after this time, unless its scope ends first. */
export function abortAfter(ms: number, reason: () => Error): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
