import { GIVEN } from '../../../shared/contract/tables.ts';
import type { TablePart } from '../engines/compiler.ts';
import { quotedName, type TableDialect } from '../engines/table-sql.ts';
import { cell, isOfDays } from './cells.ts';
import { type CheckedTable, nearPartitions } from './checked-tables.ts';
import { FIRSTS, isOfHistory } from './user-columns.ts';

const KEYS = ['session_id', 'user_id', 'recorded_at', 'uploaded_at'];
const OF_SESSION = Object.keys(GIVEN.sessions);

interface Sessions {
  readonly sessions: CheckedTable;
  readonly dialect: TableDialect;
}

/** The part of the sessions that a query reads. */
export interface SessionPart extends TablePart {
  /** The first and last UTC day of the events or screen visits of the sessions, instead of `days`. */
  readonly daysOfRows?: TablePart['days'];
}

/** The rows of a table of sessions. Numbers the sessions of each user, if the table does not. */
export function givenSessions(sessions: CheckedTable, dialect: TableDialect, part: SessionPart): string {
  const asked = [...part.columns];
  const history = asked.filter((name) => isOfHistory(name) && !sessions.columns.has(name));
  const origins = asked.some((name) => name in FIRSTS)
    ? ['utm', 'referer', 'referer_domain', 'screens', 'landing_page', 'session_number']
    : [];
  const columns = OF_SESSION.filter((name) => [...KEYS, ...origins, ...asked].includes(name))
    .filter((name) => !history.includes(name))
    .map((name) => `${sessionCell(name, sessions, dialect)} as ${quotedName(name)}`);
  const rows = `select ${columns.join(', ')} from ${sessions.from} where ${scope({ sessions, dialect }, part, history)}`;
  if (history.length === 0) return rows;
  const computed = history.map((name) => `${historyCell(name, sessions, dialect)} as ${quotedName(name)}`);
  return `select own.*, ${computed.join(', ')} from (${rows}) as own`;
}

function scope(
  { sessions, dialect }: Sessions,
  { days, daysOfRows }: SessionPart,
  history: readonly string[],
): string {
  // The history of a user may lie in any partition.
  if (daysOfRows) return history.length > 0 ? 'true' : nearPartitions(daysOfRows, sessions, dialect);
  if (!days) return 'true';
  const inDays = isOfDays(days, sessions, dialect);
  if (history.length === 0) return inDays;
  const user = cell('user_id', sessions, dialect);
  return `${user} in (select ${user} from ${sessions.from} where ${inDays})`;
}

const sessionCell = (name: string, sessions: CheckedTable, dialect: TableDialect): string =>
  cell(name === 'uploaded_at' && !sessions.columns.has(name) ? 'recorded_at' : name, sessions, dialect);

/** Users whose first session is older than the table have no session with the number 1, if the table numbers them. */
function historyCell(name: string, sessions: CheckedTable, dialect: TableDialect): string {
  const value = FIRSTS[name]?.(dialect) ?? 'null';
  const inOrder = 'over (partition by user_id order by recorded_at, session_id)';
  if (name === 'session_number') return `row_number() ${inOrder}`;
  if (!sessions.columns.has('session_number')) return dialect.firstValue(value, inOrder);
  return `max(case when session_number = 1 then ${value} end) over (partition by user_id)`;
}
