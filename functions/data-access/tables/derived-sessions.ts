import { DESCRIPTIONS, FLAGS, LARGEST, QUIET_MS } from '../../../shared/contract/tables.ts';
import type { TablePart } from '../engines/compiler.ts';
import type { TableDialect } from '../engines/table-sql.ts';
import { cell, eventCell, isOfDays } from './cells.ts';
import { type CheckedTable, nearPartitions } from './checked-tables.ts';
import { FIRSTS, isOfHistory, maximum } from './user-columns.ts';

export interface Events {
  readonly events: CheckedTable;
  readonly dialect: TableDialect;
}

/**
 * Common table expressions, by the definitions of `local/data/import/derive-sessions.ts`: `_placed` (events with their
 * sessions), `_entered` (those of sessions, with 1 in `enters` where a screen begins) and `_sessions`. They hold all events of the sessions with an event in the days;
 * the whole history of their users, if a column needs it.
 */
export function derivedSessions(of: Events, part: TablePart): string {
  const history = [...part.columns].some(isOfHistory);
  return [
    `_base as (${base(of, part.days, history)})`,
    `_spaced as (${spaced(of)})`,
    `_placed as (${placed(of)})`,
    `_entered as (${enteredFrom(of)})`,
    `_gathered as (${gathered(of)})`,
    `_sessions as (${numbered(of, history)})`,
  ].join(', ');
}

const own = (name: string, { events, dialect }: Events) => cell(name, events, dialect);

function base({ events, dialect }: Events, days: TablePart['days'], history: boolean): string {
  const described = DESCRIPTIONS.filter((name) => events.columns.has(name));
  const columns = [
    ...['event_id', 'event_name', 'user_id', 'screen_name', 'recorded_at', 'uploaded_at', 'properties'].map(
      (name) => `${eventCell(name, events, dialect)} as ${name}`,
    ),
    `${own('session_id', { events, dialect })} as given_id`,
    ...[...FLAGS, ...LARGEST, ...DESCRIPTIONS].map((name) => `${own(name, { events, dialect })} as ${name}`),
    `${isAny(described, { events, dialect })} as is_described`,
  ];
  const where = days ? ` where ${scope({ events, dialect }, days, history)}` : '';
  return `select ${columns.join(', ')} from ${events.from}${where}`;
}

/** 1 if any of the columns has a value. */
const isAny = (names: readonly string[], { events }: Events): string =>
  names.length === 0
    ? '0'
    : `case when ${names.map((name) => `${events.columns.get(name)?.sql} is not null`).join(' or ')} then 1 else 0 end`;

function scope(of: Events, days: readonly [string, string], history: boolean): string {
  const { events, dialect } = of;
  const user = own('user_id', of);
  const session = own('session_id', of);
  const inDays = isOfDays(days, events, dialect);
  const sameUser = `${user} in (select ${user} from ${events.from} where ${inDays})`;
  // The history of a user may lie in any partition.
  const near = history ? 'true' : nearPartitions(days, events, dialect);
  if (!events.columns.has('session_id')) return `(${inDays} or ${sameUser}) and ${near}`;
  // To PostHog, NULL is in a list with NULL.
  const sameSession = `${session} is not null and ${session} in (select ${session} from ${events.from} where ${inDays})`;
  return `(${inDays} or (${sameSession}) or (${history ? '' : `${session} is null and `}${sameUser})) and ${near}`;
}

const STRETCH = 'partition by user_id, case when given_id is null then 1 else 0 end order by recorded_at';

/** The start of each stretch of activity without an id, and the first user of each id. */
function spaced({ dialect }: Events): string {
  return `select _base.*,
    case when given_id is null and coalesce(recorded_at - lag(recorded_at) over (${STRETCH}), ${QUIET_MS}) >= ${QUIET_MS}
      then recorded_at end as opened_at,
    first_value(user_id) over (partition by given_id
      order by case when user_id is null then 1 else 0 end, recorded_at, ${dialect.byCharacter('event_id')}) as owner
    from _base`;
}

function placed({ dialect }: Events): string {
  return `select _spaced.*, case
      when user_id is null then null
      when given_id is null then user_id || '-' || cast(max(opened_at) over (${STRETCH}) as ${dialect.textType})
      when user_id = owner then given_id
      else user_id || ':' || given_id end as session_id
    from _spaced`;
}

const inOrder = ({ dialect }: Events, table = ''): readonly string[] => [
  `${table}recorded_at`,
  dialect.byCharacter('event_id'),
];

/** `nth` is 1 for the event that describes the session. */
export function enteredFrom(of: Events): string {
  const screens = `partition by session_id, case when screen_name is null then 1 else 0 end order by ${inOrder(of).join(', ')}`;
  return `select _placed.*,
    case when screen_name is not null and coalesce(screen_name <> lag(screen_name) over (${screens}), true)
      then 1 else 0 end as enters,
    row_number() over (partition by session_id order by is_described desc, ${inOrder(of).join(', ')}) as nth
    from _placed where session_id is not null`;
}

function gathered(of: Events): string {
  // With its table, because to some engines the bare name is that of the new column.
  const own = (name: string) => `_entered.${name}`;
  const order = inOrder(of, '_entered.');
  const screens = of.dialect.listOf('screen_name', { where: 'enters = 1', order });
  const columns = [
    'session_id',
    `min(${own('user_id')}) as user_id`,
    `min(${own('recorded_at')}) as recorded_at`,
    `max(${own('uploaded_at')}) as uploaded_at`,
    `cast(max(${own('recorded_at')}) - min(${own('recorded_at')}) as ${of.dialect.doubleType}) / 1000 as duration_sec`,
    'count(*) as event_count',
    `${screens} as screens`,
    `cast(sum(enters) as ${of.dialect.wholeType}) as screen_count`,
    'count(distinct case when enters = 1 then screen_name end) as unique_screen_count',
    ...FLAGS.map(
      (name) =>
        `case when max(case when ${own(name)} then 1 else 0 end) = 1 then true else false end as ${name}`,
    ),
    ...LARGEST.map((name) => `coalesce(max(${own(name)}), 0) as ${name}`),
    ...DESCRIPTIONS.map((name) => `${maximum(name, own(name), of.dialect, 'nth = 1')} as ${name}`),
  ];
  return `select ${columns.join(', ')} from _entered group by session_id`;
}

function numbered({ dialect }: Events, history: boolean): string {
  if (!history) return 'select * from _gathered';
  const ofUser = (order: string) => `over (partition by user_id order by ${order})`;
  const earliest = 'recorded_at, session_id';
  const firsts = Object.entries(FIRSTS).map(
    ([name, value]) => `${dialect.firstValue(value(dialect), ofUser(earliest))} as ${name}`,
  );
  return `select _gathered.*, row_number() ${ofUser(earliest)} as session_number, ${firsts.join(', ')}
    from _gathered`;
}
