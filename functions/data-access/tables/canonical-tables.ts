import { CARRIED, DESCRIPTIONS, GIVEN, ROWS, type RowsTable } from '../../../shared/contract/tables.ts';
import type { TablePart, TableSource } from '../engines/compiler.ts';
import { quotedName, type TableDialect } from '../engines/table-sql.ts';
import { cell, cells, eventCell, isOfDays } from './cells.ts';
import { type CheckedTables, nearPartitions } from './checked-tables.ts';
import { derivedSessions, type Events, enteredFrom } from './derived-sessions.ts';
import { givenSessions, type SessionPart } from './given-sessions.ts';
import { sessionsWithUsers, withoutUsers } from './user-columns.ts';

/** The tables of an app and the SQL to read them. */
export interface AppTables {
  readonly tables: CheckedTables;
  readonly dialect: TableDialect;
}

/** The tables of `ROWS` as SELECTs over the tables of a team. */
export const canonicalTables =
  (app: AppTables): TableSource =>
  (table, part) => {
    if (table === 'event_hours' || table === 'session_hours')
      throw new TypeError('the tables of a team have no sums of hours');
    return READS[table](app, part);
  };

const READS: Readonly<Record<RowsTable, (app: AppTables, part: TablePart) => string>> = {
  events: eventRows,
  sessions: sessionRows,
  screen_visits: visitRows,
};

const OF_EVENT = Object.keys(GIVEN.events);
const OF_VISIT = Object.keys(GIVEN.screen_visits);
const OF_SESSION = Object.keys(ROWS.sessions);
const OF_SESSION_FOR_VISITS = ['recorded_at', 'uploaded_at', 'duration_sec', 'rage_gesture_count'];
const CARRIED_NAMES = Object.keys(CARRIED);
/** Columns of sessions that are NULL without a column in the table, so that no session needs to be derived. */
const OFTEN_ABSENT: readonly string[] = DESCRIPTIONS.filter(
  (name) => name !== 'platform' && name !== 'user_properties',
);

const asked = (names: readonly string[], { columns }: TablePart): string[] =>
  names.filter((name) => columns.has(name));
const listed = (prefix: string, names: readonly string[]): string[] =>
  names.map((name) => `${prefix}.${quotedName(name)} as ${quotedName(name)}`);
const carriedPart = (names: readonly string[], daysOfRows: TablePart['days']): SessionPart => ({
  columns: new Set(['session_id', 'user_id', ...names]),
  daysOfRows,
});

function eventRows(app: AppTables, part: TablePart): string {
  const { tables, dialect } = app;
  const { events, sessions } = tables;
  const own = [...new Set([...asked(OF_EVENT, part), 'session_id'])];
  const carried = asked(CARRIED_NAMES, part);
  const isAbsent = (name: string) =>
    OFTEN_ABSENT.includes(name) && !events.columns.has(name) && !tables.users?.columns.has(name);
  if (!sessions && (!carried.every(isAbsent) || part.columns.has('session_id')))
    return `with ${derivedSessions({ events, dialect }, withoutUsers(part, tables.users))}
      select ${[...listed('event', own), ...listed('session', carried)].join(', ')} from _placed as event
      left join (${derivedRows(app, carried)}) as session on session.session_id = event.session_id`;
  const names = sessions ? own : [...own, ...carried];
  const columns = names.map((name) => `${eventCell(name, events, dialect)} as ${quotedName(name)}`);
  const where = part.days ? ` where ${isOfDays(part.days, events, dialect)}` : '';
  const rows = `select ${columns.join(', ')} from ${events.from}${where}`;
  return sessions ? withSessions(app, { rows, names: own }, carriedPart(carried, part.days)) : rows;
}

interface NamedRows {
  readonly rows: string;
  readonly names: readonly string[];
}

/** Rows of events or screen visits with columns of their sessions. */
function withSessions(app: AppTables, { rows, names }: NamedRows, part: SessionPart): string {
  const carried = asked(CARRIED_NAMES, part);
  if (carried.length === 0) return rows;
  const columns = [...listed('own', names), ...listed('session', carried)];
  return `select ${columns.join(', ')} from (${rows}) as own
    left join (${sessionRows(app, part)}) as session on session.session_id = own.session_id`;
}

function sessionRows(app: AppTables, part: SessionPart): string {
  const { tables, dialect } = app;
  const { events, sessions, users } = tables;
  const own = withoutUsers(part, users);
  const names = [...new Set([...asked(OF_SESSION, part), 'session_id'])];
  if (!sessions) return `with ${derivedSessions({ events, dialect }, own)} ${derivedRows(app, names)}`;
  return sessionsWithUsers(`(${givenSessions(sessions, dialect, own)}) as session`, names, {
    users,
    dialect,
  });
}

const derivedRows = ({ tables, dialect }: AppTables, names: readonly string[]): string =>
  sessionsWithUsers('_sessions as session', [...new Set(['session_id', ...names])], {
    users: tables.users,
    dialect,
  });

function visitRows(app: AppTables, part: TablePart): string {
  const { tables, dialect } = app;
  const { events, sessions, screen_visits: visits } = tables;
  const carried = asked(CARRIED_NAMES, part).filter((name) => name !== 'screen_name');
  if (visits) {
    const where = part.days ? ` where ${isOfDays(part.days, visits, dialect)}` : '';
    const time = visits.columns.has('uploaded_at') ? visits : withUploads(visits);
    const rows = `select ${cells(OF_VISIT, time, dialect).join(', ')} from ${visits.from}${where}`;
    return withSessions(app, { rows, names: OF_VISIT }, carriedPart(carried, part.days));
  }
  const visitsOf = derivedVisits({ events, dialect }, part, {
    given: sessions && sessionRows(app, carriedPart(OF_SESSION_FOR_VISITS, part.days)),
    derived: withoutUsers({ ...part, columns: new Set(carried) }, tables.users),
  });
  if (sessions)
    return withSessions(app, { rows: visitsOf.rows, names: OF_VISIT }, carriedPart(carried, part.days));
  const columns = [...listed('own', OF_VISIT), ...listed('session', carried)];
  return `with ${visitsOf.expressions} select ${columns.join(', ')}
    from (${visitsOf.rows}) as own
    left join (${derivedRows(app, carried)}) as session on session.session_id = own.session_id`;
}

/** A row without a time of upload is uploaded when it is recorded. */
function withUploads({ from, columns }: CheckedTables['events']): CheckedTables['events'] {
  const time = columns.get('recorded_at');
  return { from, columns: new Map([...columns, ...(time ? [['uploaded_at', time] as const] : [])]) };
}

interface Sessions {
  /** A SELECT of the sessions, if there is a table of them. */
  readonly given: string | undefined;
  /** The columns of a derived session. Unused if `given` is set. */
  readonly derived: TablePart;
}

/**
 * Screen visits, by the definitions of `local/data/import/derive-sessions.ts`: a screen ends when the next begins or the
 * session ends. `expressions` stand before the query that reads `rows`.
 */
function derivedVisits(of: Events, part: TablePart, sessions: Sessions) {
  const expressions = sessions.given
    ? [
        `_placed as (${givenPlaces(of, part.days)})`,
        `_entered as (${enteredFrom(of)})`,
        `_sessions as (${sessions.given})`,
      ].join(', ')
    : derivedSessions(of, sessions.derived);
  const visits = `${sessions.given ? `with ${expressions} ` : ''}${visitsSql(of)}`;
  return { expressions, rows: visits };
}

function givenPlaces({ events, dialect }: Events, days: TablePart['days']): string {
  const names = ['event_id', 'user_id', 'screen_name', 'recorded_at'];
  const session = cell('session_id', events, dialect);
  const columns = names.map((name) => `${eventCell(name, events, dialect)} as ${name}`);
  const where = days
    ? ` where ${session} in (select ${session} from ${events.from} where ${isOfDays(days, events, dialect)}) and ${nearPartitions(days, events, dialect)}`
    : '';
  return `select ${columns.join(', ')}, ${session} as session_id, 0 as is_described from ${events.from}${where}`;
}

/** ClickHouse gives the result of a comparison as a number. */
const isTrue = (test: string): string => `case when ${test} then true else false end`;

function visitsSql({ dialect }: Events): string {
  const ofSession = `over (partition by event.session_id order by event.recorded_at, ${dialect.byCharacter('event_id')})`;
  const ends = `session.recorded_at + cast(round(session.duration_sec * 1000) as ${dialect.wholeType})`;
  return `select session_id, user_id, screen_name, recorded_at, uploaded_at,
      cast(coalesce(next_at, ends_at) - recorded_at as ${dialect.doubleType}) / 1000 as time_on_screen_sec,
      case when is_entry and next_at is null then rage_gesture_count end as visit_rage_gesture_count,
      ${isTrue('is_entry')} as is_entry, ${isTrue('next_at is null')} as is_exit,
      ${isTrue('is_entry and next_at is null')} as is_bounce
    from (select ${listed('event', ['session_id', 'user_id', 'screen_name', 'recorded_at']).join(', ')},
        ${listed('session', ['uploaded_at', 'rage_gesture_count']).join(', ')}, ${ends} as ends_at, lead(event.recorded_at) ${ofSession} as next_at,
        row_number() ${ofSession} = 1 as is_entry
      from _entered as event join _sessions as session on session.session_id = event.session_id
      where event.enters = 1) as visit`;
}
