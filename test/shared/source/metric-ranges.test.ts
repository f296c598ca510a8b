import { describe, expect, test } from 'vitest';
import type { RangeQuestion } from '../../../shared/readings/reading.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { createHttpMetricSource } from '../../../shared/source/metric-source.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { aQuestion, WINDOW } from '../../fixtures/questions.ts';

const { window: _, previous: __, ...subject } = aQuestion();

/** Three hours in UTC. */
const range: RangeQuestion = {
  ...subject,
  windows: [-2, -1, 0].map((back) => ({
    startAt: WINDOW.startAt + back * HOUR_MS,
    endAt: WINDOW.endAt + back * HOUR_MS,
  })),
  calendar: { grain: 'hour', zone: 'UTC' },
};

const hour = (event_uploadedon_hour: string, event_count: number) => ({ event_uploadedon_hour, event_count });
const HOURS = [
  hour('2026-04-01T12:00:00+02:00', 5),
  hour('2026-04-01T10:00:00+02:00', 3),
  hour('2026-04-01T11:00:00+02:00', 0),
];

/** A source whose service returns `pages` in turn. Records the queries and the budget of each call. */
function sourceOf(...pages: (object[] | { status: number })[]) {
  const asked: URLSearchParams[] = [];
  const taken: string[] = [];
  const source = createHttpMetricSource({
    baseUrl: 'https://analytics.example.com',
    apiKey: 'key',
    clock: new ManualClock(WINDOW.endAt),
    budget: { takeCalls: (_app, _at, _calls, budget) => taken.push(budget) <= pages.length },
    fetch: (url) => {
      asked.push(new URL(url).searchParams);
      const page = pages[asked.length - 1] ?? { status: 400 };
      if (!Array.isArray(page)) return new Response('{"success":false}', page);
      const next = asked.length < pages.length ? asked.length + 1 : null;
      return Response.json({ success: true, data: page, pagination: { next } });
    },
  });
  return { source, asked, taken };
}

const counts = (...each: number[]) =>
  each.map((event_count) => (event_count > 0 ? [{ current: { event_count } }] : []));

describe('readRange', () => {
  test('sends one query for the span and accepts labels in any order and zone', async () => {
    const { source, asked } = sourceOf(HOURS);
    expect(await source.readRange(range)).toEqual({ kind: 'read', value: counts(3, 0, 5) });
    const [query] = asked;
    expect(JSON.parse(query?.get('group_by') ?? '')).toEqual([{ attribute: 'event_uploadedon_hour' }]);
    expect(JSON.parse(query?.get('filters') ?? '')[0].value).toEqual({
      lower: '2026-04-01T08:00:00.000Z',
      upper: '2026-04-01T11:00:00.000Z',
    });
    expect(query?.has('comparison')).toBe(false);
  });

  test('reads all pages and counts each against the given budget', async () => {
    const { source, taken } = sourceOf(HOURS.slice(0, 2), HOURS.slice(2));
    expect(await source.readRange(range, 'spare')).toMatchObject({ kind: 'read', value: counts(3, 0, 5) });
    expect(taken).toEqual(['spare', 'spare']);
  });

  test.each<{ name: string; pages: Parameters<typeof sourceOf> }>([
    { name: 'one additional hour', pages: [[...HOURS, hour('2026-04-01T13:00:00+02:00', 1)]] },
    { name: 'one hour missing', pages: [HOURS.slice(1)] },
    {
      name: 'other hours',
      pages: [HOURS.map((each) => ({ ...each, event_uploadedon_hour: '2026-04-01T12:00:00Z' }))],
    },
    {
      name: 'hours without a UTC offset',
      pages: [[hour('2026-04-01T08:00:00', 1), ...HOURS.slice(1)]],
    },
    { name: 'rows without hours', pages: [[{ event_count: 8 }]] },
    { name: 'a refusal with and without a page', pages: [{ status: 400 }, { status: 400 }] },
  ])('returns unsupported for $name, and does not ask again', async ({ pages }) => {
    const unsupported = { kind: 'unsupported', reason: expect.stringContaining('data access service') };
    const { source, asked } = sourceOf(...pages);
    expect(await source.readRange(range)).toEqual(unsupported);
    expect(await source.readRange(range)).toEqual(unsupported);
    expect(asked).toHaveLength(pages.length);
  });

  test('still reads counts after the service refused a funnel', async () => {
    const { source } = sourceOf({ status: 400 }, HOURS);
    const funnel = { steps: ['cart', 'pay'], minutes: 60 };
    const followed = await source.readRange({ ...range, eventNames: funnel.steps, funnel });
    expect(followed).toMatchObject({ kind: 'unsupported' });
    expect(await source.readRange(range)).toEqual({ kind: 'read', value: counts(3, 0, 5) });
  });

  test('keeps a zero of a listed segment beside a folded rest', async () => {
    const row = (device_country: string, hours: number[]) =>
      hours.map((count, i) => ({ ...hour(`2026-04-01T1${i}:00:00+02:00`, count), device_country }));
    const { source } = sourceOf([...row('Peru', [9, 0, 7]), ...row('others', [5, 5, 0])]);
    const result = await source.readRange({ ...range, segmentBy: { attribute: 'device_country' } });
    const peru = (event_count: number) => ({ segment: 'Peru', current: { event_count } });
    expect(result).toMatchObject({ kind: 'read', value: [[peru(9), {}], [peru(0), {}], [peru(7)]] });
  });

  test('accepts a response without rows only after an exact one', async () => {
    expect(await sourceOf([]).source.readRange(range)).toEqual({
      kind: 'unsupported',
      reason: 'the response has no rows',
    });
    const earlier = {
      ...range,
      windows: range.windows.map(({ startAt }) => ({
        startAt: startAt - 3 * HOUR_MS,
        endAt: startAt - 2 * HOUR_MS,
      })),
    };
    const { source } = oneByOne(HOURS, []);
    await source.readRange(range);
    expect(await source.readRange(earlier)).toEqual({ kind: 'read', value: counts(0, 0, 0) });
  });

  test('accepts a response without rows after an exact one with other filters', async () => {
    const { source } = oneByOne(HOURS, []);
    await source.readRange(range);
    expect(await source.readRange({ ...range, filters: [] })).toEqual({
      kind: 'read',
      value: counts(0, 0, 0),
    });
  });

  test.each([
    ['a key that is not accepted yet', new Response('{}', { status: 401 })],
    ['a redirect', new Response('', { status: 302 })],
    ["a proxy's page", new Response('<html>')],
  ])('fails on %s and asks again next time', async (_name, trouble) => {
    const answers = [trouble, Response.json({ success: true, data: HOURS, pagination: { next: null } })];
    const source = createHttpMetricSource({
      baseUrl: 'https://analytics.example.com',
      apiKey: 'key',
      clock: new ManualClock(WINDOW.endAt),
      budget: { takeCalls: () => true },
      fetch: () => answers.shift() ?? new Response(null, { status: 400 }),
    });
    expect(await source.readRange(range)).toMatchObject({ kind: 'failed', retryable: false });
    expect(await source.readRange(range)).toMatchObject({ kind: 'read' });
  });

  test('returns budget-spent without a call if no calls are left', async () => {
    const { source, asked } = sourceOf();
    expect(await source.readRange(range, 'spare')).toMatchObject({ kind: 'budget-spent' });
    expect(asked).toEqual([]);
  });
});

/** A source whose service returns `answers` in turn, each as a single page. */
function oneByOne(...answers: object[][]) {
  let next = 0;
  const source = createHttpMetricSource({
    baseUrl: 'https://analytics.example.com',
    apiKey: 'key',
    clock: new ManualClock(WINDOW.endAt),
    budget: { takeCalls: () => true },
    fetch: () => Response.json({ success: true, data: answers[next++] ?? [], pagination: { next: null } }),
  });
  return { source };
}

describe('readRange with inOneAnswer', () => {
  const whole: RangeQuestion = { ...range, inOneAnswer: true };

  test('sends no page parameters', async () => {
    const { source, asked } = sourceOf(HOURS);
    expect(await source.readRange(whole)).toEqual({ kind: 'read', value: counts(3, 0, 5) });
    expect(asked.map((query) => [query.has('page'), query.has('page_size')])).toEqual([[false, false]]);
  });

  test('reads page by page if the service paginates anyway', async () => {
    const { source, asked } = sourceOf(HOURS.slice(0, 1), HOURS.slice(0, 2), HOURS.slice(2));
    expect(await source.readRange(whole)).toEqual({ kind: 'read', value: counts(3, 0, 5) });
    expect(asked.map((query) => query.get('page'))).toEqual([null, '1', '2']);
  });

  test('does not mark other ranges as unsupported if one is too long', async () => {
    const { source } = sourceOf({ status: 400 }, HOURS);
    expect(await source.readRange(whole)).toMatchObject({ kind: 'unsupported' });
    expect(await source.readRange(range)).toEqual({ kind: 'read', value: counts(3, 0, 5) });
  });
});
