import { BusyError, QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';

const REJECTED = 'ClickHouse rejected the query:';
/** Codes of ClickHouse for what a person must correct. */
const LASTING: readonly [codes: string[], says: string][] = [
  [['193', '194', '516'], 'ClickHouse does not accept the user or the password'],
  [['81'], 'the database does not exist in ClickHouse'],
  [['6', '41', '72'], 'a value of a table does not have the form that its column needs'],
  [['46', '63'], `${REJECTED} a function is missing; version 25.6 or later has all`],
  [['47'], `${REJECTED} a column is missing`],
  [['60'], `${REJECTED} a table is missing`],
  [['115'], `${REJECTED} a setting is missing; version 25.6 or later has all`],
  [['164'], `${REJECTED} the user needs readonly = 2, which can read and change settings`],
  [['497'], `${REJECTED} the user may not read a table`],
];

const TIME_LIMIT = ['159', '160', '394'];
const SIZE_LIMIT: Readonly<Record<string, string>> = {
  '158': 'the query reads more rows than ClickHouse allows the user',
  '241': 'ClickHouse ran out of memory',
  '307': 'the query reads more bytes than ClickHouse allows the user',
  '396': 'the query has more rows than ClickHouse allows the user',
};
/** Too many queries, the network, an overload or a restart. */
const PASSING = ['202', '209', '210', '236', '242', '243', '252', '279', '319', '425', '439', '999'];

/** Why a query failed. Messages of ClickHouse quote values and SQL, and those of Node the address; both are left out. */
export function clickHouseFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BusyError || error instanceof UpstreamError) return error;
  // A number of ClickHouse, or a name of Node.
  const code = 'code' in error ? String(error.code) : '';
  if (TIME_LIMIT.includes(code)) return new QueryLimitError('stopped at the time limit of a request');
  const limit = SIZE_LIMIT[code];
  if (limit !== undefined) return new QueryLimitError(limit);
  const cause = new Error(code || error.name);
  if (/^\d+$/.test(code)) {
    const [, says = 'ClickHouse failed'] = LASTING.find(([codes]) => codes.includes(code)) ?? [];
    return new UpstreamError(`${says} (${code})`, { retryable: PASSING.includes(code), cause });
  }
  return new UpstreamError(`ClickHouse cannot be reached${code && ` (${code})`}`, { retryable: true, cause });
}
