import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { createHttpMetricSource } from '../../shared/source/metric-source.ts';
import { postHogProject } from '../clickhouse/posthog-project.ts';
import { createFakeMetricSource, type Fact } from '../fakes/fake-metric-source.ts';
import { event, KEY, sample, session } from '../functions/data-access/sample-app.ts';
import { clickhouse, DATABASES, type Database, postgres } from '../functions/data-access/tables/databases.ts';

/** An event in a session of its own. */
interface Happened {
  at: string;
  name: string;
  platform: 'android' | 'ios';
}

const HAPPENED: Happened[] = [
  { at: '2026-04-01T08:59:59Z', name: 'purchase', platform: 'ios' },
  { at: '2026-04-01T09:00:00Z', name: 'purchase', platform: 'ios' },
  { at: '2026-04-01T09:59:59Z', name: 'purchase', platform: 'android' },
  { at: '2026-04-01T09:30:00Z', name: 'refund', platform: 'android' },
  { at: '2026-04-01T10:00:00Z', name: 'purchase', platform: 'ios' },
  { at: '2026-04-01T10:59:59Z', name: 'search', platform: 'ios' },
  { at: '2026-04-01T11:00:00Z', name: 'search', platform: 'ios' },
];

interface Opened extends AsyncDisposable {
  source: MetricSource;
}

interface Source {
  name: string;
  open: (happened?: Happened[]) => Promise<Opened>;
  /** How long each session is; by default a minute. */
  seconds?: number;
}

/** Every implementation, over these events by default. */
export const SOURCES: readonly Source[] = [
  { name: 'the fake', open: openFake },
  { name: 'the service', open: (happened) => openService(false, happened) },
  { name: 'the service with comparison of bodies', open: (happened) => openService(true, happened) },
  ...DATABASES.map(({ name, start }) => {
    const starting = name === 'PostgreSQL' ? sharedPostgres : start;
    return { name: `tables in ${name}`, open: sharing((happened) => openTables(starting, happened)) };
  }),
  ...(clickhouse ? [{ name: 'PostHog', open: sharing(openPostHog), seconds: 0 }] : []),
];

/** Tests of the same events share tables, which take long to write. */
function sharing(
  open: (happened?: Happened[]) => Promise<Opened>,
): (happened?: Happened[]) => Promise<Opened> {
  let usual: Promise<Opened> | undefined;
  return async (happened) => {
    if (happened) return open(happened);
    if (!usual) {
      usual = open();
      shared.push(usual);
    }
    return { source: (await usual).source, [Symbol.asyncDispose]: async () => {} };
  };
}

/** What `closeSources` closes. */
const shared: Promise<AsyncDisposable>[] = [];

let database: Promise<Database> | undefined;
/** Starting PostgreSQL takes seconds, so all tests share it. */
async function sharedPostgres(): Promise<Database> {
  database ??= postgres();
  return { ...(await database), close: async () => {} };
}

/** Closes what tests share. Call it after all tests. */
export async function closeSources(): Promise<void> {
  for (const each of shared) await (await each)[Symbol.asyncDispose]();
  await (await database)?.close();
}

async function openFake(happened = HAPPENED): Promise<Opened> {
  const facts = happened.flatMap(({ at, name, platform }): Fact[] => [
    {
      endpoint: 'event',
      at: Date.parse(at),
      attributes: { event_name: name, device_platform: platform, event_custom_property: '60' },
      figures: { event_count: 1, avg_event_custom_property_seconds: 60 },
    },
    {
      endpoint: 'session',
      at: Date.parse(at),
      attributes: { device_platform: platform },
      figures: { session_count: 1, avg_session_duration: 60 },
    },
    {
      endpoint: 'user',
      at: Date.parse(at),
      attributes: { device_platform: platform },
      figures: { user_count: 1 },
    },
  ]);
  return { source: createFakeMetricSource(facts, 'Europe/Berlin'), [Symbol.asyncDispose]: async () => {} };
}

let schemas = 0;

/** The rows of the service, in tables with other names. */
async function openTables(start: () => Promise<Database>, happened = HAPPENED): Promise<Opened> {
  const database = await start();
  const schema = `contract${schemas++}`;
  const rows = happened.map(({ at, name, platform }, i) => ({
    ...{ id: `e${i}`, customer: `u${i}`, visit: `s${i}` },
    ...{ ts: at, type: name, os: platform, seconds: 60 },
  }));
  const text = { type: 'text', customer: 'text', visit: 'text' };
  await database.run(`create schema ${schema}`);
  await database.create(`${schema}.log`, { id: 'text', ts: 'timestamp', ...text, seconds: 'integer' }, rows);
  await database.create(
    `${schema}.visits`,
    { visit: 'text', customer: 'text', ts: 'timestamp', os: 'text', seconds: 'integer' },
    rows,
  );
  const keys = { session_id: 'visit', user_id: 'customer', recorded_at: 'ts' };
  const apps = await database.open({
    shop: {
      zone: 'Europe/Berlin',
      events: {
        table: `${schema}.log`,
        columns: { ...keys, event_name: 'type', event_id: 'id', properties: { seconds: 'seconds' } },
      },
      sessions: { table: `${schema}.visits`, columns: { ...keys, platform: 'os', duration_sec: 'seconds' } },
    },
  });
  const service = await sample({ service: { apps } });
  return {
    source: createHttpMetricSource({ ...options(service), supportsBodyComparison: true }),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await database.close();
    },
  };
}

async function openPostHog(happened = HAPPENED): Promise<Opened> {
  if (!clickhouse) throw new Error('no ClickHouse');
  const events = happened.map(({ at, name, platform }, i) => ({
    ...{ timestamp: at, event: name, distinct_id: `u${i}`, $session_id: `s${i}` },
    properties: { $os: platform, seconds: 60 },
  }));
  const project = await postHogProject(clickhouse, events);
  const service = await sample({ service: { apps: await project.open() } });
  return {
    source: createHttpMetricSource({ ...options(service), supportsBodyComparison: true }),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

async function openService(supportsBodyComparison: boolean, happened = HAPPENED): Promise<Opened> {
  const sessions = happened.map(({ at, platform }) => session({ recorded_at: at, platform }));
  const events = happened.map(({ name }, i) =>
    event(sessions[i] ?? {}, { event_name: name, properties: { seconds: 60 } }),
  );
  const service = await sample({ sessions, events });
  return {
    source: createHttpMetricSource({ ...options(service), supportsBodyComparison }),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

/** The options of a client of this service. */
export function options({ app, clock }: Awaited<ReturnType<typeof sample>>) {
  return {
    baseUrl: 'http://data-access.test',
    apiKey: KEY,
    clock,
    fetch: (url: string, init: RequestInit) => app.request(url, init),
    budget: { takeCalls: () => true },
  };
}
