/** Incremented when older files can no longer be read. */
export const LAYOUT_VERSION = 2;

/**
 * The type of a column of rows. Only types with `?` may be NULL. `millis` is a UTC time in milliseconds since the
 * epoch: engines disagree on timestamps, but not on integers.
 */
export type RowType = 'text' | 'text?' | 'integer' | 'integer?' | 'double' | 'boolean' | 'millis' | 'texts';

/** Sums of integers need 64 bits. */
export type ColumnType = RowType | 'bigint' | 'bigint?';

export type Columns = Readonly<Record<string, ColumnType>>;

/**
 * `recorded_at`: time on the device (for a session, its start). `uploaded_at`: when the service received the row. Rows
 * uploaded after the current time of the service are not shown.
 */
const TIMES = { recorded_at: 'millis', uploaded_at: 'millis' } as const satisfies Columns;

const KEYS = { session_id: 'text', user_id: 'text' } as const satisfies Columns;

/** Columns of a session. `session_number` 1 is the first session of its user. */
const SESSION = {
  user_name: 'text?',
  session_number: 'integer',
  duration_sec: 'double',
  gesture_count: 'integer',
  rage_gesture_count: 'integer',
  responsive_gesture_count: 'integer',
  unresponsive_gesture_count: 'integer',
  screen_count: 'integer',
  unique_screen_count: 'integer',
  /** Names of the screens, in order of their visits. */
  screens: 'texts',
  crashed: 'boolean',
  has_video: 'boolean',
  platform: 'text',
  device_id: 'text?',
  device_model: 'text?',
  device_manufacturer: 'text?',
  device_class: 'text?',
  os_name: 'text?',
  os_version: 'text?',
  app_version: 'text?',
  sdk_version: 'text?',
  country: 'text?',
  city: 'text?',
  browser_name: 'text?',
  browser_version: 'text?',
  device_type: 'text?',
  referer: 'text?',
  referer_domain: 'text?',
  utm: 'text?',
  /** A JSON object. */
  user_properties: 'text',
} as const satisfies Columns;

/** The origin of the first session of the user. */
const FIRST = {
  first_utm: 'text?',
  first_referer: 'text?',
  first_referer_domain: 'text?',
  first_screen_name: 'text?',
  first_landing_page: 'text?',
} as const satisfies Columns;

/** Columns that only records of sessions need. */
const SESSION_RECORD = {
  event_count: 'integer',
  offline: 'boolean',
  network_type: 'text?',
  language: 'text?',
  country_code: 'text?',
  landing_page: 'text?',
} as const satisfies Columns;

const EVENT = {
  event_id: 'text',
  event_name: 'text',
  screen_name: 'text?',
  /** A JSON object. */
  properties: 'text',
} as const satisfies Columns;

/** One visit to a screen. Coming back is another visit. */
const SCREEN_VISIT = {
  screen_name: 'text',
  time_on_screen_sec: 'double',
  /** NULL if only the count of the session is known. */
  visit_rage_gesture_count: 'integer?',
  /** First visit of its session, last visit, and only visit. */
  is_entry: 'boolean',
  is_exit: 'boolean',
  is_bounce: 'boolean',
} as const satisfies Columns;

/** The columns that a source provides. Other columns of the table are filled in from sessions. */
export const GIVEN = {
  sessions: { ...TIMES, ...KEYS, ...SESSION, ...SESSION_RECORD },
  events: { ...TIMES, ...KEYS, ...EVENT },
  screen_visits: { ...TIMES, ...KEYS, ...SCREEN_VISIT },
} as const satisfies Record<string, Columns>;

/**
 * How sessions are derived from events that have none of their own, in an import and in tables of a team: the next event
 * after this long without events starts a new session.
 */
export const QUIET_MS = 30 * 60_000;
/** Columns that are true if they are true in any event of the session. */
export const FLAGS = ['crashed', 'has_video', 'offline'] as const;
/** Columns that take the largest value of all events. */
export const LARGEST = [
  ...(['gesture_count', 'rage_gesture_count'] as const),
  ...(['responsive_gesture_count', 'unresponsive_gesture_count'] as const),
] as const;
/** Columns taken together from the first event that has any of them. */
export const DESCRIPTIONS = [
  ...(['platform', 'user_properties', 'user_name', 'network_type', 'language', 'country_code'] as const),
  ...(['country', 'city', 'device_id', 'device_model', 'device_manufacturer', 'device_class'] as const),
  ...(['device_type', 'os_name', 'os_version', 'app_version', 'sdk_version', 'browser_name'] as const),
  ...(['browser_version', 'referer', 'referer_domain', 'utm', 'landing_page'] as const),
] as const;

/** Columns of the session that events and screen visits repeat, so that every query reads one table. */
export const CARRIED = { ...SESSION, ...FIRST } as const satisfies Columns;

/** Columns of sums over an hour. A dimension that is not in `dimensions` is NULL. */
const HOUR = {
  /** The start of the UTC hour. */
  recorded_at: 'millis',
  /** The latest of the rows. */
  uploaded_at: 'millis',
  /** One of `DIMENSION_SETS`, joined by commas. */
  dimensions: 'text',
  platform: 'text?',
  app_version: 'text?',
  country: 'text?',
} as const satisfies Columns;

export type Dimension = 'platform' | 'app_version' | 'country';

/**
 * The sets of dimensions by which each hour is summed, smallest first. All dimensions together would have almost as many
 * rows as the events.
 */
export const DIMENSION_SETS: readonly (readonly Dimension[])[] = [
  [],
  ['platform'],
  ['app_version'],
  ['platform', 'app_version'],
  ['country'],
];

/** Sums of each hour, computed from the rows. Every row counts once in each set of dimensions. */
export const HOURS = {
  event_hours: { ...HOUR, event_name: 'text', event_count: 'bigint' },
  session_hours: {
    ...HOUR,
    session_count: 'bigint',
    /** NULL if one of the new users has two first sessions, so that sums would count them twice. */
    new_user_count: 'bigint?',
    gesture_count: 'bigint',
    rage_gesture_count: 'bigint',
    responsive_gesture_count: 'bigint',
    unresponsive_gesture_count: 'bigint',
    screen_count: 'bigint',
    unique_screen_count: 'bigint',
  },
} as const satisfies Record<string, Columns>;
export type HoursTable = keyof typeof HOURS;
export const HOURS_TABLES = Object.keys(HOURS) as HoursTable[];

/** The tables with a row for each session, event and screen visit. */
export const ROWS = {
  sessions: { ...GIVEN.sessions, ...FIRST },
  events: { ...GIVEN.events, ...CARRIED },
  screen_visits: { ...GIVEN.screen_visits, ...CARRIED },
} as const satisfies Record<string, Columns>;
export type RowsTable = keyof typeof ROWS;
export const ROWS_TABLES = Object.keys(ROWS) as RowsTable[];

/**
 * The tables of one app, the same in every engine. There is no table of users: they are derived from their sessions,
 * the latest session being their snapshot.
 */
export const TABLES = { ...ROWS, ...HOURS } as const satisfies Record<string, Columns>;
export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** The folder of a table in a lake. It has the version of the layout, so that layouts are never mixed. */
export const folderOf = (table: TableName): string => `v${LAYOUT_VERSION}/${table}`;

interface Held {
  text: string;
  'text?': string | null;
  integer: number;
  'integer?': number | null;
  bigint: number;
  'bigint?': number | null;
  double: number;
  boolean: boolean;
  millis: number;
  texts: readonly string[];
}
/** A row with these columns. */
export type Row<C extends Columns> = { [Name in keyof C]: Held[C[Name]] };
export type Tables = { [Name in TableName]: Row<(typeof TABLES)[Name]> };

const HOUR_ORDER = ['recorded_at', 'platform', 'app_version', 'country'] as const;

/**
 * The sort order of rows, which lets an engine skip most of them. `day` is the UTC day of `recorded_at`. Events of a
 * day are sorted by name: a query for one name reads little, and events of the same time are still close together.
 */
export const ROW_ORDER: Readonly<Record<TableName, readonly string[]>> = {
  sessions: ['recorded_at', 'session_id'],
  events: ['day', 'event_name', 'recorded_at', 'event_id'],
  screen_visits: ['recorded_at', 'session_id'],
  event_hours: ['dimensions', 'day', 'event_name', ...HOUR_ORDER],
  session_hours: ['dimensions', 'day', ...HOUR_ORDER],
};
