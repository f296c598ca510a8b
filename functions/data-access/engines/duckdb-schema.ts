/**
 * The tables of one app's DuckDB file (`<data dir>/<app id>.duckdb`).
 *
 * All times are UTC `TIMESTAMP`s. `recorded_at` is when it happened on the device (for a session: when it
 * began), `uploaded_at` when the service received it; nothing uploaded after the service's clock is shown.
 * A session is uploaded with the last of its events. `session_number` 1 marks the session that made its user new.
 * Users are not stored: they are what their sessions say of them, the latest session being their snapshot.
 */
export const SCHEMA_SQL = `
CREATE TABLE sessions (
  session_id VARCHAR NOT NULL,
  user_id VARCHAR NOT NULL,
  user_name VARCHAR,
  session_number INTEGER NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  uploaded_at TIMESTAMP NOT NULL,
  duration_sec DOUBLE NOT NULL,
  gesture_count INTEGER NOT NULL,
  rage_gesture_count INTEGER NOT NULL,
  responsive_gesture_count INTEGER NOT NULL,
  unresponsive_gesture_count INTEGER NOT NULL,
  screen_count INTEGER NOT NULL,
  unique_screen_count INTEGER NOT NULL,
  screens VARCHAR[] NOT NULL,
  event_count INTEGER NOT NULL,
  crashed BOOLEAN NOT NULL,
  has_video BOOLEAN NOT NULL,
  offline BOOLEAN NOT NULL,
  network_type VARCHAR,
  platform VARCHAR NOT NULL,
  device_id VARCHAR,
  device_model VARCHAR,
  device_manufacturer VARCHAR,
  device_class VARCHAR,
  os_name VARCHAR,
  os_version VARCHAR,
  app_version VARCHAR,
  sdk_version VARCHAR,
  language VARCHAR,
  country_code VARCHAR,
  country VARCHAR,
  city VARCHAR,
  browser_name VARCHAR,
  browser_version VARCHAR,
  device_type VARCHAR,
  referer VARCHAR,
  referer_domain VARCHAR,
  utm VARCHAR,
  landing_page VARCHAR,
  user_properties JSON NOT NULL
);
CREATE TABLE events (
  event_id VARCHAR NOT NULL,
  session_id VARCHAR NOT NULL,
  user_id VARCHAR NOT NULL,
  event_name VARCHAR NOT NULL,
  screen_name VARCHAR,
  recorded_at TIMESTAMP NOT NULL,
  uploaded_at TIMESTAMP NOT NULL,
  properties JSON NOT NULL
);
`;
