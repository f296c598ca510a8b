/**
 * Why a fetch failed, as the end of a sentence. Messages of such errors may contain the URL, and with it a key, so only
 * their codes are used.
 */
export function whyUnreachable(error: unknown, timeoutMs: number): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return `did not answer within ${timeoutMs} ms`;
    // Only says that the request was aborted; the cause has the reason.
    if ('code' in cause && cause.code === 'ABORT_ERR') continue;
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(cause.code))
      return `cannot be reached (${cause.code})`;
  }
  return 'cannot be reached';
}
