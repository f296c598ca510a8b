import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Apps, appsIn } from '../../../functions/data-access/apps/apps.ts';
import { recallingCounts } from '../../../local/replay/recalled-counts.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import {
  event,
  NOW,
  range,
  type SampleOptions,
  sample,
  session,
} from '../../functions/data-access/sample-app.ts';
import { rowsOf } from '../../oracle/agreement.ts';
import { requestsAbout } from '../../oracle/random-requests.ts';
import { randomWorld } from '../../oracle/random-world.ts';

const SEED = 20_261_124;

let closing: (() => unknown)[];
beforeEach(() => {
  closing = [];
});
afterEach(() => Promise.all(closing.map((close) => close())));

/** The service at any time, without and with recalled counts. */
async function open(options: SampleOptions) {
  let now = NOW;
  const clock = { now: () => now };
  const service = await sample({ ...options, service: { clock } });
  let queries = 0;
  const apps = appsIn(service.directory);
  const counting: Apps = {
    ...apps,
    withApp: (request, use) =>
      apps.withApp(request, ({ engine, ...app }) => {
        const answer: typeof engine.answer = (...asked) => {
          queries += 1;
          return engine.answer(...asked);
        };
        return use({ ...app, engine: { ...engine, answer } });
      }),
  };
  const recalling = await sample({ ...options, service: { apps: recallingCounts(counting), clock } });
  closing.push(async () => {
    apps.close();
    await Promise.all([service.close(), recalling.close()]);
  });
  return {
    /** Both answers, and the number of queries for the second one. */
    async ask(resource: 'event' | 'session', request: object, at: number) {
      now = at;
      const path = `/v2/${resource}/analytics`;
      const asked = await service.get(path, { ...request });
      queries = 0;
      const recalled = await recalling.get(path, { ...request });
      return { asked: asked.body, recalled: recalled.body, queries };
    },
  };
}

const KEYS = ['device_platform', 'app_version', 'device_country', 'device_city', 'session_crashed'];
const SEEN = {
  device_platform: 'ios',
  app_version: '1.10',
  device_country: 'Germany',
  device_city: 'others',
};

/** Questions about counts, in which sometimes a detail cannot be recalled. */
function countsOf(resource: 'event' | 'session') {
  const ofSessions = [
    ['session_count'],
    ['session_count'],
    ['session_count'],
    ['session_count', 'session_unique_user_count'],
  ];
  const metrics = resource === 'event' ? [['event_count']] : ofSessions;
  const groups = [...KEYS, 'event_name'].filter((key) => resource === 'event' || key !== 'event_name');
  const buckets = ['hour', 'day'].map((unit) => `${resource}_uploadedon_${unit}`);
  const filters = [...Object.entries(SEEN), ['event_name', 'open'] as const];
  return fc
    .record({
      aggregation: fc.constantFrom(...metrics),
      group_by: fc.uniqueArray(fc.constantFrom(...groups, ...buckets, ...buckets), { maxLength: 2 }),
      filters: fc.array(
        fc.constantFrom(...filters).chain(([attribute, value]) =>
          fc.record({
            attribute: fc.constant(attribute),
            operator: fc.constantFrom('equal', 'not_equal'),
            value: fc.constant(value),
          }),
        ),
        { maxLength: 2 },
      ),
      from: fc.integer({ min: 2, max: 24 * 12 }),
      length: fc.integer({ min: 1, max: 24 * 7 }),
      edge: fc.constantFrom(0, 0, 0, 0, 0, 30 * 60_000),
      comparison: fc.constantFrom(0, 1),
    })
    .map(({ from, length, edge, aggregation, group_by, filters: listed, comparison }) => {
      const start = NOW - from * HOUR_MS + edge;
      const window = range(new Date(start).toISOString(), new Date(start + length * HOUR_MS).toISOString());
      return {
        aggregation: aggregation.map((attribute) => ({ attribute })),
        group_by: group_by.map((attribute) => ({ attribute })),
        filters: [...listed, window],
        comparison,
      };
    });
}

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
  'recalled counts are the answers of the service at any time in %s',
  async (zone) => {
    const world = randomWorld(SEED, zone, NOW);
    const shop = await open({ zone, ...rowsOf(world) });
    let recalledOnly = 0;
    const questionsOn = (resource: 'event' | 'session') =>
      fc.record({
        resource: fc.constant(resource),
        request: fc.oneof(
          { arbitrary: countsOf(resource), weight: 7 },
          { arbitrary: requestsAbout(world).analytics(resource), weight: 1 },
        ),
        // Uploads take up to four days. Some windows have not ended at the earliest of these times.
        times: fc.array(fc.integer({ min: -4 * DAY_MS, max: 4 * DAY_MS }), { minLength: 6, maxLength: 6 }),
      });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(questionsOn('event'), questionsOn('session')),
        async ({ resource, request, times }) => {
          for (const time of times) {
            const { asked, recalled, queries } = await shop.ask(resource, request, NOW + time);
            expect(recalled).toEqual(asked);
            if (queries === 0) recalledOnly += 1;
          }
        },
      ),
      { numRuns: 20, seed: SEED },
    );
    expect(recalledOnly).toBeGreaterThan(12);
  },
);

const at = (hour: number, minute = 0) =>
  new Date(Date.parse('2026-04-01T00:00:00Z') + hour * HOUR_MS + minute * 60_000).toISOString();

test('a repeated count follows the uploads without a query', async () => {
  const late = session({ recorded_at: at(1, 5), uploaded_at: at(30) });
  const shop = await open({
    sessions: [
      late,
      session({ recorded_at: at(1, 59), uploaded_at: at(2, 10) }),
      session({ recorded_at: at(2) }),
    ],
    events: [event(late)],
  });
  const request = { aggregation: [{ attribute: 'session_count' }], filters: [range(at(1), at(3))] };
  const counts = [];
  for (const hour of [3, 4, 5, 29, 30]) {
    const { recalled, queries } = await shop.ask('session', request, Date.parse(at(hour)));
    counts.push([recalled.data?.[0]?.session_count, queries > 0]);
  }
  expect(counts).toEqual([
    [2, true],
    [2, true],
    [2, true],
    [2, false],
    [3, false],
  ]);
});

const whole = [range(at(0), at(8))];
const ofSessions = [{ attribute: 'session_count' }];

test.each([
  [
    'filters of other events',
    { filters: [...whole, { attribute: 'event_name', operator: 'equal', value: 'buy' }] },
  ],
  ['other groups', { filters: whole, group_by: [{ attribute: 'device_city', max_group_number: 1 }] }],
  ['windows that start within an hour', { filters: [range(at(0, 30), at(8))] }],
  ['windows that end within an hour', { filters: [range(at(0), at(7, 30))] }],
])('%s are left to queries', async (_, request) => {
  const sessions = ['Rome', 'Rome', 'Oslo', 'Bern'].map((city, i) =>
    session({
      city,
      recorded_at: at(0, 20),
      uploaded_at: at(8 + 2 * i),
      ...(i === 2 && { recorded_at: at(7, 40) }),
    }),
  );
  const events = sessions.map((of, i) => event(of, { event_name: 'buy', uploaded_at: at(9 + 3 * i) }));
  const shop = await open({ sessions, events });
  for (let hour = 8; hour < 20; hour += 2) {
    const { asked, recalled } = await shop.ask(
      'session',
      { aggregation: ofSessions, ...request },
      Date.parse(at(hour)),
    );
    expect(recalled).toEqual(asked);
  }
});
