import type { DuckDBConnection } from '@duckdb/node-api';
import { DESCRIPTIONS, FLAGS, LARGEST, QUIET_MS } from '../../../shared/contract/tables.ts';
import { given, openGiven, settle } from '../rows.ts';
import { IMPORTED } from './staging.ts';

/** The order of the events of a session. Those of earlier files have the line 0. */
const IN_ORDER = 'recorded_at, line, event_id';

/** What sessions are derived from. The table stays in the data of the app, for the next file. */
const IMPORTED_SQL = `
CREATE TABLE imported AS
FROM _earlier.imported SELECT * REPLACE (0 AS line)
UNION ALL BY NAME
FROM staged SELECT ${IMPORTED.join(', ')}`;

/**
 * All events with their session. The first user of an id keeps it; for other users it becomes `user:id`. Events without
 * an id get `user-start`, one per stretch of activity.
 */
const PLACED_SQL = `
CREATE TEMP TABLE placed AS
WITH owners AS (
  FROM imported SELECT session_id, min_by(user_id, (${IN_ORDER})) AS owner
  WHERE session_id IS NOT NULL GROUP BY session_id
), spaced AS (
  FROM imported LEFT JOIN owners USING (session_id)
  SELECT *, coalesce(recorded_at - lag(recorded_at) OVER stretch >= ${QUIET_MS}, TRUE) AS opens
  WINDOW stretch AS (PARTITION BY user_id, session_id IS NULL ORDER BY recorded_at)
)
FROM spaced
SELECT * EXCLUDE (session_id, owner, opens), CASE
    WHEN session_id IS NULL THEN user_id || '-' || max(recorded_at) FILTER (opens) OVER stretch
    WHEN user_id = owner THEN session_id
    ELSE user_id || ':' || session_id
  END AS session_id
WINDOW stretch AS (PARTITION BY user_id, session_id IS NULL ORDER BY recorded_at)`;

/** An event enters a screen if the one before it was on another. */
const ENTERS = `coalesce(screen_name <> lag(screen_name IGNORE NULLS) OVER visit, screen_name IS NOT NULL)`;
const VISIT = `visit AS (PARTITION BY session_id ORDER BY ${IN_ORDER})`;

/** Sessions are derived by groups of users of about as many events. DuckDB cannot spill their lists of screens. */
const EVENTS_AT_ONCE = 500_000;

/**
 * The upload time of a session is that of its last uploaded event, because duration, counts and crashes depend on all
 * events. Before that time the events are visible without their session. A later file with older events can move the day
 * on which a user was new.
 */
const SESSIONS_SQL = `
INSERT INTO ${given('sessions')} BY NAME
WITH visited AS (
  FROM placed SELECT *, ${ENTERS} AS enters WHERE hash(user_id) % $batches = $batch WINDOW ${VISIT}
), gathered AS (
  FROM visited
  SELECT
    session_id,
    any_value(user_id) AS user_id,
    min(recorded_at) AS recorded_at,
    max(uploaded_at) AS uploaded_at,
    (max(recorded_at) - min(recorded_at)) / 1000 AS duration_sec,
    count(*) AS event_count,
    coalesce(list(screen_name ORDER BY ${IN_ORDER}) FILTER (enters), []) AS screens,
    arg_min(about, row(recorded_at, line)) AS about,
    ${FLAGS.map((name) => `coalesce(bool_or(${name}), FALSE) AS ${name}`).join(', ')},
    ${LARGEST.map((name) => `coalesce(max(${name}), 0) AS ${name}`).join(', ')}
  GROUP BY session_id
)
FROM gathered
SELECT
  * EXCLUDE (about),
  row_number() OVER (PARTITION BY user_id ORDER BY recorded_at, session_id) AS session_number,
  len(screens) AS screen_count,
  len(list_distinct(screens)) AS unique_screen_count,
  ${DESCRIPTIONS.filter((name) => name !== 'platform' && name !== 'user_properties')
    .map((name) => `about->>'${name}' AS ${name}`)
    .join(', ')},
  coalesce(about->>'platform', 'web') AS platform,
  coalesce(about->'user_properties', '{}'::JSON) AS user_properties`;

const EVENTS_SQL = `
INSERT INTO ${given('events')} BY NAME
WITH named AS (
  FROM _earlier.events SELECT event_id, event_name, properties
  UNION ALL FROM staged SELECT event_id, event_name, properties
)
FROM named JOIN placed USING (event_id)
SELECT event_id, session_id, user_id, event_name, screen_name, recorded_at, uploaded_at, properties`;

/**
 * A screen ends when the next begins or the session ends. Rage gestures are counted per session, so a screen
 * has them only if it is the session's only screen.
 */
const VISITS_SQL = `
INSERT INTO ${given('screen_visits')} BY NAME
WITH entered AS (
  FROM placed SELECT session_id, screen_name, recorded_at, line, event_id WINDOW ${VISIT} QUALIFY ${ENTERS}
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
  if(is_entry AND next_at IS NULL, rage_gesture_count, NULL) AS visit_rage_gesture_count`;

/**
 * Fills the app's tables from the table `staged` and from the app's existing data, attached as `_earlier`. Sessions are
 * derived from all events again, so they are the same wherever the events are split into files.
 */
export async function fillFromStaged(connection: DuckDBConnection): Promise<void> {
  await openGiven(connection);
  for (const step of [IMPORTED_SQL, PLACED_SQL]) await connection.run(step);
  const [[events] = []] = (await connection.runAndReadAll('FROM placed SELECT count(*)')).getRowsJS();
  const batches = Math.ceil(Number(events) / EVENTS_AT_ONCE);
  for (let batch = 0; batch < batches; batch++) await connection.run(SESSIONS_SQL, { batches, batch });
  for (const step of [EVENTS_SQL, VISITS_SQL]) await connection.run(step);
  await settle(connection);
}
