import { describe, expect, test } from 'vitest';
import { readArchive } from '../../../local/replay/archive.ts';
import { archiveSource } from '../../../local/replay/archive-source.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import type { RangeQuestion } from '../../../shared/readings/reading.ts';
import { questionFor } from '../../../shared/readings/series.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import type { Window } from '../../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { createFakeMetricSource, type Fact } from '../../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const FROM = MONDAY;
const TO = MONDAY + 90 * DAY_MS;

const facts: Fact[] = Array.from({ length: 120 }, (_, day) => ({
  endpoint: 'event',
  at: FROM + (day - 30) * DAY_MS + HOUR_MS,
  attributes: { event_name: 'purchase', device_country: 'DE' },
  figures: { event_count: 1 },
}));

const read = (source: MetricSource, ...rules: Rule[]) =>
  readArchive({ rules, from: FROM, to: TO, sourceFor: () => source, clock: new ManualClock(TO) });

test('a too long answer is split into several questions', async () => {
  const whole = createFakeMetricSource(facts);
  const most = 20_000;
  const rowsIn = ({ windows, segmentBy }: RangeQuestion) => windows.length * (segmentBy ? 200 : 1);
  const source: MetricSource = {
    ...whole,
    readRange: async (question) =>
      rowsIn(question) > most ? { kind: 'unsupported', reason: 'too many rows' } : whole.readRange(question),
  };
  const rule = ruleNamed('by-country', { group_by: 'device_country', compare: { to: 'same_weekday' } });
  const archive = await read(source, rule);
  expect(whole.questions).toEqual([]);
  const [first] = whole.ranges.filter(({ segmentBy }) => segmentBy);
  const [window] = first?.windows.slice(-1) ?? [];
  if (!first || !window) throw new Error('nothing was asked');
  expect(archive.rowsOf(first, window)).toMatchObject([{ segment: 'DE', current: { event_count: 1 } }]);
});

test('funnels of other times have their own rows', async () => {
  const whole = createFakeMetricSource(facts);
  const source: MetricSource = {
    ...whole,
    readRange: async (question) => {
      const { windows, funnel } = question;
      if (!funnel) return whole.readRange(question);
      const row = { eventName: 'cart', current: { event_unique_user_count: funnel.minutes } };
      return { kind: 'read', value: windows.map(() => [row]) };
    },
  };
  const followed = (within: string) =>
    ruleNamed('followed', { metric: undefined, filters: [], funnel: ['cart', 'pay'], within });
  const rules = ['1 hour', '2 hours'].map(followed);
  const archive = await read(source, ...rules);
  const window = { startAt: TO - 2 * DAY_MS, endAt: TO - DAY_MS };
  const users = rules.map((rule) => archive.rowsOf(questionFor([rule], window), window));
  expect(users).toMatchObject([60, 120].map((count) => [{ current: { event_unique_user_count: count } }]));
});

test('hours that two zones share have the values of both', async () => {
  const sessions: Fact[] = Array.from({ length: 24 }, (_, hour) => ({
    ...{ endpoint: 'session', at: FROM + hour * HOUR_MS },
    figures: { session_count: 10, session_new_users_count: 4 },
  }));
  const hourly = (id: string, of: object) => ruleNamed(id, { every: 'hour', filters: [], ...of });
  const inUtc = hourly('sessions', { metric: 'sessions', zone: 'UTC' });
  const inBerlin = hourly('new-users', { metric: 'new_users', zone: 'Europe/Berlin' });
  const clock = new ManualClock(FROM + DAY_MS);
  const sourceFor = () => createFakeMetricSource(sessions);
  const span = { from: FROM + 22 * HOUR_MS, to: FROM + DAY_MS };
  const archive = await readArchive({ rules: [inUtc, inBerlin], ...span, sourceFor, clock });
  const source = archiveSource(archive, clock);
  const window = { startAt: FROM + 22 * HOUR_MS, endAt: FROM + 23 * HOUR_MS };
  const figuresFor = async (rule: FigureRule) => source.read(questionFor([rule], window));
  const both = (figures: object) => ({ value: [{ current: figures, previous: figures }] });
  expect(await figuresFor(inUtc)).toMatchObject(both({ session_count: 10 }));
  expect(await figuresFor(inBerlin)).toMatchObject(both({ session_new_users_count: 4 }));
});

test('days that the service groups by other dates are read with two per call', async () => {
  const source = createFakeMetricSource(facts, 'America/New_York');
  await read(source, ruleNamed('daily'));
  const windows = source.questions.flatMap(({ window, previous }) => [window.startAt, previous.startAt]);
  expect(new Set(windows).size).toBe(windows.length);
  expect(windows.length).toBeGreaterThan(90);
});

describe('a service that groups values by other dates than the rules', () => {
  const daily = (id: string, of: object = {}) => ruleNamed(id, { compare: { to: 'same_weekday' }, ...of });
  test('is asked from spare calls, with progress', async () => {
    const source = createFakeMetricSource(facts, 'America/New_York');
    const budgets: unknown[] = [];
    const sourceFor = (): MetricSource => ({
      ...source,
      read: (question, budget) => {
        budgets.push(budget);
        return source.read(question);
      },
    });
    const progress: [number, number][] = [];
    await readArchive({
      ...{ rules: [daily('daily')], from: FROM, to: TO, sourceFor, clock: new ManualClock(TO) },
      onProgress: (...each) => progress.push(each),
    });
    expect(new Set(budgets)).toEqual(new Set(['spare']));
    expect(budgets.length).toBeGreaterThan(45);
    const [done, total] = progress.at(-1) ?? [];
    expect(done).toBe(total);
    expect(done).toBeGreaterThan(budgets.length);
  });

  test('is asked once per value if it supports some of the dates', async () => {
    const source = createFakeMetricSource(facts);
    let newest: Window | undefined;
    const knows = ({ calendar, windows }: RangeQuestion) => {
      if (calendar.grain === 'day') newest ??= windows.at(-1);
      return calendar.grain === 'hour' || windows.at(-1) === newest;
    };
    const partial: MetricSource = {
      ...source,
      readRange: async (question) =>
        knows(question) ? source.readRange(question) : { kind: 'unsupported', reason: 'other dates' },
    };
    const rule = daily('daily', { compare: { median_of: '8 weeks' } });
    const archive = await read(partial, rule);
    const [known] = source.ranges.filter(({ calendar }) => calendar.grain === 'day');
    const window = known?.windows.at(10) ?? { startAt: 0, endAt: 0 };
    expect(archive.rowsOf(questionFor([rule], window), window)).toHaveLength(1);
  });
});

test('a failed read stops with the reason and the number of calls needed', async () => {
  const source = createFakeMetricSource(facts);
  source.failNext({ kind: 'budget-spent', reason: 'no calls are left this hour for the app "demo"' });
  await expect(read(source, ruleNamed('daily'))).rejects.toThrow(
    'past data of demo cannot be read: no calls are left this hour for the app "demo". At least 3 calls are needed, and 1 were made; nothing was evaluated',
  );
});

describe('the start of the data of an app', () => {
  const median = ruleNamed('sales', { compare: { median_of: '4 weeks' } });
  const since = (day: number) => facts.filter(({ at }) => at >= FROM + day * DAY_MS);
  test.each<[string, Fact[], number | undefined]>([
    ['is their first hour', since(9), FROM + 9 * DAY_MS + HOUR_MS],
    ['is unknown if they reach back further', since(-5), undefined],
    ['is unknown without data', [], undefined],
    [
      'is unknown after a break of weeks',
      facts.filter(({ at }) => at < FROM - 20 * DAY_MS || at >= FROM + 9 * DAY_MS),
      undefined,
    ],
  ])('%s', async (_name, ofApp, beginsAt) => {
    const archive = await read(createFakeMetricSource(ofApp), median);
    expect(archive.beginsAt('demo')).toBe(beginsAt);
  });
});
