/** The result of `work`, or the reason of `signal` as soon as it is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Nothing else handles its failure if the signal is aborted.
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
