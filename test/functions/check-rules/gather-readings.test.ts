import { describe, expect, it } from 'vitest';
import { Gathering } from '../../../functions/check-rules/gather-readings.ts';
import { dueWindows } from '../../../shared/planning/plan.ts';
import { isRead, type Need } from '../../../shared/planning/wanted-readings.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { seriesOf } from '../../../shared/readings/series.ts';
import type { ReadingStore } from '../../../shared/readings/snapshots.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { inMemoryReadingStore } from '../../../shared/store/in-memory/stores.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import type { Window } from '../../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { createFakeMetricSource, type FakeMetricSource } from '../../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const NOON = MONDAY + 12 * HOUR_MS;
const EVER = { fromEndAt: -Infinity, throughEndAt: Infinity };

const seasonal = ruleNamed('hourly', { every: 'hour', anomaly: true, compare: { to: 'seasonal' } });
const median = ruleNamed('daily', { compare: { median_of: '4 weeks' } });
const previous = ruleNamed('previous', { every: 'hour' });

/** A source with time buckets, a store, and a function that gathers readings for rules. */
function world(overrides: { source?: MetricSource; readings?: ReadingStore } = {}) {
  const source = createFakeMetricSource([]);
  const readings = inMemoryReadingStore();
  let now = NOON;
  const gather = async (rules: FigureRule[], at = NOON, need: Partial<Need> = {}) => {
    now = at;
    const [first = seasonal] = rules;
    const { family, calendar } = seriesOf(first);
    const needs = rules.map((rule) => ({
      ...{ rule, memories: [], again: [], windows: dueWindows(rule, at, undefined) },
      ...need,
    }));
    const gathering = await Gathering.begin(family, needs, {
      ...{ source, readings, calendarWindows: new CalendarWindows(calendar), now: () => now },
      ...{ scheduledAt: at, readUntilAt: at + 60_000, ...overrides },
    });
    await gathering.readNeeded(undefined);
    await gathering.readAgain(undefined);
    await gathering.readHistory(at + 1000);
    return gathering;
  };
  return { gather, source, readings, later: (ms: number) => (now += ms), family: seriesOf };
}

const calls = ({ questions, ranges }: FakeMetricSource) => questions.length + ranges.length;
const hoursOf = (windows: Window[]) => windows.map(({ startAt }) => (startAt - MONDAY) / HOUR_MS);
const keptOf = async (readings: ReadingStore, rule: FigureRule) => readings.load(seriesOf(rule).family, EVER);

describe('the history of a new rule', () => {
  it.each([
    ['ten weeks of hours', seasonal, 3, 1681],
    ['the weeks of a median', median, 4, 57 + 28],
    ['57 weeks of days', ruleNamed('d', { anomaly: true, compare: { to: 'seasonal' } }), 16, 400],
    ['the hours before', previous, 2, 73],
  ])('takes a few questions for %s, and none in the next run', async (_name, rule, most, windows) => {
    const { gather, source, readings } = world();
    await gather([rule]);
    expect(calls(source)).toBeLessThanOrEqual(most);
    expect(await keptOf(readings, rule)).toHaveLength(windows);
    const before = calls(source);
    await gather([rule]);
    expect(calls(source)).toBe(before);
    await gather([rule], NOON + (rule.window === 'day' ? DAY_MS : HOUR_MS));
    expect(calls(source)).toBe(before + 1);
  });

  it('is read with spare calls, after the due windows', async () => {
    const { gather, source } = world();
    const asked: string[] = [];
    const read = source.read.bind(source);
    source.read = (question, budget) => {
      asked.push(`window ${budget}`);
      return read(question, budget);
    };
    source.readRange = async (_question, budget) => {
      asked.push(`range ${budget}`);
      return { kind: 'budget-spent', reason: 'no calls are left' };
    };
    const gathering = await gather([seasonal]);
    expect(asked).toEqual(['window whole', 'range spare']);
    const [window] = dueWindows(seasonal, NOON, undefined);
    expect(
      window && gathering.gapFor({ rule: seasonal, memories: [], windows: [], again: [] }, window),
    ).toBeUndefined();
    expect([gathering.trouble, gathering.failure]).toEqual([undefined, undefined]);
  });

  it('is read window by window, newest first, if there are no time buckets', async () => {
    const { gather, source, readings, later } = world();
    source.readRange = async () => ({ kind: 'unsupported', reason: 'no buckets' });
    const read = source.read.bind(source);
    source.read = (question) => {
      later(100);
      return read(question);
    };
    await gather([previous]);
    expect(hoursOf(source.questions.map(({ window }) => window))).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(source.questions).toHaveLength(10);
    for (let run = 0; run < 7; run++) await gather([previous]);
    expect(source.questions).toHaveLength(73);
    expect(await keptOf(readings, previous)).toHaveLength(73);
  });

  it('is shared by rules on several events, and read only for new events', async () => {
    const { gather, source } = world();
    const onEvent = (value: string) =>
      ruleNamed(value, { every: 'hour', filters: [{ attribute: 'event_name', operator: 'equal', value }] });
    await gather([onEvent('a'), onEvent('b')]);
    expect(source.ranges.map(({ eventNames }) => eventNames)).toEqual([['a', 'b']]);
    await gather([onEvent('a'), onEvent('b'), onEvent('c')]);
    expect(source.ranges.slice(1).map(({ eventNames }) => eventNames)).toEqual([['c']]);
  });
});

describe('missed windows', () => {
  const missed = { windows: dueWindows(previous, NOON, NOON - 6 * HOUR_MS) };

  it('are read by one question, together with the baseline of the first', async () => {
    const { gather, source } = world();
    const gathering = await gather([previous], NOON, missed);
    expect(hoursOf(source.ranges[0]?.windows ?? [])).toEqual([5, 6, 7, 8, 9, 10]);
    const need = { rule: previous, memories: [], again: [], ...missed };
    expect(missed.windows.map((window) => gathering.gapFor(need, window))).toEqual(
      missed.windows.map(() => undefined),
    );
    const [first] = missed.windows;
    const before = first && new CalendarWindows(seriesOf(previous).calendar).before(first);
    expect(before && isRead(gathering.history, previous, before)).toBe(true);
  });

  it('are read one by one, oldest first, if there are no time buckets', async () => {
    const { gather, source } = world();
    source.readRange = async () => ({ kind: 'unsupported', reason: 'no buckets' });
    await gather([previous], NOON, missed);
    const count = missed.windows.length;
    expect(hoursOf(source.questions.slice(0, count).map(({ window }) => window))).toEqual(
      hoursOf(missed.windows),
    );
  });

  it('are read in smaller questions if the service fails for many windows', async () => {
    const { gather, source } = world();
    const readRange = source.readRange.bind(source);
    source.readRange = async (range) =>
      range.windows.length > 3 ? { kind: 'failed', reason: 'too slow', retryable: true } : readRange(range);
    const gathering = await gather([previous], NOON, missed);
    const need = { rule: previous, memories: [], again: [], ...missed };
    expect(missed.windows.map((window) => gathering.gapFor(need, window))).toEqual(
      missed.windows.map(() => undefined),
    );
  });

  it('are inconclusive after the time limit of the run', async () => {
    const { gather, source, later } = world();
    source.readRange = async () => ({ kind: 'unsupported', reason: 'no buckets' });
    const read = source.read.bind(source);
    source.read = (question) => {
      later(25_000);
      return read(question);
    };
    const gathering = await gather([previous], NOON, missed);
    const need = { rule: previous, memories: [], again: [], ...missed };
    const gaps = missed.windows.map((window) => gathering.gapFor(need, window)?.kind);
    expect(gaps.slice(0, 4)).toEqual([undefined, undefined, undefined, 'inconclusive']);
    expect(gathering.trouble?.kind).toBe('inconclusive');
  });

  it('are failed if they could not be read', async () => {
    const { gather, source } = world();
    for (let i = 0; i < 2; i++) source.failNext({ kind: 'failed', reason: 'down', retryable: true });
    const gathering = await gather([previous], NOON, missed);
    const [window] = missed.windows;
    const need = { rule: previous, memories: [], again: [], ...missed };
    expect(window && gathering.gapFor(need, window)).toEqual({
      kind: 'failed',
      reason: { code: 'read-failed', error: 'down' },
    });
    expect(gathering.failure).toBeDefined();
    expect(calls(source)).toBe(2);
  });
});

it('a run after a crash reads only the missing snapshots', async () => {
  for (let saves = 0; saves < 75; saves += 7) {
    const readings = inMemoryReadingStore();
    let left = saves;
    const mortal: ReadingStore = {
      load: (...args) => readings.load(...args),
      save: async (snapshot) => {
        if (left-- <= 0) throw new Error('died');
        await readings.save(snapshot);
      },
    };
    const first = world({ readings: mortal });
    await expect(first.gather([previous])).rejects.toThrow('died');
    const next = world({ readings });
    await next.gather([previous]);
    const kept = await keptOf(readings, previous);
    expect(new Set(kept.map(({ window }) => window.endAt)).size, `died after ${saves}`).toBe(73);
    expect(kept).toHaveLength(73);
    expect(next.source.ranges.flatMap(({ windows }) => windows).length).toBeLessThanOrEqual(73 - saves + 500);
  }
});

describe('a window that may have changed', () => {
  const due = dueWindows(previous, NOON, undefined);
  const [window = { startAt: 0, endAt: 0 }] = dueWindows(previous, NOON - 6 * HOUR_MS, undefined);
  const again = [{ window, since: NOON }];

  it('is reread by the question for the due window, and both snapshots are kept', async () => {
    const { gather, source, readings } = world();
    await gather([previous], NOON - 6 * HOUR_MS);
    const before = calls(source);
    await gather([previous], NOON, { again, windows: due });
    expect(calls(source)).toBe(before + 1);
    const snapshots = (await keptOf(readings, previous)).filter(
      (snapshot) => snapshot.window.endAt === window.endAt,
    );
    expect(snapshots.map(({ rereadAt }) => rereadAt)).toEqual([undefined, NOON]);
  });
});
