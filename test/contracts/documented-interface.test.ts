import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Question, RangeQuestion, ReadingRow } from '../../shared/readings/reading.ts';
import { questionFor } from '../../shared/readings/series.ts';
import type { Metric, PropertyMetric } from '../../shared/rules/metric.ts';
import { METRICS, type MetricName } from '../../shared/rules/metrics.ts';
import { createHttpMetricSource } from '../../shared/source/metric-source.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { type DocumentedService, documentedService } from '../fixtures/documented-interface.ts';
import { aQuestion, PREVIOUS, WINDOW } from '../fixtures/questions.ts';
import { event, KEY, type Sample, sample, session } from '../functions/data-access/sample-app.ts';

/** Metrics that the interface page does not name and that have no substitute. */
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

/** A source without knowledge of the service. */
function strict(options: { url?: string; apiKey?: string } = {}): MetricSource {
  const { clock } = shop;
  return createHttpMetricSource({
    ...{
      baseUrl: options.url ?? service.url,
      apiKey: options.apiKey ?? KEY,
      clock,
      budget: { takeCalls: () => true },
    },
  });
}

/** A source of the complete service, as the reference. */
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

const requestsSince = (from: number) => service.heard.slice(from);

describe('a service with only the documented interface', () => {
  test.each(ANSWERABLE)('returns %s like ours, in both windows', async (name) => {
    const question = questionOf(name);
    const rows = await rowsOf(strict(), question);
    expect(rows).toEqual(roughly(await rowsOf(whole(), question)));
    expect(rows[0]).toMatchObject({ current: expect.anything(), previous: expect.anything() });
  });

  test.each(ANSWERABLE)('returns %s by segment like ours', async (name) => {
    const question = questionOf(name, { segmentBy: { attribute: 'device_platform', max_group_number: 100 } });
    expect(await rowsOf(strict(), question)).toEqual(roughly(await rowsOf(whole(), question)));
  });

  test.each(UNANSWERABLE)('fails for %s with a reason', async (name) => {
    expect(await strict().read(questionOf(name))).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(
        /does not answer \w+ of sessions, and the documented interface has no substitute for it: .*\(400/,
      ),
      retryable: false,
      isRefusal: true,
    });
  });

  test.each<PropertyMetric>([{ average: 'price' }, { sum: 'price' }, { maximum: 'price' }, { p95: 'price' }])(
    'fails for a number of a property with a reason: %o',
    async (metric) => {
      const question = questionFor([ruleNamed('price', { metric })], WINDOW);
      expect(await strict().read(aQuestion({ ...question, app: 'shop' }))).toEqual({
        kind: 'failed',
        reason: expect.stringMatching(/refused the request \(400/),
        retryable: false,
        isRefusal: true,
      });
    },
  );

  test.each(NAMES)('gets no refused request for %s again', async (name) => {
    const source = strict();
    await source.read(questionOf(name));
    const from = service.heard.length;
    const later = questionOf(name, {
      window: PREVIOUS,
      previous: { ...PREVIOUS, startAt: PREVIOUS.startAt - HOUR_MS },
    });
    await source.read(later);
    expect(requestsSince(from).filter(({ isRefused }) => isRefused)).toEqual([]);
  });

  test('returns all session metrics with one question per endpoint', async () => {
    const source = strict();
    const names = ANSWERABLE.filter((name) => METRICS[name].endpoint === 'session');
    const aggregations = names.map((name) => METRICS[name].aggregation);
    const question = aQuestion({ endpoint: 'session', aggregations });
    const expected = roughly(await rowsOf(whole(), question));
    expect(await rowsOf(source, question)).toEqual(expected);
    const from = service.heard.length;
    expect(await rowsOf(source, question)).toEqual(expected);
    // One call for each of the two windows.
    expect(requestsSince(from).map(({ path }) => path)).toEqual([
      ...Array(2).fill('/v2/session/analytics'),
      ...Array(2).fill('/api/data-access/v1/user/analytics'),
    ]);
  });

  test.each<[string, Question['filters'][number], RegExp]>([
    [
      'platform, which users have by their latest session',
      { attribute: 'device_platform', operator: 'equal', value: 'ios' },
      /match device_platform by each user's latest session.*; group the rule by device_platform/,
    ],
    [
      'an attribute of sessions',
      { attribute: 'session_duration', operator: 'greater', value: 10 },
      /select users by session_duration and count all their sessions/,
    ],
  ])('gets no question for new users by %s', async (_, filter, says) => {
    const source = strict();
    await source.read(questionOf('new_users'));
    const from = service.heard.length;
    expect(await source.read(questionOf('new_users', { filters: [filter] }))).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(says),
    });
    expect(requestsSince(from)).toEqual([]);
  });

  test('returns new users filtered by a user id', async () => {
    const filters: Question['filters'] = [{ attribute: 'svcuserid', operator: 'equal', value: 'u0-0' }];
    const source = strict();
    await source.read(questionOf('new_users'));
    const question = questionOf('new_users', { filters });
    expect(await rowsOf(source, question)).toEqual(await rowsOf(whole(), question));
  });

  test.each(ANSWERABLE)('returns daily values of %s like ours', async (name) => {
    const source = strict();
    await source.read(questionOf(name));
    const days = rangeOf(name, 'day', [
      ['2026-03-30T22:00:00Z', '2026-03-31T22:00:00Z'],
      ['2026-03-31T22:00:00Z', '2026-04-01T22:00:00Z'],
    ]);
    expect(await source.readRange(days)).toEqual(roughly(await whole().readRange(days)));
  });

  test.each(ANSWERABLE)('does not support hours of %s in a range', async (name) => {
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
    expect(requestsSince(from)).toEqual([]);
  });

  test('returns the newest event', async () => {
    const result = await strict().readNewestEventAt('shop', Date.parse('2026-04-01T00:00:00Z'));
    expect(result).toEqual({ kind: 'read', value: Date.parse('2026-04-01T10:12:00Z') });
  });
});

test('a refused key is a failure', async () => {
  expect(await strict({ apiKey: 'other' }).readNewestEventAt('shop', 0)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('does not accept the API key'),
  });
});

test('a total of averages that are rounded too much is refused', async () => {
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

test('a total of slightly rounded averages is exact', async () => {
  await using rough = await documentedService(shop, { decimals: 2 });
  const question = questionOf('rage_gestures');
  expect(await rowsOf(strict({ url: rough.url }), question)).toEqual(await rowsOf(whole(), question));
});

test('a refused filter does not mark the metric as refused', async () => {
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

/** The value with tolerance for rounding errors. */
function roughly<Value>(value: Value): Value {
  if (typeof value === 'number' && !Number.isInteger(value)) return expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(roughly) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, roughly(each)])) as Value;
}
