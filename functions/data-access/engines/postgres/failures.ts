import { QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';

/** Classes of SQLSTATE: the first two characters of a code. */
const FAILURES: Readonly<Record<string, { says: string; retryable: boolean }>> = {
  '08': { says: 'the connection to PostgreSQL failed', retryable: true },
  '22': { says: 'a value of a table does not have the form that its column needs', retryable: false },
  '28': { says: 'PostgreSQL does not accept the user or the password', retryable: false },
  '3D': { says: 'the database does not exist in PostgreSQL', retryable: false },
  '40': { says: 'PostgreSQL rolled the query back', retryable: true },
  '42': { says: 'PostgreSQL rejected the query: a table, a column or a right is missing', retryable: false },
  '53': { says: 'PostgreSQL has no resources left', retryable: true },
  '55': { says: 'a table is locked in PostgreSQL', retryable: true },
  '57': { says: 'PostgreSQL is stopping or starting', retryable: true },
  '58': { says: 'PostgreSQL failed', retryable: true },
  XX: { says: 'PostgreSQL failed', retryable: true },
};

const CANCELLED = '57014';
const OUT_OF_MEMORY = ['53200', '53100', '54000', '54001'];
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Why a query failed. Messages of PostgreSQL quote values, and those of Node the address; both are left out. */
export function postgresFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof QueryLimitError || error instanceof UpstreamError)
    return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === CANCELLED) return new QueryLimitError('stopped at the time limit of a request');
  if (OUT_OF_MEMORY.includes(code)) return new QueryLimitError('PostgreSQL ran out of memory');
  const cause = new Error(code || error.name);
  const known = SQLSTATE.test(code) ? FAILURES[code.slice(0, 2)] : undefined;
  if (known) return new UpstreamError(`${known.says} (${code})`, { retryable: known.retryable, cause });
  if (SQLSTATE.test(code))
    return new UpstreamError(`PostgreSQL failed with the error ${code}`, { retryable: false, cause });
  return new UpstreamError(`PostgreSQL cannot be reached${code && ` (${code})`}`, { retryable: true, cause });
}
