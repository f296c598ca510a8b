/**
 * Why a fetch brought no answer, to follow the name of who was asked. The messages of such errors may hold the URL,
 * and with it a key, so only their codes are repeated.
 */
export function whyUnreachable(error: unknown, timeoutMs: number): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return `did not answer within ${timeoutMs} ms`;
    // Says only that it was given up; why stands in its cause.
    if ('code' in cause && cause.code === 'ABORT_ERR') continue;
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(cause.code))
      return `cannot be reached (${cause.code})`;
  }
  return 'cannot be reached';
}
