import { describe, expect, it } from 'vitest';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import type { ReadingRow } from '../../../shared/readings/reading.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';
import { createWorld } from '../world.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => `v${String(i).padStart(3, '0')}`);
const byVersion = (overrides: Record<string, unknown> = {}) =>
  ruleNamed('by-version', { group_by: 'app_version', fire: { change: { below: '-5%' } }, ...overrides });

describe('the segments of one rule', () => {
  const segments = names(90);
  /** About 1,000 a day with noise of 5%, unless `special` has a figure. */
  const quiet =
    (special: (day: number, segment: string) => number | undefined) =>
    (day: number, { segment = '' }: { segment?: string }) =>
      special(day, segment) ?? Math.round(1000 * Math.exp(0.05 * noise(day, segment)));

  it('fire at most once by chance, as false discoveries are limited', async () => {
    const world = createWorld({ rules: [byVersion()], segments, figure: quiet(() => undefined) });
    await world.ticks(0, 24);
    const alone = createWorld({
      rules: [byVersion({ false_discovery: { rate: '99%' } })],
      segments,
      figure: quiet(() => undefined),
    });
    await alone.ticks(0, 24);
    expect(world.notified().filter((line) => line.startsWith('fired')).length).toBeLessThanOrEqual(1);
    expect(alone.notified().length).toBeGreaterThan(world.notified().length);
  });

  it('do not hide a segment that falls by a third', async () => {
    const fell = quiet((day, segment) => (segment === 'v042' && day >= 20 ? 660 : undefined));
    const world = createWorld({ rules: [byVersion()], segments, figure: fell });
    await world.ticks(0, 20);
    expect(world.notified()).toContain('fired by-version [v042]');
    const text = JSON.stringify(world.channel.sent[0]);
    expect(text).toContain('among 90 segments tested');
  });

  it('that are too small to test never fire and do not count as tests', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'v000' ? (day >= 20 ? 500 : 1000) : day === 20 ? 0 : 3;
    const world = createWorld({ rules: [byVersion()], segments, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-version [v000]']);
    expect(JSON.stringify(world.channel.sent[0])).not.toContain('segments tested');
  });

  it('are the largest of both windows, up to max_segments', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'v000' ? 100 : day >= 20 ? 0 : 1000;
    const world = createWorld({ rules: [byVersion({ max_segments: 1 })], segments: names(2), figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-version [v001]']);
  });

  it('that are new are compared with the minimum', async () => {
    const rises = { fire: { change: { above: '50%' } }, minimum: { current: 100 }, new_segments: 'report' };
    const sizes: Record<string, number> = { v001: 400, v002: 40 };
    const figure = (day: number, { segment = '' }: { segment?: string }) =>
      segment === 'v000' ? 500 : day >= 20 ? sizes[segment] : undefined;
    const world = createWorld({ rules: [byVersion(rises)], segments: names(3), figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-version [v001]']);
    expect(world.channel.sent[0]?.text).toContain('new');
  });
});

describe('a segment that is younger than its event', () => {
  const rises = { fire: { change: { above: '50%', below: '-50%' } } };
  /** v000 has 400 a day; v001 starts on day 20, with a partial day. */
  const beginning =
    (later: (day: number) => number) =>
    (day: number, { segment }: { segment?: string }) =>
      segment === 'v000' ? 400 : segment === 'v001' && day >= 20 ? (day === 20 ? 30 : later(day)) : undefined;
  const notifiedOf = async (rule: Record<string, unknown>, later: (day: number) => number, through = 40) => {
    const rules = [byVersion({ group_by: 'device_country', ...rises, ...rule })];
    const world = createWorld({ rules, segments: names(2), figure: beginning(later) });
    await world.ticks(0, through);
    return world.notified();
  };

  it.each([
    ['the window before', { compare: { to: 'previous_period' } }, 22],
    ['the same day a week before', { compare: { to: 'same_weekday' } }, 28],
    ['four weeks', { compare: { median_of: '4 weeks' } }, 49],
  ] as const)('is evaluated once it can be compared with %s', async (_name, rule, from) => {
    expect(await notifiedOf(rule, (day) => (day < from ? 90 : 400), from)).toEqual([
      'fired by-version [v001]',
    ]);
    expect(await notifiedOf(rule, (day) => (day === from - 1 ? 400 : 90), from - 1)).toEqual([]);
  });

  it('is evaluated after the time in new_segments', async () => {
    const rule = { compare: { to: 'previous_period' }, new_segments: '10 days' };
    expect(await notifiedOf(rule, (day) => (day < 25 ? 90 : 400))).toEqual([]);
    expect(await notifiedOf(rule, (day) => (day < 31 ? 90 : 400), 31)).toEqual(['fired by-version [v001]']);
  });

  it('fires at once with new_segments: report or with a bound of the level', async () => {
    const reported = { compare: { to: 'previous_period' }, new_segments: 'report', minimum: { current: 80 } };
    expect(await notifiedOf(reported, () => 90, 21)).toEqual(['fired by-version [v001]']);
    const level = { compare: { to: 'previous_period' }, fire: { current: { above: 420 } } };
    expect(await notifiedOf(level, () => 450, 21)).toEqual(['fired by-version [v001]']);
  });
});

describe('a rollout', () => {
  const rule = byVersion({
    metric: 'event_count',
    compare: { to: 'same_weekday' },
    fire: { change: { above: '50%', below: '-50%' } },
  });
  /** The share of v001, which takes over from v000 within two weeks from day 30 on. */
  const shareAt = (day: number) => Math.min(1, Math.max(0, (day - 29) / 14));
  const worldOf = (special: (day: number, segment: string, amount: number) => number) => {
    const figure = (day: number, { segment = '' }: { segment?: string }) => {
      const share = segment === 'v000' ? 1 - shareAt(day) : segment === 'v001' ? shareAt(day) : 0.3;
      const amount = 400 * share * Math.exp(0.03 * noise(day, segment));
      return share === 0 ? undefined : Math.round(special(day, segment, amount));
    };
    return createWorld({ rules: [rule], segments: names(3), figure });
  };

  it('does not fire', async () => {
    const world = worldOf((_day, _segment, amount) => amount);
    await world.ticks(0, 60);
    expect(world.notified()).toEqual([]);
  });

  it('does not hide a rise of the new version or of another one', async () => {
    const broken = worldOf((day, segment, amount) => (segment === 'v001' && day >= 41 ? 3 * amount : amount));
    await broken.ticks(0, 41);
    expect(broken.notified()).toEqual(['fired by-version [v001]']);
    const other = worldOf((day, segment, amount) => (segment === 'v002' && day >= 41 ? 3 * amount : amount));
    await other.ticks(0, 41);
    expect(other.notified()).toEqual(['fired by-version [v002]']);
  });
});

describe('a service that returns the hundred largest segments of the window', () => {
  /** Peru is among the largest; the smallest segment that is returned has some 1,000. */
  const hundred = (peru: (day: number) => number) => {
    const figure = (day: number, { segment = '' }: { segment?: string }) =>
      segment === 'Peru'
        ? peru(day)
        : segment < 'v110'
          ? Math.round(1000 * Math.exp(0.02 * noise(day, segment)))
          : 20;
    const rule = byVersion({ fire: { change: { below: '-50%', above: '50%' } } });
    const world = createWorld({ rules: [rule], segments: ['Peru', ...names(120)], figure });
    world.source.hasBuckets = false;
    world.source.read = folded(world.source.read.bind(world.source));
    return world;
  };

  it.each([
    ['stops entirely', 0],
    ['falls below the others', 500],
    ['falls and stays among the largest', 1500],
  ])('does not hide a segment that %s', async (_name, left) => {
    const world = hundred((day) => (day >= 20 ? left : 5000));
    await world.ticks(15, 20);
    expect(world.notified()).toEqual(['fired by-version [Peru]']);
  });

  it('does not fire for a segment that is only sometimes among the hundred', async () => {
    const world = hundred((day) => (day % 2 === 0 ? 900 : 1100));
    await world.ticks(15, 24);
    expect(world.notified()).toEqual([]);
  });
});

type Read = MetricSource['read'];

/** Folds all but the hundred largest segments of the window into one row. */
function folded(read: Read): Read {
  return async (question, budget) => {
    const result = await read(question, budget);
    if (result.kind !== 'read') return result;
    const size = ({ current }: ReadingRow) => current?.event_count ?? 0;
    const rows = result.value.toSorted((a, b) => size(b) - size(a));
    const rest = rows.slice(100);
    const sum = rest.reduce((total, row) => total + size(row), 0);
    const figures = { current: { event_count: sum }, previous: { event_count: sum } };
    const [first] = rest;
    const row = first && { ...first, segment: 'others', isRest: true as const, ...figures };
    return { kind: 'read', value: [...rows.slice(0, 100), ...(row ? [row] : [])] };
  };
}

describe('beyond the declared number of segments', () => {
  const rule = byVersion({ max_segments: 2, fire: { change: { below: '-30%' } } });
  const segments = names(6);

  it('all others are one alert on their sum', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'v000' || segment === 'v001' ? 1000 : day >= 20 ? 10 : 100;
    const world = createWorld({ rules: [rule], segments, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-version [others]']);
    expect(world.channel.sent[0]?.text).toContain('40 events on');
  });

  it('others have no alert for users, who may be in two segments', async () => {
    const users = byVersion({ metric: 'event_users', max_segments: 2 });
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'v000' || segment === 'v001' ? 1000 : day >= 20 ? 10 : 100;
    const world = createWorld({ rules: [users], segments, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual([]);
  });
});
