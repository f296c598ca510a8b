import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpMetricSource } from '../../shared/adapters/data-access/metric-source.ts';
import type { MetricSource } from '../../shared/alerting/readings/metric-source.ts';
import type { Question, RangeQuestion, ReadingRow } from '../../shared/alerting/readings/reading.ts';
import { METRICS, type Metric, type MetricName } from '../../shared/alerting/rules/metrics.ts';
import { type DocumentedService, documentedService } from '../fixtures/documented-interface.ts';
import { aQuestion, HOUR, PREVIOUS, WINDOW } from '../fixtures/questions.ts';
import { event, KEY, type Sample, sample, session } from '../functions/data-access/sample-app.ts';

/** Metrics of which the interface page names neither themselves nor what they could be made of. */
const UNANSWERABLE: MetricName[] = [
  'unresponsive_gestures',
  'responsive_gestures_per_session',
  'unresponsive_gestures_per_session',
  'unique_screens_per_session',
];
const NAMES = Object.keys(METRICS) as MetricName[];
const ANSWERABLE = NAMES.filter((name) => !UNANSWERABLE.includes(name));

let shop: Sample;
let service: DocumentedService;
beforeAll(async () => {
  const sessions = [PREVIOUS, WINDOW].flatMap(({ startAt }, window) =>
    Array.from({ length: 7 + 6 * window }, (_, i) =>
      session({
        recorded_at: new Date(startAt + i * 60_000).toISOString(),
        user_id: `u${i % 5}-${i % 2 ? window : 0}`,
        session_number: i % 3 === 0 ? 1 : 2,
        platform: i % 4 === 0 ? 'ios' : 'android',
        rage_gesture_count: (i + window) % 3,
        gesture_count: 3 + i,
        duration_sec: 10 + i / 7,
        event_count: i,
      }),
    ),
  );
  const events = sessions.map((of, i) => event(of, { event_name: i % 2 ? 'purchase' : 'search' }));
  shop = await sample({ sessions, events });
  service = await documentedService(shop);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await shop.close();
});

/** A source that knows nothing of the service yet. */
function strict(options: { url?: string } = {}): MetricSource {
  const { clock } = shop;
  return createHttpMetricSource({
    ...{ baseUrl: options.url ?? service.url, apiKey: KEY, clock, budget: { takeCalls: () => true } },
  });
}

/** A source of the whole service, which the strict one must agree with. */
const whole = () =>
  createHttpMetricSource({
    ...{ baseUrl: 'http://whole.test', apiKey: KEY, clock: shop.clock, budget: { takeCalls: () => true } },
    fetch: (url, init) => shop.app.request(url, init),
  });

function questionOf(name: MetricName, more: Partial<Question> = {}): Question {
  const metric: Metric = METRICS[name];
  const weight = metric.kind === 'mean' ? [metric.weight.aggregation] : [];
  const { endpoint, aggregation } = metric;
  return aQuestion({ endpoint, aggregations: [...weight, aggregation], ...more });
}

async function rowsOf(source: MetricSource, question: Question): Promise<ReadingRow[]> {
  const result = await source.read(question);
  if (result.kind !== 'read') throw new Error(result.reason);
  const bySegment = (a: ReadingRow, b: ReadingRow) => ((a.segment ?? '') < (b.segment ?? '') ? -1 : 1);
  return result.value.toSorted(bySegment);
}

const heardSince = (from: number) => service.heard.slice(from);

describe('a service that knows the documented interface alone', () => {
  test.each(ANSWERABLE)('answers %s as ours does, in both windows', async (name) => {
    const question = questionOf(name);
    const rows = await rowsOf(strict(), question);
    expect(rows).toEqual(roughly(await rowsOf(whole(), question)));
    expect(rows[0]).toMatchObject({ current: expect.anything(), previous: expect.anything() });
  });

  test.each(ANSWERABLE)('answers %s by segment as ours does', async (name) => {
    const question = questionOf(name, { segmentBy: { attribute: 'device_platform', max_group_number: 100 } });
    expect(await rowsOf(strict(), question)).toEqual(roughly(await rowsOf(whole(), question)));
  });

  test.each(UNANSWERABLE)('cannot answer %s, and the reason says so', async (name) => {
    expect(await strict().read(questionOf(name))).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(
        /does not answer \w+ of sessions, and the documented interface has no substitute for it: .*\(400/,
      ),
      retryable: false,
      isRefusal: true,
    });
  });

  test.each(NAMES)('is not sent what it refused of %s again', async (name) => {
    const source = strict();
    await source.read(questionOf(name));
    const from = service.heard.length;
    const later = questionOf(name, {
      window: PREVIOUS,
      previous: { ...PREVIOUS, startAt: PREVIOUS.startAt - HOUR },
    });
    await source.read(later);
    expect(heardSince(from).filter(({ isRefused }) => isRefused)).toEqual([]);
  });

  test('answers all metrics of sessions that can be had with one question to each endpoint', async () => {
    const source = strict();
    const names = ANSWERABLE.filter((name) => METRICS[name].endpoint === 'session');
    const aggregations = names.map((name) => METRICS[name].aggregation);
    const question = aQuestion({ endpoint: 'session', aggregations });
    const expected = roughly(await rowsOf(whole(), question));
    expect(await rowsOf(source, question)).toEqual(expected);
    const from = service.heard.length;
    expect(await rowsOf(source, question)).toEqual(expected);
    // Each is asked about both windows.
    expect(heardSince(from).map(({ path }) => path)).toEqual([
      ...Array(2).fill('/v2/session/analytics'),
      ...Array(2).fill('/api/data-access/v1/user/analytics'),
    ]);
  });

  test.each<[string, Question['filters'][number], RegExp]>([
    [
      'the platform, which users have by their latest session',
      { attribute: 'device_platform', operator: 'equal', value: 'ios' },
      /match device_platform by each user's latest session.*; group the rule by device_platform/,
    ],
    [
      'what sessions are like',
      { attribute: 'session_duration', operator: 'greater', value: 10 },
      /select users by session_duration and count all their sessions/,
    ],
  ])('is not asked for new users by %s', async (_, filter, says) => {
    const source = strict();
    await source.read(questionOf('new_users'));
    const from = service.heard.length;
    expect(await source.read(questionOf('new_users', { filters: [filter] }))).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(says),
    });
    expect(heardSince(from)).toEqual([]);
  });

  test('is asked for new users of one user, of whom all sessions are meant', async () => {
    const filters: Question['filters'] = [{ attribute: 'svcuserid', operator: 'equal', value: 'u0-0' }];
    const source = strict();
    await source.read(questionOf('new_users'));
    const question = questionOf('new_users', { filters });
    expect(await rowsOf(source, question)).toEqual(await rowsOf(whole(), question));
  });

  test.each(ANSWERABLE)('answers days of %s, or each by itself', async (name) => {
    const source = strict();
    await source.read(questionOf(name));
    const days = rangeOf(name, 'day', [
      ['2026-03-30T22:00:00Z', '2026-03-31T22:00:00Z'],
      ['2026-03-31T22:00:00Z', '2026-04-01T22:00:00Z'],
    ]);
    expect(await source.readRange(days)).toEqual(roughly(await whole().readRange(days)));
  });

  test.each(ANSWERABLE)('has no hours of %s in one answer, and says so', async (name) => {
    const source = strict();
    const hours = rangeOf(name, 'hour', [
      ['2026-04-01T09:00:00Z', '2026-04-01T10:00:00Z'],
      ['2026-04-01T10:00:00Z', '2026-04-01T11:00:00Z'],
    ]);
    for (const _ of [1, 2]) {
      const result = await source.readRange(hours);
      expect(result).toEqual({ kind: 'unsupported', reason: expect.stringContaining('(400') });
      await source.read(questionOf(name));
    }
    const from = service.heard.length;
    await source.readRange(hours);
    expect(heardSince(from)).toEqual([]);
  });

  test('tells how fresh its data are', async () => {
    const result = await strict().readNewestEventAt('shop', Date.parse('2026-04-01T00:00:00Z'));
    expect(result).toEqual({ kind: 'read', value: Date.parse('2026-04-01T10:12:00Z') });
  });
});

test('averages that are rounded too much make no total', async () => {
  await using rough = await documentedService(shop, { decimals: 0 });
  expect(await strict({ url: rough.url }).read(questionOf('rage_gestures'))).toEqual({
    kind: 'failed',
    reason: expect.stringMatching(
      /rounds averages to 0 decimals, which is too inaccurate: a total of \d+, computed from avg_user_rage_gesture_count and user_count, may be off by \d/,
    ),
    retryable: false,
    isRefusal: true,
  });
});

test('averages that are rounded a little make the total that they are of', async () => {
  await using rough = await documentedService(shop, { decimals: 2 });
  const question = questionOf('rage_gestures');
  expect(await rowsOf(strict({ url: rough.url }), question)).toEqual(await rowsOf(whole(), question));
});

test('a fault of filters is not taken for one of the metric', async () => {
  const source = strict();
  const filters: Question['filters'] = [{ attribute: 'session_crashed', operator: 'equal', value: true }];
  expect(await source.read(questionOf('new_users', { filters }))).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/refused the request/),
  });
  expect(await rowsOf(source, questionOf('new_users'))).toEqual(
    await rowsOf(whole(), questionOf('new_users')),
  );
});

function rangeOf(name: MetricName, grain: 'hour' | 'day', windows: [string, string][]): RangeQuestion {
  const { window: _, previous: __, ...subject } = questionOf(name);
  return {
    ...subject,
    calendar: { grain, zone: 'Europe/Berlin' },
    windows: windows.map(([start, end]) => ({ startAt: Date.parse(start), endAt: Date.parse(end) })),
  };
}

/** But for the last bits of quotients. */
function roughly<Value>(value: Value): Value {
  if (typeof value === 'number' && !Number.isInteger(value)) return expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(roughly) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, roughly(each)])) as Value;
}
