import type { QueryExecutionStatus } from '@aws-sdk/client-athena';
import { ConfigError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { SqlRejected } from '../table-reader.ts';

/** Numbers of Athena's error catalogue. */
const EXHAUSTED = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const TIMED_OUT = [206, 210];
const SYSTEM = 1;
const USER = 2;

const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'];

/** Why a statement is wrong, if it is. */
export const rejectionOf = ({ AthenaError: error, StateChangeReason: reason }: QueryExecutionStatus) =>
  error?.ErrorCategory === USER && reason !== undefined ? new SqlRejected(reason) : undefined;

/** For the start of a statement whose failure its author reads: names what is wrong in it. */
export const rejectionAtStart = (error: unknown): unknown =>
  error instanceof Error && error.name === 'InvalidRequestException' ? new SqlRejected(error.message) : error;

/** Why a query failed. Athena's own message quotes the statement and is left out. */
export function failureOf(status: QueryExecutionStatus): QueryLimitError | UpstreamError {
  const { State: state, StateChangeReason: reason = '', AthenaError: error } = status;
  const type = error?.ErrorType ?? Number.NaN;
  if (/bytes scanned/i.test(reason))
    return new QueryLimitError('stopped at the scan limit of the Athena workgroup');
  if (EXHAUSTED.includes(type) || /exhausted resources/i.test(reason))
    return new QueryLimitError('the query exhausted the resources of Athena');
  if (TIMED_OUT.includes(type)) return new QueryLimitError('stopped at the time limit of Athena');
  if (state === 'CANCELLED')
    return new UpstreamError('the query was cancelled in Athena', { retryable: true });
  return new UpstreamError(`the query failed in Athena with error ${error?.ErrorType ?? 'unknown'}`, {
    retryable: error?.Retryable ?? error?.ErrorCategory === SYSTEM,
  });
}

/** Why a call of the API failed. The SDK has already retried. */
export function callFailureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'CredentialsProviderError' || error.message === 'Region is missing')
    return new ConfigError(`Athena cannot be used: ${error.message}`);
  const code = 'code' in error ? String(error.code) : '';
  if (error.name === 'TimeoutError' || UNREACHABLE.includes(code))
    return new UpstreamError('Athena cannot be reached', { retryable: true, cause: wordless(error) });
  if (!('$fault' in error)) return error;
  const retryable = error.$fault === 'server' || /TooManyRequests|Throttl/.test(error.name);
  return new UpstreamError(`Athena rejected the call: ${error.name}`, { retryable, cause: wordless(error) });
}

/** The error without its message, which may quote the statement. */
function wordless(error: Error): Error {
  const metadata = '$metadata' in error ? (error.$metadata as { requestId?: string }) : {};
  return new Error(`${error.name}${metadata.requestId ? `, request ${metadata.requestId}` : ''}`);
}
