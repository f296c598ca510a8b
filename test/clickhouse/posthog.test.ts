import fc from 'fast-check';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { DESCRIPTIONS } from '../../shared/contract/tables.ts';
import { everythingIn } from '../fixtures/everything-in.ts';
import { NOW, type Sample, sample } from '../functions/data-access/sample-app.ts';
import {
  COLUMNS,
  importPlain,
  type PlainEvent,
  plainEvents,
} from '../functions/data-access/tables/plain-events.ts';
import { comparable, listsAbout } from '../functions/data-access/tables/same-answers.ts';
import { randomWorld } from '../oracle/random-world.ts';
import { KEY, type PostHogEvent, type PostHogInput, postHogProject } from './posthog-project.ts';

const server = inject('clickhouse');

let opened: Sample[] = [];
afterEach(async () => {
  for (const each of opened) await each.close();
  opened = [];
});
async function serve(events: readonly PostHogEvent[], given?: PostHogInput, parity?: 0 | 1): Promise<Sample> {
  const project = await postHogProject(server, events, parity);
  const service = await sample({ zone: 'Europe/Berlin', service: { apps: await project.open(given) } });
  opened.push(service);
  return service;
}

/** A session id of PostHog is of one day. */
const ofDay = (event: PlainEvent): PlainEvent => ({
  ...event,
  visit: event.visit && `${event.visit}-${String(event.ts).slice(0, 10)}`,
});

/** The event of a team in PostHog. What describes sessions is in the properties of the person. */
const stored = ({ uuid, type, customer, visit, page, ts, payload, ...about }: PlainEvent): PostHogEvent => ({
  timestamp: String(ts),
  event: String(type),
  distinct_id: String(customer),
  $session_id: visit === null ? '' : String(visit),
  elements_chain: String(uuid),
  properties: Object(payload),
  person_properties: { page, ...about },
});
const ofPerson = (name: string) => ({ sql: `nullIf(JSONExtractString(person.properties, '${name}'), '')` });
const {
  did_crash: _,
  taps: __,
  angry_taps: ___,
  ...TEXTS
} = Object.fromEntries(Object.entries(COLUMNS).map(([field, column]) => [column, field]));
const MAPPED = {
  ...Object.fromEntries(
    ['os', 'release', 'town', 'campaign', 'landing', 'login', 'page'].map((name) => [
      TEXTS[name],
      ofPerson(name),
    ]),
  ),
  user_id: 'distinct_id',
  event_id: 'elements_chain',
  uploaded_at: 'timestamp',
  crashed: { sql: "toBool(JSONExtractBool(person.properties, 'did_crash'))" },
  gesture_count: { sql: "JSONExtractInt(person.properties, 'taps')" },
  rage_gesture_count: { sql: "JSONExtractInt(person.properties, 'angry_taps')" },
};
/** The others that describe a session are not in the import. */
const WITHOUT = Object.fromEntries(
  DESCRIPTIONS.filter((name) => name !== 'user_properties').map((name) => [name, { sql: 'null' }]),
);

describe.each([
  { name: 'a comparison with NULL is false', parity: 1 as const },
  { name: 'a comparison with NULL is NULL', parity: 0 as const },
])('where $name', ({ parity }) => {
  test(
    'the events of a project give the answers of an import',
    async () => {
      const SEED = 20_261_127 + parity;
      const zone = 'Europe/Berlin';
      const world = randomWorld(SEED, zone, NOW);
      const events = plainEvents(world).map(ofDay);
      const imported = await sample({ zone });
      opened.push(imported);
      await importPlain(events, { dir: imported.directory, zone });
      const columns = { ...WITHOUT, ...MAPPED };
      const mapped = await serve(events.map(stored), { apps: { shop: { zone, columns } } }, parity);
      let rows = 0;
      await fc.assert(
        fc.asyncProperty(listsAbout(world), async ([path, request]) => {
          const ask = (shop: Sample) => shop.post(`/api/data-access/v1/${path}`, { ...request });
          const [expected, answered] = await Promise.all([ask(imported), ask(mapped)]);
          expect(comparable(answered)).toEqual(comparable(expected));
          rows += expected.body.data?.length ?? 0;
        }),
        { numRuns: 5, seed: SEED },
      );
      expect(rows).toBeGreaterThan(10);
    },
    10 * 60_000,
  );
});

const WEB = { $lib: 'web', $os: 'Mac OS X', $browser: 'Chrome', $pathname: '/cart' };
const IOS = { $lib: 'posthog-ios', $os: 'iOS', $app_version: '5.10', $screen_name: 'Cart' };
const PERSON = '0190aaaa-0000-7000-8000-000000000001';
const OTHER = '0190aaaa-0000-7000-8000-000000000002';
const DAY = [
  {
    timestamp: '2026-04-01T08:00:00Z',
    properties: { ...WEB, $geoip_country_name: 'Japan', price: 20 },
    person_id: PERSON,
    $session_id: 's1',
    distinct_id: 'a',
  },
  {
    timestamp: '2026-04-01T08:20:00Z',
    properties: { ...WEB, $pathname: '/paid' },
    person_id: PERSON,
    $session_id: 's1',
    distinct_id: 'b',
  },
  {
    timestamp: '2026-04-01T09:00:00Z',
    properties: { ...IOS, price: 30.5 },
    person_id: OTHER,
    $session_id: 's2',
  },
  {
    timestamp: '2026-04-01T09:30:00Z',
    properties: { $lib: 'posthog-python', $os: 'Linux' },
    person_id: OTHER,
    event: 'refund',
  },
];
const ON_DAY = {
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower: '2026-04-01', upper: '2026-04-01' },
};

test.each([
  {
    name: 'platforms',
    path: 'event/analytics',
    ask: { group_by: [{ attribute: 'device_platform' }], aggregation: [{ attribute: 'event_count' }] },
    rows: [
      { device_platform: 'web', event_count: 2 },
      { device_platform: 'ios', event_count: 1 },
      { device_platform: 'linux', event_count: 1 },
    ],
  },
  {
    name: 'versions as texts',
    path: 'session/analytics',
    ask: { group_by: [{ attribute: 'app_version' }], aggregation: [{ attribute: 'session_count' }] },
    rows: [
      { app_version: null, session_count: 2 },
      { app_version: '5.10', session_count: 1 },
    ],
  },
  {
    name: 'persons, their sessions and a property',
    path: 'event/analytics',
    ask: {
      aggregation: [
        { attribute: 'event_unique_user_count' },
        { attribute: 'event_unique_session_count' },
        { attribute: 'event_custom_property', property_name: 'price', operator: 'sum' },
      ],
    },
    rows: [
      { event_unique_user_count: 2, event_unique_session_count: 3, sum_event_custom_property_price: 50.5 },
    ],
  },
  {
    name: 'screens of the web and of apps',
    path: 'screen/analytics',
    ask: { group_by: [{ attribute: 'screen_name' }], aggregation: [{ attribute: 'screen_visits' }] },
    rows: ['/cart', '/paid', 'Cart'].map((screen_name) => ({ screen_name, screen_visits: 1 })),
  },
  {
    name: 'a country and a month',
    path: 'session/analytics',
    ask: {
      group_by: [{ attribute: 'device_country' }, { attribute: 'session_uploaded_month' }],
      aggregation: [{ attribute: 'session_duration', operator: 'p95' }],
    },
    rows: [
      { device_country: 'Japan', session_uploaded_month: '2026-04', p95_session_duration: 1200 },
      { device_country: null, session_uploaded_month: '2026-04', p95_session_duration: 0 },
    ],
  },
])('the default columns give $name', async ({ path, ask, rows }) => {
  const service = await serve(DAY);
  const { body } = await service.post(`/api/data-access/v1/${path}`, {
    app_id: 'shop',
    filters: [ON_DAY],
    ...ask,
  });
  expect(body.error).toBeUndefined();
  expect(body.data).toEqual(rows);
});

describe('what PostHog refuses is said, without the key and without SQL', () => {
  const failureOf = async (given: PostHogInput) => {
    const project = await postHogProject(server, DAY);
    return project.open(given).then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  test.each<{ name: string; given: PostHogInput; says: RegExp }>([
    {
      name: 'a function that is not permitted',
      given: { apps: { shop: { columns: { platform: { sql: 'sleep(1)' } } } } },
      says: /apps\.shop\.events\.columns\.platform: PostHog cannot read the expression: Unsupported function call 'sleep/,
    },
    {
      name: 'an unknown column',
      given: { apps: { shop: { columns: { user_id: 'distinkt_id' } } } },
      says: /events has no column "distinkt_id"; did you mean "distinct_id"\?/,
    },
    {
      name: 'another server',
      given: { host: 'http://127.0.0.1:65534' },
      says: /PostHog cannot be reached \(ECONNREFUSED\)/,
    },
  ])('$name', async ({ given, says }) => {
    const failure = await failureOf(given);
    expect(String(failure)).toMatch(says);
    expect(everythingIn(failure)).not.toContain(KEY);
  });
});
