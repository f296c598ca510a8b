import type { DuckDBConnection } from '@duckdb/node-api';
import { GIVEN, type RowsTable } from '../../../shared/contract/tables.ts';
import { given, openGiven, settle } from '../rows.ts';
import { COUNTS, DESCRIPTIONS, FLAGS } from './fields.ts';

/** The next event after this long without events starts a new session. */
const QUIET_MS = 30 * 60_000;

const columnsOf = (table: RowsTable): string => Object.keys(GIVEN[table]).join(', ');

/**
 * The session id of each staged row. The first user of an id keeps it; for other users it becomes `user:id`.
 * Rows without an id get `user-start`, one per stretch of activity. They join such a session of an earlier file
 * if it is close enough.
 */
const PLACED_SQL = `
CREATE TEMP TABLE placed AS
WITH owners AS (
  FROM _earlier.sessions SELECT session_id, user_id AS owner
  UNION ALL
  FROM staged SELECT session_id, arg_min(user_id, row(recorded_at, line))
  WHERE session_id NOT IN (FROM _earlier.sessions SELECT session_id)
  GROUP BY session_id
), activity AS (
  FROM staged SELECT line, user_id, NULL AS known, recorded_at AS begins, recorded_at AS ends
  WHERE session_id IS NULL
  UNION ALL
  FROM _earlier.sessions
  SELECT NULL, user_id, session_id, recorded_at, recorded_at + round(duration_sec * 1000)::BIGINT AS ends
  WHERE starts_with(session_id, user_id || '-')
    AND try_cast(substr(session_id, len(user_id) + 2) AS BIGINT) BETWEEN recorded_at AND ends
), spaced AS (
  FROM activity
  SELECT *, coalesce(begins - max(ends) OVER earlier >= ${QUIET_MS}, TRUE) AS opens
  WINDOW earlier AS (
    PARTITION BY user_id ORDER BY begins, line NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
), stretched AS (
  FROM spaced
  SELECT *, max(begins) FILTER (opens) OVER (PARTITION BY user_id ORDER BY begins, line NULLS FIRST) AS stretch
)
FROM staged JOIN owners USING (session_id)
SELECT line, if(user_id = owner, session_id, user_id || ':' || session_id) AS session_id
UNION ALL
FROM stretched
SELECT
  line,
  coalesce(
    last_value(known IGNORE NULLS) OVER (PARTITION BY user_id, stretch ORDER BY begins, line NULLS FIRST),
    arg_min(known, begins) OVER (PARTITION BY user_id, stretch),
    user_id || '-' || stretch
  )
QUALIFY line IS NOT NULL`;

/** All events of the file's sessions, including those from earlier files. */
const ALL_EVENTS_SQL = `
CREATE TEMP TABLE all_events AS
FROM staged JOIN placed USING (line)
SELECT staged.* EXCLUDE (session_id), placed.session_id
UNION ALL BY NAME
FROM _earlier.events SEMI JOIN placed USING (session_id)
SELECT ${columnsOf('events')}, 0 AS line`;

/**
 * Sessions, computed from their events. The upload time is that of the last uploaded event, because duration,
 * counts and crashes depend on all events. Before that time the events are visible without their session.
 */
const DERIVED_SQL = `
CREATE TEMP TABLE derived AS
WITH visited AS (
  FROM all_events
  SELECT *, coalesce(screen_name <> lag(screen_name IGNORE NULLS) OVER visit, screen_name IS NOT NULL) AS enters
  WINDOW visit AS (PARTITION BY session_id ORDER BY recorded_at, line, event_id)
), gathered AS (
  FROM visited
  SELECT
    session_id,
    any_value(user_id) AS user_id,
    min(recorded_at) AS recorded_at,
    max(uploaded_at) AS uploaded_at,
    max(recorded_at) - min(recorded_at) AS duration_ms,
    count(*) AS event_count,
    coalesce(list(screen_name ORDER BY recorded_at, line, event_id) FILTER (enters), []) AS screens,
    arg_min(about, row(recorded_at, line)) AS about,
    ${FLAGS.map((name) => `coalesce(bool_or(${name}), FALSE) AS ${name}`).join(', ')},
    ${COUNTS.map((name) => `coalesce(max(${name}), 0) AS ${name}`).join(', ')}
  GROUP BY session_id
)
FROM gathered
SELECT
  * EXCLUDE (about, duration_ms),
  duration_ms / 1000 AS duration_sec,
  len(screens) AS screen_count,
  len(list_distinct(screens)) AS unique_screen_count,
  ${DESCRIPTIONS.filter((name) => name !== 'platform' && name !== 'user_properties')
    .map((name) => `about->>'${name}' AS ${name}`)
    .join(', ')},
  coalesce(about->>'platform', 'web') AS platform,
  coalesce(about->'user_properties', '{}'::JSON) AS user_properties`;

/** Columns to recompute when a file adds events to a session. */
const GROWING = [
  ...['recorded_at', 'uploaded_at', 'duration_sec', 'event_count'],
  ...['screens', 'screen_count', 'unique_screen_count'],
];

/**
 * Existing sessions keep their description and get the new events. All sessions are renumbered, because older
 * data appended later can move the day on which a user was new.
 */
const SESSIONS_SQL = `
INSERT INTO ${given('sessions')} BY NAME
WITH earlier AS (
  FROM _earlier.sessions SELECT ${columnsOf('sessions')}
), grown AS (
  FROM earlier AS old JOIN derived AS more USING (session_id)
  SELECT old.* REPLACE (
    ${GROWING.map((name) => `more.${name} AS ${name}`).join(', ')},
    ${FLAGS.map((name) => `old.${name} OR more.${name} AS ${name}`).join(', ')},
    ${COUNTS.map((name) => `greatest(old.${name}, more.${name}) AS ${name}`).join(', ')}
  )
), together AS (
  FROM earlier ANTI JOIN derived USING (session_id)
  UNION ALL BY NAME FROM grown
  UNION ALL BY NAME FROM derived ANTI JOIN earlier USING (session_id)
)
FROM together
SELECT * REPLACE (row_number() OVER (PARTITION BY user_id ORDER BY recorded_at, session_id) AS session_number)`;

const EVENTS_SQL = `
INSERT INTO ${given('events')} BY NAME
FROM _earlier.events SELECT ${columnsOf('events')}
UNION ALL BY NAME
FROM staged JOIN placed USING (line)
SELECT event_id, placed.session_id, user_id, event_name, screen_name, recorded_at, uploaded_at, properties`;

/**
 * A screen ends when the next begins or the session ends. Rage gestures are counted per session, so a screen
 * has them only if it is the session's only screen.
 */
const VISITS_SQL = `
INSERT INTO ${given('screen_visits')} BY NAME
WITH entered AS (
  FROM all_events
  SELECT session_id, screen_name, recorded_at, line, event_id
  WINDOW visit AS (PARTITION BY session_id ORDER BY recorded_at, line, event_id)
  QUALIFY coalesce(screen_name <> lag(screen_name IGNORE NULLS) OVER visit, screen_name IS NOT NULL)
), visits AS (
  FROM entered JOIN ${given('sessions')} AS own USING (session_id)
  SELECT
    session_id, own.user_id, own.uploaded_at, own.rage_gesture_count, entered.screen_name, entered.recorded_at,
    own.recorded_at + round(own.duration_sec * 1000)::BIGINT AS ends,
    lead(entered.recorded_at) OVER visit AS next_at,
    row_number() OVER visit = 1 AS is_entry
  WINDOW visit AS (PARTITION BY session_id ORDER BY entered.recorded_at, line, event_id)
)
FROM visits
SELECT
  * EXCLUDE (rage_gesture_count, ends, next_at),
  (coalesce(next_at, ends) - recorded_at) / 1000 AS time_on_screen_sec,
  next_at IS NULL AS is_exit,
  is_entry AND next_at IS NULL AS is_bounce,
  if(is_entry AND next_at IS NULL, rage_gesture_count, NULL) AS visit_rage_gesture_count
UNION ALL BY NAME
FROM _earlier.screen_visits ANTI JOIN derived USING (session_id)
SELECT ${columnsOf('screen_visits')}`;

/** Fills the app's tables from the table `staged` and from the app's existing data, attached as `_earlier`. */
export async function fillFromStaged(connection: DuckDBConnection): Promise<void> {
  await openGiven(connection);
  for (const step of [PLACED_SQL, ALL_EVENTS_SQL, DERIVED_SQL, SESSIONS_SQL, EVENTS_SQL, VISITS_SQL])
    await connection.run(step);
  await settle(connection);
}
