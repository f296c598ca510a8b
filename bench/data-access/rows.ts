import { given } from '../../local/data/rows.ts';
import { DAY_MS } from '../../shared/units/durations.ts';

/** The size of a generated app. A session has about eight events and two screen visits, a user about six sessions. */
export interface Size {
  readonly events: number;
}

const START = Date.UTC(2026, 0, 1);
const DAYS = 90;
/** The current time of the service: the end of the data. Rows that would be uploaded later are not written. */
export const NOW = START + DAYS * DAY_MS;

/** The mean of `event_count`, as drawn below. */
const EVENTS_PER_SESSION = 8.17;
const SESSIONS_PER_USER = 6;

const SALTS = 1_000_000;
const saltOf = (name: string): number =>
  [...name].reduce((salt, letter) => (salt * 31 + letter.charCodeAt(0)) % SALTS, 0);

/** Depends only on key and salt, so that every run generates the same rows. `hash` of two values mixes too little. */
const mixed = (key: string, salt: string): string => `hash(${SALTS} * (${key})::BIGINT + ${saltOf(salt)})`;

/** A number in [0, 1). */
const draw = (key: string, salt: string): string => `((${mixed(key, salt)} >> 11) / 9007199254740992.0)`;

/** An integer in [0, `count`). A `skew` over 1 makes small numbers more frequent. */
const rank = (key: string, salt: string, count: number | string, skew = 1): string =>
  `floor(${count} * pow(${draw(key, salt)}, ${skew}))::INTEGER`;

const oneOf = (values: readonly string[], key: string, salt: string, skew = 1): string =>
  `[${values.map((value) => `'${value}'`).join()}][1 + ${rank(key, salt, values.length, skew)}]`;

const id = (key: string, salt: string): string => `format('{:016x}', ${mixed(key, salt)})`;

const onWeb = (value: string): string => `CASE WHEN platform = 'web' THEN ${value} END`;

const SCREENS = ['Home', 'Search', 'Product', 'Cart', 'Checkout', 'Profile', 'Settings', 'Offers'];
const COUNTRIES = 60;

const sessionKeys = ({ events }: Size): string => {
  const sessions = Math.ceil(events / EVENTS_PER_SESSION);
  return `
    SELECT i AS session, ${rank('i', 'user', Math.ceil(sessions / SESSIONS_PER_USER), 1.8)} AS person,
      ${START} + (${DAY_MS} * (${rank('i', 'day', DAYS)} + (${draw('i', 'hour')} + ${draw('i', 'minute')}) / 2))::BIGINT
        AS recorded_at,
      1 + ${rank('i', 'screens', 5, 2)} AS screen_count, 1 + ${rank('i', 'events', 30, 3)} AS event_count,
      ${oneOf(['android', 'ios', 'web'], 'person', 'platform', 1.5)} AS platform,
      ${rank('person', 'country', COUNTRIES, 3)} AS country
    FROM range(${sessions}) AS made (i)`;
};

/** Temporary tables with the random values of each session and event. The tables of the app are filled from them. */
const drawn = (size: Size): string[] => [
  `CREATE TEMP TABLE drawn_sessions AS
    SELECT *, ${id('session', 'session')} || '${'0'.repeat(8)}' AS session_id, ${id('person', 'user')} AS user_id,
      row_number() OVER (PARTITION BY person ORDER BY recorded_at, session)::INTEGER AS session_number,
      round(900 * pow(${draw('session', 'duration')}, 2), 1) AS duration_sec,
      recorded_at + 60000 + CASE WHEN ${draw('session', 'late')} < 0.01
        THEN ${rank('session', 'lateness', 3 * DAY_MS)} ELSE ${rank('session', 'delay', 600_000)} END AS uploaded_at,
      list_transform(range(screen_count),
        lambda visit: ${oneOf(SCREENS, 'session * 8 + visit', 'screen', 1.5)}) AS screens
    FROM (${sessionKeys(size)})`,
  `CREATE TEMP TABLE drawn_events AS
    SELECT session * 32 + nth AS event, session, (recorded_at
      + 1000 * duration_sec * (nth + ${draw('session * 32 + nth', 'time')}) / event_count)::BIGINT AS recorded_at
    FROM (SELECT session, recorded_at, duration_sec, event_count, unnest(range(event_count)) AS nth FROM drawn_sessions)`,
];

const SESSIONS = `
  INSERT INTO ${given('sessions')} BY NAME
  SELECT recorded_at, uploaded_at, session_id, user_id, session_number, duration_sec, screen_count, screens, platform,
    CASE WHEN ${draw('person', 'named')} < 0.4 THEN 'person' || person || '@example.com' END AS user_name,
    ${rank('session', 'gestures', 180, 2)} + ${rank('session', 'dead', 20, 2)} AS gesture_count,
    ${rank('session', 'rage', 6, 6)} AS rage_gesture_count,
    ${rank('session', 'gestures', 180, 2)} AS responsive_gesture_count,
    ${rank('session', 'dead', 20, 2)} AS unresponsive_gesture_count,
    len(list_distinct(screens)) AS unique_screen_count, event_count,
    ${draw('session', 'crash')} < 0.02 AS crashed, ${draw('session', 'video')} < 0.3 AS has_video,
    ${draw('session', 'offline')} < 0.05 AS offline,
    ${oneOf(['wifi', 'cellular'], 'session', 'network', 2)} AS network_type,
    ${id('person', 'device')} AS device_id,
    'Model ' || ${rank('person', 'model', 300, 2.5)} AS device_model,
    'Maker ' || ${rank('person', 'model', 20, 2.5)} AS device_manufacturer,
    ${oneOf(['phone', 'tablet'], 'person', 'class', 2)} AS device_class,
    CASE platform WHEN 'web' THEN 'Windows' ELSE platform END AS os_name,
    (10 + ${rank('person', 'os', 8)}) || '.0' AS os_version,
    '3.' || (recorded_at - ${START}) // ${7 * DAY_MS} || '.' || ${rank('session', 'patch', 3)} AS app_version,
    '1.' || ${rank('person', 'sdk', 5)} AS sdk_version,
    'C' || country AS country_code, 'Country ' || country AS country,
    'City ' || country || '-' || ${rank('person', 'city', 12, 2)} AS city,
    ${oneOf(['en', 'de', 'fr', 'es', 'it'], 'person', 'language', 2)} AS language,
    ${onWeb(oneOf(['Chrome', 'Safari', 'Firefox'], 'person', 'browser', 2))} AS browser_name,
    ${onWeb(`(100 + ${rank('person', 'browser', 20)})::VARCHAR`)} AS browser_version,
    ${onWeb("'desktop'")} AS device_type,
    ${onWeb(`'https://site' || ${rank('session', 'referer', 50, 2)} || '.example/'`)} AS referer,
    ${onWeb(`'site' || ${rank('session', 'referer', 50, 2)} || '.example'`)} AS referer_domain,
    ${onWeb(`'utm_source=' || ${rank('session', 'utm', 20, 2)}`)} AS utm,
    ${onWeb(`'/' || lower(screens[1])`)} AS landing_page,
    '{"plan":"' || ${oneOf(['free', 'pro', 'team'], 'person', 'plan', 2)}
      || '","cohort":' || ${rank('person', 'cohort', 12)} || '}' AS user_properties
  FROM drawn_sessions
  WHERE uploaded_at <= ${NOW}`;

const EVENTS = `
  INSERT INTO ${given('events')} BY NAME
  SELECT e.recorded_at, s.uploaded_at + (e.recorded_at - s.recorded_at) AS uploaded_at, s.session_id, s.user_id,
    md5(event::VARCHAR)::UUID::VARCHAR AS event_id,
    'event_' || lpad(${rank('event', 'name', 40, 3)}::VARCHAR, 2, '0') AS event_name,
    ${oneOf(SCREENS, 'event', 'screen', 1.5)} AS screen_name,
    '{"plan":"' || ${oneOf(['free', 'pro', 'team', 'enterprise'], 'event', 'plan', 2)}
      || '","price":' || ${rank('event', 'price', 20_000, 3)} / 100
      || ',"items":' || 1 + ${rank('event', 'items', 5, 2)}
      || ',"source":"source ' || ${rank('event', 'source', 30, 2)} || '"}' AS properties
  FROM drawn_events AS e JOIN drawn_sessions AS s USING (session)
  WHERE s.uploaded_at + (e.recorded_at - s.recorded_at) <= ${NOW}`;

const VISITS = `
  INSERT INTO ${given('screen_visits')} BY NAME
  SELECT recorded_at + (1000 * duration_sec * visit / screen_count)::BIGINT AS recorded_at, uploaded_at, session_id,
    user_id, screens[visit + 1] AS screen_name, duration_sec / screen_count AS time_on_screen_sec,
    ${rank('session * 8 + visit', 'rage', 3, 6)} AS visit_rage_gesture_count,
    visit = 0 AS is_entry, visit = screen_count - 1 AS is_exit, screen_count = 1 AS is_bounce
  FROM (SELECT *, unnest(range(screen_count)) AS visit FROM drawn_sessions)
  WHERE uploaded_at <= ${NOW}`;

/** Statements that write the rows of an app to the input tables of `settle`: 90 days with skewed names, users and properties. */
export const rowStatements = (size: Size): string[] => [
  ...drawn(size),
  SESSIONS,
  EVENTS,
  VISITS,
  'DROP TABLE drawn_events',
  'DROP TABLE drawn_sessions',
];
