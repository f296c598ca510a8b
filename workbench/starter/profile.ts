import type { DuckDBConnection } from '@duckdb/node-api';
import { appPaths } from '../../local/data/app-file.ts';
import { inDuckDb } from '../../local/data/duckdb.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { requirePackages } from '../../shared/runtime/optional-packages.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { frequentValues, DAYS as LISTED_DAYS } from '../live-check/known-values.ts';

/** An event of an app, over the profiled days. */
export interface ProfiledEvent {
  name: string;
  perDay: number;
  /** Sessions with it per day. */
  sessionsPerDay: number;
  /** The rarest event that nearly all of its sessions have before it; absent without one. */
  parent?: string;
}

/** A number that events carry, such as a duration. */
interface ProfiledNumber {
  event: string;
  property: string;
  perDay: number;
}

/** What an app's recent data looks like. */
export interface AppProfile {
  sessionsPerDay: number;
  /** Whether it was without events for hours more than twice, as at night or on weekends. */
  isOftenSilent: boolean;
  /** Most frequent first. */
  events: ProfiledEvent[];
  numbers: ProfiledNumber[];
  /** Values with at least `LEAST_OF_SEGMENT` sessions a day. */
  countries: string[];
  /** Versions with at least `LEAST_OF_SEGMENT` sessions on one day. */
  versions: string[];
}

/** Days of a file that are profiled. */
const DAYS = 28;
/** The events of a session are compared for these many events. */
const MOST_EVENTS = 40;
/** Of the sessions with an event, the share that has its parent before it. */
const NEARLY_ALL = 0.9;
/** Sessions a day from which a segment is watched. */
const LEAST_OF_SEGMENT = 30;
const SILENCE_MS = 6 * HOUR_MS;
/** Profiles an imported app, in the days before `until`. Reads the file for what its service cannot answer. */
export async function profileOf(
  source: NumberSource,
  { dataDir, app, until }: { dataDir: string; app: string; until: number },
): Promise<AppProfile> {
  requirePackages('@duckdb/node-api');
  const profile = async (connection: DuckDBConnection): Promise<AppProfile> => {
    const from = until - DAYS * DAY_MS;
    const rows = async <Row>(sql: string): Promise<Row[]> => {
      const found = await connection.runAndReadAll(sql);
      return found.getRowObjectsJS() as Row[];
    };
    const recent = `recorded_at >= ${from} AND recorded_at < ${until}`;
    const [whole] = await rows<{ sessions: bigint; first: bigint | null }>(
      `FROM sessions SELECT count(*) AS sessions, min(recorded_at) AS first WHERE ${recent}`,
    );
    const days = Math.max(1, (until - Number(whole?.first ?? from)) / DAY_MS);
    const events = await rows<{ name: string; events: bigint; sessions: bigint }>(`
      FROM events SELECT event_name AS name, count(*) AS events, count(DISTINCT session_id) AS sessions
      WHERE ${recent} GROUP BY ALL ORDER BY sessions DESC, name LIMIT ${MOST_EVENTS}`);
    const parents = await rows<{ name: string; parent: string }>(`
      WITH firsts AS (
        FROM events SELECT session_id, event_name, min(recorded_at) AS at WHERE ${recent} GROUP BY ALL
      ), sizes AS (FROM firsts SELECT event_name, count(*) AS sessions GROUP BY ALL)
      FROM firsts AS own
        JOIN firsts AS before ON before.session_id = own.session_id AND before.at < own.at
        JOIN sizes ON sizes.event_name = own.event_name
        JOIN sizes AS larger ON larger.event_name = before.event_name
      SELECT own.event_name AS name, before.event_name AS parent
      GROUP BY own.event_name, before.event_name, sizes.sessions, larger.sessions
      HAVING count(*) >= ${NEARLY_ALL} * sizes.sessions AND larger.sessions > sizes.sessions
      ORDER BY name, larger.sessions, parent`);
    const [silence] = await rows<{ ms: bigint | null }>(`
      WITH gaps AS (
        FROM events SELECT recorded_at - lag(recorded_at) OVER (ORDER BY recorded_at) AS ms WHERE ${recent}
      )
      FROM gaps SELECT ms ORDER BY ms DESC NULLS LAST LIMIT 1 OFFSET 2`);
    const segments = (column: string, least: string) =>
      rows<{ name: string }>(`
        WITH daily AS (
          FROM sessions SELECT ${column} AS name, recorded_at // ${DAY_MS} AS day, count(*) AS sessions
          WHERE ${recent} AND ${column} IS NOT NULL GROUP BY ALL
        )
        FROM daily SELECT name
        GROUP BY ALL HAVING ${least} >= ${LEAST_OF_SEGMENT} ORDER BY sum(sessions) DESC, name`);
    const countries = await segments('country', `sum(sessions) / ${days}`);
    const versions = await segments('app_version', 'max(sessions)');
    const parentOf = new Map(parents.toReversed().map(({ name, parent }) => [name, parent]));
    return {
      sessionsPerDay: Number(whole?.sessions ?? 0) / days,
      isOftenSilent: Number(silence?.ms ?? 0) >= SILENCE_MS,
      events: events.map(({ name, events: count, sessions }) => {
        const parent = parentOf.get(name);
        return {
          ...{ name, perDay: Number(count) / days, sessionsPerDay: Number(sessions) / days },
          ...(parent !== undefined && { parent }),
        };
      }),
      numbers: await numbersOf(source, app, days),
      countries: countries.map(({ name }) => name),
      versions: versions.map(({ name }) => name),
    };
  };
  return inDuckDb(profile, appPaths(dataDir, app).data, { access_mode: 'READ_ONLY' });
}

type NumberSource = Pick<MetricSource, 'readCatalogue'>;

/** The numbers of most events first; none if the service does not list them. Throws `UpstreamError` if it may do so later. */
async function numbersOf(source: NumberSource, app: string, days: number): Promise<ProfiledNumber[]> {
  const read = await source.readCatalogue?.(app);
  if (read?.kind === 'failed' && read.retryable) throw new UpstreamError(read.reason, { retryable: true });
  if (read?.kind !== 'read') return [];
  return read.value
    .flatMap(({ event_name: event, event_count: count, properties }) =>
      properties
        .filter(({ types }) => types.includes('number'))
        .map(({ property_name: property, share }) => ({ event, property, perDay: (share * count) / days })),
    )
    .sort((a, b) => b.perDay - a.perDay);
}

/** Profiles an app of a service. Its answers do not tell the order of events. */
export async function profileFrom(
  source: Pick<MetricSource, 'read' | 'readCatalogue'>,
  { app, zone, until }: { app: string; zone: string; until: number },
): Promise<AppProfile> {
  const daily = (attribute: 'event_name' | 'device_country' | 'app_version') =>
    frequentValues(source, { app, attribute, zone }, until);
  const events = await daily('event_name');
  const countries = await daily('device_country');
  const versions = await daily('app_version');
  const large = (segments: typeof countries) =>
    segments.filter(({ name, perDay }) => name !== '' && perDay >= LEAST_OF_SEGMENT).map(({ name }) => name);
  return {
    isOftenSilent: false,
    sessionsPerDay: countries.reduce((sum, { perDay }) => sum + perDay, 0),
    events: events.map((event) => ({ ...event, sessionsPerDay: event.perDay })),
    numbers: await numbersOf(source, app, LISTED_DAYS),
    ...{ countries: large(countries), versions: large(versions) },
  };
}
