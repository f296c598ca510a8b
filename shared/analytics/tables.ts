/** Counted up when files of before can no longer be read. */
export const LAYOUT_VERSION = 2;

/**
 * What a column holds. `text?` and `integer?` may be NULL, all else may not. `millis` is a UTC time in milliseconds since the epoch;
 * a whole number means the same in every engine, where a timestamp has as many meanings as there are engines.
 */
export type ColumnType =
  | 'text'
  | 'text?'
  | 'integer'
  | 'integer?'
  | 'double'
  | 'boolean'
  | 'millis'
  | 'texts';

export type Columns = Readonly<Record<string, ColumnType>>;

/**
 * `recorded_at` is when it happened on the device (for a session: when it began), `uploaded_at` when the service
 * received it; nothing uploaded after the service's clock is shown.
 */
const TIMES = { recorded_at: 'millis', uploaded_at: 'millis' } as const satisfies Columns;

const KEYS = { session_id: 'text', user_id: 'text' } as const satisfies Columns;

/** What a session says of itself. `session_number` 1 marks the session that made its user new. */
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
  /** The names of the screens in the order of their visits. */
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

/** What the user's first session began with. */
const FIRST = {
  first_utm: 'text?',
  first_referer: 'text?',
  first_referer_domain: 'text?',
  first_screen_name: 'text?',
  first_landing_page: 'text?',
} as const satisfies Columns;

/** What only the session's own record needs. */
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

/** One stay on one screen; leaving and coming back are two. */
const SCREEN_VISIT = {
  screen_name: 'text',
  time_on_screen_sec: 'double',
  /** NULL where only the session's is known. */
  visit_rage_gesture_count: 'integer?',
  /** The first of its session, the last of it, and both at once. */
  is_entry: 'boolean',
  is_exit: 'boolean',
  is_bounce: 'boolean',
} as const satisfies Columns;

/** What is told of each row. The other columns of its table are filled in from sessions. */
export const GIVEN = {
  sessions: { ...TIMES, ...KEYS, ...SESSION, ...SESSION_RECORD },
  events: { ...TIMES, ...KEYS, ...EVENT },
  screen_visits: { ...TIMES, ...KEYS, ...SCREEN_VISIT },
} as const satisfies Record<string, Columns>;

/** What events and screen visits carry of their session, so that every question is put to one table. */
export const CARRIED = { ...SESSION, ...FIRST } as const satisfies Columns;

/**
 * The tables of one app, alike in every engine. Users are not among them: they are what their sessions say of them,
 * the latest session being their snapshot.
 */
export const TABLES = {
  sessions: { ...GIVEN.sessions, ...FIRST },
  events: { ...GIVEN.events, ...CARRIED },
  screen_visits: { ...GIVEN.screen_visits, ...CARRIED },
} as const satisfies Record<string, Columns>;
export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** Where a table lies in a lake. Files of another layout lie beside it, and nobody takes them for these. */
export const folderOf = (table: TableName): string => `v${LAYOUT_VERSION}/${table}`;

interface Held {
  text: string;
  'text?': string | null;
  integer: number;
  'integer?': number | null;
  double: number;
  boolean: boolean;
  millis: number;
  texts: readonly string[];
}
/** A row with these columns. */
export type Row<C extends Columns> = { [Name in keyof C]: Held[C[Name]] };
export type Tables = { [Name in TableName]: Row<(typeof TABLES)[Name]> };

/**
 * The order in which rows lie, which is what lets an engine pass over most of them; `day` is the UTC day of
 * `recorded_at`. A day's events lie by name: a question about one name reads little, and one about all of them still
 * finds what belongs together in time close together.
 */
export const ROW_ORDER: Readonly<Record<TableName, readonly string[]>> = {
  sessions: ['recorded_at', 'session_id'],
  events: ['day', 'event_name', 'recorded_at', 'event_id'],
  screen_visits: ['recorded_at', 'session_id'],
};
