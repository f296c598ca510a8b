import { BusyError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';

/** Classes of SQLSTATE, the first two characters of a code, that a person must correct. */
const LASTING: Readonly<Record<string, string>> = {
  '22': 'a value of a table does not have the form that its column needs',
  '28': 'PostgreSQL does not accept the user or the password',
  '3D': 'the database does not exist in PostgreSQL',
  '42': 'PostgreSQL rejected the query: a table, a column or a right is missing',
};
/** Classes of failures that pass: of the connection, a rollback, resources, locks, a restart or the system. */
const PASSING = /^(08|40|53|55|57|58|XX)/;

const CANCELLED = '57014';
const OUT_OF_MEMORY = ['53200', '53100', '54000', '54001'];
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Why a query failed. Messages of PostgreSQL quote values, and those of Node the address; both are left out. */
export function postgresFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BusyError || error instanceof UpstreamError) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === CANCELLED) return new QueryLimitError('stopped at the time limit of a request');
  if (OUT_OF_MEMORY.includes(code)) return new QueryLimitError('PostgreSQL ran out of memory');
  const cause = new Error(code || error.name);
  if (SQLSTATE.test(code)) {
    const says = LASTING[code.slice(0, 2)] ?? 'PostgreSQL failed';
    return new UpstreamError(`${says} (${code})`, { retryable: PASSING.test(code), cause });
  }
  return new UpstreamError(`PostgreSQL cannot be reached${code && ` (${code})`}`, { retryable: true, cause });
}
