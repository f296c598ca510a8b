import { setImmediate } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { exists, replaceText } from '../../files.ts';
import { appPaths, replaceAppFile, settingsOf } from '../app-file.ts';
import { type RowBatch, writeRows } from '../rows.ts';
import { DEMO_ZONE } from './calendar.ts';
import { type DemoSpan, generateDemo } from './generate.ts';
import { type Incident, incidentsBetween, writtenIncident } from './incidents.ts';

export interface DemoAppOptions extends DemoSpan {
  dir: string;
  app: string;
  /** `step` describes the current work. */
  onProgress?: (progress: { step: string; days: number; ofDays: number }) => void;
}

export interface DemoReport {
  sessions: number;
  events: number;
  users: number;
  newUsers: number;
  incidents: Incident[];
}

/**
 * Writes the demo data, the list of its incidents and, if the app has none, its settings.
 *
 * Throws `ConfigError` if the app has imported data, `ConflictError` while another process writes it, and
 * `InvalidRequestError` for an invalid app id or span.
 */
export async function writeDemoApp(options: DemoAppOptions): Promise<DemoReport> {
  const { dir, app, seed, from, until, onProgress } = options;
  const paths = appPaths(dir, app);
  const settings = settingsOf({ id: app, name: 'Demo shop', zone: DEMO_ZONE });
  if ((await exists(paths.data)) && !(await exists(paths.incidents)))
    throw new ConfigError(
      `App ${app} in ${dir} holds data that was not generated; use another --app for the demo`,
    );

  const incidents = incidentsBetween(seed, from, until);
  const ofDays = Math.ceil((until - from) / DAY_MS);
  const counts = await replaceAppFile(dir, settings, async (connection) => {
    await writeRows(connection, withProgress(generateDemo({ seed, from, until })));
    await replaceText(paths.incidents, `${JSON.stringify(incidents.map(writtenIncident), null, 2)}\n`);
    return countsIn(connection);
  });
  return { ...counts, incidents };

  /** Yields to the event loop between days, so that requests and signals are handled. */
  async function* withProgress(batches: Iterable<RowBatch>) {
    let days = 0;
    for (const batch of batches) {
      yield batch;
      days += 1;
      onProgress?.({ step: 'Writing the demo shop', days: Math.min(days, ofDays), ofDays });
      await setImmediate();
    }
    onProgress?.({ step: 'Sorting the demo shop', days: ofDays, ofDays });
  }
}

async function countsIn(connection: DuckDBConnection): Promise<Omit<DemoReport, 'incidents'>> {
  const counts = await connection.runAndReadAll(`
    FROM sessions
    SELECT count(*)::DOUBLE, (FROM events SELECT count(*))::DOUBLE, count(DISTINCT user_id)::DOUBLE,
      count(*) FILTER (session_number = 1)::DOUBLE`);
  const [sessions = 0, events = 0, users = 0, newUsers = 0] = (counts.getRowsJS()[0] ?? []).map(Number);
  return { sessions, events, users, newUsers };
}
