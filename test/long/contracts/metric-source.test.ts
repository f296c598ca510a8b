import { afterAll, describe, expect, test } from 'vitest';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import type { Question, RangeQuestion } from '../../../shared/readings/reading.ts';
import { questionFor, rangeQuestionFor } from '../../../shared/readings/series.ts';
import { createHttpMetricSource } from '../../../shared/source/metric-source.ts';
import { type Grain, lastClosedWindow, type Window, windowBefore } from '../../../shared/time/window.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { closeSources, options, SOURCES } from '../../contracts/metric-sources.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { aQuestion, PREVIOUS, WINDOW } from '../../fixtures/questions.ts';
import { event, KEY, sample, session } from '../../functions/data-access/sample-app.ts';

afterAll(closeSources);

describe.each(SOURCES)('a metric source: $name', ({ open, seconds = 60 }) => {
  test.each<{ name: string; question: Partial<Question>; changes: Record<string, [number, number]> }>([
    { name: 'all events in half-open windows', question: {}, changes: { '': [2, 3] } },
    {
      name: 'one event',
      question: { eventNames: ['purchase'] },
      changes: { purchase: [1, 2] },
    },
    {
      name: 'several events in one, both or no windows',
      question: { eventNames: ['purchase', 'refund', 'search', 'unknown'] },
      changes: { purchase: [1, 2], refund: [0, 1], search: [1, 0] },
    },
    {
      name: 'segments',
      question: { segmentBy: { attribute: 'device_platform' } },
      changes: { ' ios': [2, 1], ' android': [0, 2] },
    },
    {
      name: 'segments of several events',
      question: { eventNames: ['purchase', 'search'], segmentBy: { attribute: 'device_platform' } },
      changes: { 'purchase ios': [1, 1], 'purchase android': [0, 1], 'search ios': [1, 0] },
    },
    {
      name: 'a filter',
      question: { filters: [{ attribute: 'device_platform', operator: 'equal', value: 'ios' }] },
      changes: { '': [2, 1] },
    },
    {
      name: 'windows of unequal length',
      question: { previous: { startAt: WINDOW.startAt - 2 * HOUR_MS, endAt: WINDOW.startAt } },
      changes: { '': [2, 4] },
    },
    {
      name: 'windows that are not adjacent',
      question: { previous: { startAt: PREVIOUS.startAt - HOUR_MS, endAt: PREVIOUS.startAt } },
      changes: { '': [2, 1] },
    },
    {
      name: 'sessions',
      question: { endpoint: 'session', aggregations: [{ attribute: 'session_count' }] },
      changes: { '': [2, 3] },
    },
    {
      name: 'users',
      question: { endpoint: 'user', aggregations: [{ attribute: 'user_count' }] },
      changes: { '': [2, 3] },
    },
    {
      name: 'users by segment',
      question: {
        endpoint: 'user',
        aggregations: [{ attribute: 'user_count' }],
        segmentBy: { attribute: 'device_platform' },
      },
      changes: { ' ios': [2, 1], ' android': [0, 2] },
    },
  ])('$name', async ({ question, changes }) => {
    await using opened = await open();
    expect(await changesOf(opened.source, aQuestion(question))).toEqual(changes);
  });

  describe('a range', () => {
    const hours = rangeOf('hour', 'Europe/Berlin', '2026-04-01T08:00:00Z', '2026-04-01T12:00:00Z');

    test.each<{ name: string; question: Partial<RangeQuestion>; figures: Record<string, number>[] }>([
      {
        name: 'all events, with an empty hour',
        question: rangeOf('hour', 'UTC', '2026-04-01T07:00:00Z', '2026-04-01T12:00:00Z'),
        figures: [{}, { '': 1 }, { '': 3 }, { '': 2 }, { '': 1 }],
      },
      {
        name: 'one event',
        question: { eventNames: ['purchase'] },
        figures: [{ purchase: 1 }, { purchase: 2 }, { purchase: 1 }, {}],
      },
      {
        name: 'several events by segment',
        question: { eventNames: ['purchase', 'search'], segmentBy: { attribute: 'device_platform' } },
        figures: [
          { 'purchase ios': 1 },
          { 'purchase ios': 1, 'purchase android': 1 },
          { 'purchase ios': 1, 'search ios': 1 },
          { 'search ios': 1 },
        ],
      },
      {
        name: 'sessions',
        question: { endpoint: 'session', aggregations: [{ attribute: 'session_count' }] },
        figures: [{ '': 1 }, { '': 3 }, { '': 2 }, { '': 1 }],
      },
      {
        name: 'users',
        question: { endpoint: 'user', aggregations: [{ attribute: 'user_count' }] },
        figures: [{ '': 1 }, { '': 3 }, { '': 2 }, { '': 1 }],
      },
      {
        name: 'days',
        question: rangeOf('day', 'Europe/Berlin', '2026-03-31T22:00:00Z', '2026-04-02T22:00:00Z'),
        figures: [{ '': 7 }, {}],
      },
      {
        name: 'weeks',
        question: rangeOf('week', 'Europe/Berlin', '2026-03-22T23:00:00Z', '2026-04-05T22:00:00Z'),
        figures: [{}, { '': 7 }],
      },
      {
        name: 'months',
        question: rangeOf('month', 'Europe/Berlin', '2026-02-28T23:00:00Z', '2026-04-30T22:00:00Z'),
        figures: [{}, { '': 7 }],
      },
    ])('$name', async ({ question, figures }) => {
      await using opened = await open();
      expect(await figuresOf(opened.source, { ...hours, ...question })).toEqual(figures);
    });

    test.each([
      {
        name: 'the day of the change to summer time',
        date: '2026-03-29',
        hours: 23,
        at: '2026-03-29T01:30:00Z',
      },
      {
        name: 'the day of the change to winter time',
        date: '2025-10-26',
        hours: 25,
        at: '2025-10-26T01:30:00Z',
      },
    ])('$name has $hours hours and is one day', async ({ date, hours, at }) => {
      await using opened = await open([{ at, name: 'purchase', platform: 'ios' }]);
      const day = windowOf(date);
      const byHour = await figuresOf(opened.source, rangeOf('hour', 'Europe/Berlin', day.startAt, day.endAt));
      const slot = (Date.parse(at) - day.startAt - HOUR_MS / 2) / HOUR_MS;
      expect(byHour).toEqual(Array.from({ length: hours }, (_, i) => (i === slot ? { '': 1 } : {})));
      const days = rangeOf('day', 'Europe/Berlin', day.startAt - 24 * HOUR_MS, day.endAt);
      expect(await figuresOf(opened.source, days)).toEqual([{}, { '': 1 }]);
    });

    test.each([
      ['New York', 'America/New_York'],
      ['London', 'Europe/London'],
      ['Auckland', 'Pacific/Auckland'],
    ])('days of %s are unsupported by a service in Berlin', async (_name, zone) => {
      await using opened = await open();
      const last = lastClosedWindow(Date.parse('2026-04-03T00:00:00Z'), { grain: 'day', zone });
      const first = windowBefore(last, { grain: 'day', zone });
      const result = await opened.source.readRange(rangeOf('day', zone, first.startAt, last.endAt));
      expect(result).toEqual({ kind: 'unsupported', reason: expect.any(String) });
    });

    test('a mean has its weight, and no row without data', async () => {
      await using opened = await open();
      const aggregations = [
        { attribute: 'session_count' },
        { attribute: 'session_duration', operator: 'avg' as const },
      ];
      const range = rangeOf('hour', 'UTC', '2026-04-01T07:00:00Z', '2026-04-01T09:00:00Z');
      expect(await opened.source.readRange({ ...range, endpoint: 'session', aggregations })).toEqual({
        kind: 'read',
        value: [[], [{ current: { session_count: 1, avg_session_duration: seconds } }]],
      });
    });
  });

  test('a mean has its weight', async () => {
    await using opened = await open();
    const result = await opened.source.read(
      aQuestion({
        endpoint: 'session',
        aggregations: [{ attribute: 'session_duration', operator: 'avg' }, { attribute: 'session_count' }],
      }),
    );
    const figures = { avg_session_duration: seconds, session_count: expect.any(Number) };
    expect(result).toEqual({ kind: 'read', value: [{ current: figures, previous: figures }] });
  });

  test('a number of a property has the number of its events', async () => {
    await using opened = await open();
    const rule = ruleNamed('seconds', { metric: { average: 'seconds' } });
    const { filters, eventNames, aggregations } = questionFor([rule], WINDOW);
    const result = await opened.source.read(
      aQuestion({ filters, aggregations, ...(eventNames && { eventNames }) }),
    );
    const [row] = result.kind === 'read' ? result.value : [];
    expect(row).toEqual({
      eventName: 'purchase',
      current: { avg_event_custom_property_seconds: 60, event_count: 1 },
      previous: { avg_event_custom_property_seconds: 60, event_count: 2 },
    });
  });

  test.each([
    { since: '2026-04-01T00:00:00Z', newest: '2026-04-01T11:00:00Z' },
    { since: '2026-04-01T11:00:01Z', newest: null },
  ])('the newest event since $since', async ({ since, newest }) => {
    await using opened = await open();
    expect(await opened.source.readNewestEventAt('shop', Date.parse(since))).toEqual({
      kind: 'read',
      value: newest && Date.parse(newest),
    });
  });
});

test.each([
  {
    name: 'a wrong key',
    apiKey: 'k-wrong',
    app: 'shop',
    says: /does not accept the API key.*INVALID_CREDENTIALS/,
  },
  {
    name: 'an app without access',
    apiKey: KEY,
    app: 'other',
    says: /does not accept the API key.*FORBIDDEN/,
  },
])('the service refuses $name', async ({ apiKey, app, says }) => {
  const service = await sample();
  const source = createHttpMetricSource({ ...options(service), apiKey });
  const result = await source.read(aQuestion({ app }));
  expect(result).toEqual({ kind: 'failed', reason: expect.stringMatching(says), retryable: false });
  expect(JSON.stringify(result)).not.toContain(apiKey);
  await service.close();
});

test('the folded groups of both windows are the rest', async () => {
  const visit = (recorded_at: string, country: string) => session({ recorded_at, country });
  const [now, before] = ['2026-04-01T10:30:00Z', '2026-04-01T09:30:00Z'];
  const service = await sample({
    sessions: [visit(now, 'Peru'), visit(now, 'Peru'), visit(now, 'Chad'), visit(before, 'Cuba')],
  });
  const source = createHttpMetricSource(options(service));
  const question = aQuestion({
    endpoint: 'session',
    aggregations: [{ attribute: 'session_count' }],
    segmentBy: { attribute: 'device_country', max_group_number: 1 },
  });
  const [two, one, none] = [2, 1, 0].map((session_count) => ({ session_count }));
  expect(await source.read(question)).toEqual({
    kind: 'read',
    value: [
      { segment: 'Peru', current: two, previous: none },
      { segment: 'others', isRest: true, current: one, previous: one },
    ],
  });
  await service.close();
});

test('a funnel is read from the users who follow its steps, window by window', async () => {
  const visitOf = (platform: string, day: string, ...names: string[]) => {
    const of = session({ platform, recorded_at: `${day}T10:00:00Z` });
    const at = (i: number) => `${day}T10:${10 + i}:00Z`;
    return { of, events: names.map((event_name, i) => event(of, { event_name, recorded_at: at(i) })) };
  };
  const visits = [
    visitOf('ios', '2026-04-01', 'cart', 'pay', 'thanks'),
    visitOf('ios', '2026-04-01', 'thanks', 'pay', 'cart'),
    visitOf('android', '2026-04-01', 'cart', 'pay'),
    visitOf('ios', '2026-04-02', 'cart', 'thanks'),
  ];
  const service = await sample({
    sessions: visits.map(({ of }) => of),
    events: visits.flatMap(({ events }) => events),
  });
  const source = createHttpMetricSource(options(service));
  const rule = ruleNamed('funnel', {
    ...{ app: 'shop', metric: undefined, filters: undefined, zone: 'Europe/Berlin' },
    ...{ funnel: ['cart', 'pay', 'thanks'], within: '1 hour' },
  });
  const windows = ['2026-04-01', '2026-04-02'].map(windowOf);
  const [first, second] = windows as [Window, Window];
  const days = rangeQuestionFor([rule], windows);
  expect(await figuresOf(source, days)).toEqual([{ cart: 3, pay: 2, thanks: 1 }, { cart: 1 }]);
  const changes = await changesOf(source, { ...questionFor([rule], second), previous: first });
  expect(changes).toEqual({ cart: [1, 3], pay: [0, 2], thanks: [0, 1] });
  const groupBy = [{ attribute: 'device_platform' } as const];
  const parts = await source.read({
    ...questionFor([rule], first),
    ...{ previous: second, groupBy, eventNames: ['cart', 'pay'] },
  });
  expect(parts.kind === 'read' && parts.value.map(({ eventName, groups }) => [eventName, groups])).toEqual([
    ['cart', ['ios']],
    ['pay', ['ios']],
    ['cart', ['android']],
    ['pay', ['android']],
  ]);
  await service.close();
});

test('ten weeks of hours across a clock change take four calls', async () => {
  const recorded_at = '2026-03-29T01:30:00Z';
  const of = session({ recorded_at });
  const service = await sample({ sessions: [of], events: [event(of)] });
  let calls = 0;
  const budget = { takeCalls: () => ++calls > 0 };
  const source = createHttpMetricSource({ ...options(service), budget });
  const end = Date.parse('2026-04-10T10:00:00Z');
  const range = rangeOf('hour', 'Europe/Berlin', end - 1680 * HOUR_MS, end);
  const result = await source.readRange(range);
  const counted =
    result.kind === 'read' ? result.value.flatMap((rows, i) => (rows.length > 0 ? [i] : [])) : [];
  expect(counted.map((i) => range.windows[i]?.startAt)).toEqual([Date.parse('2026-03-29T01:00:00Z')]);
  expect(calls).toBe(4);
  await service.close();
});

test('concurrent reads stay within the rate limit of the service', async () => {
  const service = await sample({ settings: { rateLimit: { perSecond: 5, perHour: 500, enforce: true } } });
  const source = createHttpMetricSource(options(service));
  const results = await Promise.all(Array.from({ length: 12 }, () => source.read(aQuestion())));
  expect(results.map(({ kind }) => kind)).toEqual(results.map(() => 'read'));
  await service.close();
});

/** The first current and previous figure by `<event name> <segment>`. */
async function changesOf(source: MetricSource, question: Question) {
  const result = await source.read(question);
  if (result.kind !== 'read') throw new Error(result.reason);
  const first = (figures: Record<string, number | null> = {}) => Object.values(figures)[0] ?? 0;
  const changes = result.value.map(({ eventName = '', segment, current, previous }) => [
    segment === undefined ? eventName : `${eventName} ${segment}`,
    [first(current), first(previous)],
  ]);
  return Object.fromEntries(changes);
}

/** For each window, the first figure by `<event name> <segment>`. */
async function figuresOf(source: MetricSource, question: RangeQuestion) {
  const result = await source.readRange(question);
  if (result.kind !== 'read') throw new Error(result.reason);
  return result.value.map((rows) =>
    Object.fromEntries(
      rows.map(({ eventName = '', segment, current = {} }) => [
        segment === undefined ? eventName : `${eventName} ${segment}`,
        Object.values(current)[0],
      ]),
    ),
  );
}

/** The windows of a calendar from one time to another, both at the end of a window. */
function rangeOf(grain: Grain, zone: string, from: string | number, to: string | number): RangeQuestion {
  const [startAt, endAt] = [new Date(from).getTime(), new Date(to).getTime()];
  const calendar = { grain, zone };
  const windows: Window[] = [];
  let window = lastClosedWindow(endAt, calendar);
  for (; window.startAt >= startAt; window = windowBefore(window, calendar)) windows.unshift(window);
  const { window: _, previous: __, ...subject } = aQuestion();
  return { ...subject, windows, calendar };
}

/** A day in Berlin. */
function windowOf(date: string): Window {
  const day = { grain: 'day', zone: 'Europe/Berlin' } as const;
  return lastClosedWindow(Date.parse(`${date}T23:30:00Z`), day);
}
