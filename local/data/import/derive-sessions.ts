import type { DuckDBConnection } from '@duckdb/node-api';
import { COUNTS, DESCRIPTIONS, FLAGS } from './fields.ts';

/** A user who is quiet for this long begins a new session with the next event. */
const QUIET = "INTERVAL '30 minutes'";

/**
 * The session of each staged row. Rows without one get one per user and stretch of activity, named after the user and
 * its beginning. `enters` marks the rows with which the session comes to another screen.
 */
const PLACED_SQL = `
CREATE TEMP TABLE placed AS
WITH spaced AS (
  FROM staged
  SELECT
    line, user_id, session_id, screen_name, recorded_at,
    coalesce(recorded_at - lag(recorded_at) OVER loose >= ${QUIET}, TRUE) AS opens
  WINDOW loose AS (PARTITION BY user_id, session_id IS NULL ORDER BY recorded_at, line)
), named AS (
  FROM spaced
  SELECT
    line, screen_name, recorded_at,
    coalesce(session_id, user_id || '-' || epoch_ms(max(recorded_at) FILTER (opens) OVER loose)) AS session_id
  WINDOW loose AS (PARTITION BY user_id, session_id IS NULL ORDER BY recorded_at, line)
)
FROM named
SELECT
  line, session_id,
  coalesce(screen_name <> lag(screen_name IGNORE NULLS) OVER visit, screen_name IS NOT NULL) AS enters
WINDOW visit AS (PARTITION BY session_id ORDER BY recorded_at, line)`;

/** A session counts as uploaded with its first event, so that no event is shown without its session. */
const DERIVED_SQL = `
CREATE TEMP TABLE derived AS
WITH gathered AS (
  FROM staged JOIN placed USING (line)
  SELECT
    placed.session_id,
    arg_min(user_id, row(recorded_at, line)) AS user_id,
    min(recorded_at) AS recorded_at,
    min(uploaded_at) AS uploaded_at,
    epoch_ms(max(recorded_at)) - epoch_ms(min(recorded_at)) AS duration_ms,
    count(*) AS event_count,
    coalesce(list(screen_name ORDER BY recorded_at, line) FILTER (enters), []) AS screens,
    arg_min(about, row(recorded_at, line)) AS about,
    ${FLAGS.map((name) => `coalesce(bool_or(${name}), FALSE) AS ${name}`).join(', ')},
    ${COUNTS.map((name) => `coalesce(max(${name}), 0) AS ${name}`).join(', ')}
  GROUP BY placed.session_id
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

/** Sessions that the app had keep what they were and grow by what the file adds; new ones are numbered on. */
const SESSIONS_SQL = `
INSERT INTO sessions BY NAME
WITH extended AS (
  FROM _earlier.sessions AS old LEFT JOIN derived AS more USING (session_id)
  SELECT old.* REPLACE (
    least(old.recorded_at, more.recorded_at) AS recorded_at,
    least(old.uploaded_at, more.uploaded_at) AS uploaded_at,
    greatest(
      old.duration_sec + date_sub('millisecond', least(old.recorded_at, more.recorded_at), old.recorded_at) / 1000,
      more.duration_sec + date_sub('millisecond', least(old.recorded_at, more.recorded_at), more.recorded_at) / 1000
    ) AS duration_sec,
    old.event_count + coalesce(more.event_count, 0) AS event_count,
    list_concat(old.screens, more.screens) AS screens,
    old.screen_count + coalesce(more.screen_count, 0) AS screen_count,
    greatest(old.unique_screen_count, len(list_distinct(list_concat(old.screens, more.screens)))) AS unique_screen_count,
    ${FLAGS.map((name) => `old.${name} OR coalesce(more.${name}, FALSE) AS ${name}`).join(', ')},
    ${COUNTS.map((name) => `greatest(old.${name}, more.${name}) AS ${name}`).join(', ')}
  )
), added AS (
  FROM derived
  LEFT JOIN (FROM _earlier.sessions SELECT user_id, max(session_number) AS sessions_before GROUP BY user_id) USING (user_id)
  SELECT
    derived.*,
    coalesce(sessions_before, 0)
      + row_number() OVER (PARTITION BY user_id ORDER BY recorded_at, session_id) AS session_number
  WHERE session_id NOT IN (FROM _earlier.sessions SELECT session_id)
)
FROM extended UNION ALL BY NAME FROM added
ORDER BY recorded_at, session_id`;

const EVENTS_SQL = `
INSERT INTO events BY NAME
FROM _earlier.events
UNION ALL BY NAME
FROM staged JOIN placed USING (line)
SELECT event_id, placed.session_id, user_id, event_name, screen_name, recorded_at, uploaded_at, properties
ORDER BY recorded_at, event_id`;

/** Fills the tables of `connection` from its staged rows and from the app's rows so far, attached as `_earlier`. */
export async function fillFromStaged(connection: DuckDBConnection): Promise<void> {
  for (const step of [PLACED_SQL, DERIVED_SQL, SESSIONS_SQL, EVENTS_SQL]) await connection.run(step);
}
