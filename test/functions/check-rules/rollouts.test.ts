import { describe, expect, it } from 'vitest';
import { ruleNamed } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';
import { createWorld } from '../world.ts';

const errors = (overrides: Record<string, unknown>) =>
  ruleNamed('errors', {
    group_by: 'app_version',
    compare: { to: 'same_weekday' },
    minimum: { current: 30 },
    fire: { change: { above: '50%' } },
    ...overrides,
  });
const sized = (size: number, day: number, segment: string, spread = 0.05) =>
  Math.round(size * Math.exp(spread * noise(day, segment)));

/** v000 has `old` a day; v001 starts on day 10 with 100 a day, or the result of `later`. */
const worldOf = (old: number, later: (day: number) => number | undefined) => {
  const figure = (day: number, { segment = '' }: { segment?: string }) => {
    if (segment === 'v000') return sized(old, day, segment);
    return day < 10 ? undefined : (later(day) ?? sized(100, day, segment));
  };
  return createWorld({ rules: [errors({})], segments: ['v000', 'v001'], figure });
};

describe('weeks after a release', () => {
  it.each([1000, 300])('a rise of its errors fires next to an old version with %d a day', async (old) => {
    const world = worldOf(old, (day) => (day >= 45 ? 250 : undefined));
    await world.ticks(0, 48);
    expect(world.notified()).toEqual(['fired errors [v001]']);
  });

  it.each([90, 0])('a fall of an old version from 300 to %d fires', async (left) => {
    const figure = (day: number, { segment = '' }: { segment?: string }) => {
      if (segment === 'v000') return day >= 45 ? left : sized(300, day, segment);
      return day < 10 ? undefined : day >= 45 ? 1600 : sized(1500, day, segment);
    };
    const rule = errors({ fire: { change: { below: '-50%' } }, minimum: { baseline: 30 } });
    const world = createWorld({ rules: [rule], segments: ['v000', 'v001'], figure });
    await world.ticks(0, 48);
    expect(world.notified()).toEqual(['fired errors [v000]']);
  });

  it('an incident does not hide the next one', async () => {
    const isIncident = (day: number) => (day >= 45 && day < 49) || (day >= 80 && day < 84);
    const world = worldOf(1000, (day) => (isIncident(day) ? 250 : undefined));
    await world.ticks(0, 90);
    const episode = ['fired errors [v001]', 'recovered errors [v001]'];
    expect(world.notified()).toEqual([...episode, ...episode]);
  });
});

describe('during a rollout', () => {
  it('a rise fires if no other version fell, with the noise of other series', async () => {
    const figure = (day: number, { segment }: { segment?: string }) => {
      if (segment === 'v000') return 1000 + day;
      return day < 10 ? undefined : day >= 29 ? 250 : 100;
    };
    const world = createWorld({ rules: [errors({})], segments: ['v000', 'v001'], figure });
    await world.ticks(0, 30);
    expect(world.notified()).toEqual(['fired errors [v001]']);
    const text = JSON.stringify(world.channel.sent[0]);
    expect(text).toContain('as its history is part of a rollout');
  });

  it('an old version that stops fires if a newer one rose by less', async () => {
    const figure = (day: number, { segment }: { segment?: string }) => {
      if (segment === 'v000') return day >= 24 ? 0 : 300;
      return day < 10 ? undefined : day >= 24 ? 1600 : 1500;
    };
    const rule = errors({ fire: { change: { below: '-50%' } }, minimum: { baseline: 30 } });
    const world = createWorld({ rules: [rule], segments: ['v000', 'v001'], figure });
    await world.ticks(0, 26);
    expect(world.notified()).toEqual(['fired errors [v000]']);
  });
});

it('an old version that ends is explained by the new one before a larger fall of another', async () => {
  const figure = (day: number, { segment }: { segment?: string }) => {
    if (segment === 'v002') return day < 10 ? undefined : day >= 24 ? 150 : 50;
    if (segment === 'v001') return day >= 24 ? 0 : 100;
    return day >= 24 ? 850 : 1000;
  };
  const rule = errors({ fire: { change: { below: '-50%' } }, minimum: { baseline: 30 } });
  const world = createWorld({ rules: [rule], segments: ['v000', 'v001', 'v002'], figure });
  await world.ticks(0, 26);
  expect(world.notified()).toEqual([]);
});

describe('a shop that releases every two weeks', () => {
  const RELEASES = 5;
  /** The share of users with a release on a day; half of them update within two days. */
  const reachOf = (release: number, day: number) => {
    if (release === 0) return 1;
    const age = day - 15 - 14 * (release - 1);
    return age < 0 ? 0 : 1 - 0.5 ** ((age + 0.5) / 2);
  };
  const figure = (day: number, { segment = '' }: { segment?: string }) => {
    const release = Number(segment.slice(1));
    const later = Array.from({ length: RELEASES - release }, (_, i) => reachOf(release + 1 + i, day));
    const size = later.reduce((left, reach) => left * (1 - reach), 4000 * reachOf(release, day));
    return size < 0.5 ? undefined : sized(size, day, segment);
  };

  it.each([
    ['the same weekday', { to: 'same_weekday' }],
    ['four weeks', { median_of: '4 weeks' }],
  ])('is not notified of its releases, compared with %s', async (_name, compare) => {
    const rule = errors({ compare, minimum: {}, fire: { change: { above: '50%', below: '-50%' } } });
    const segments = Array.from({ length: RELEASES + 1 }, (_, release) => `v${release}`);
    const world = createWorld({ rules: [rule], segments, figure });
    await world.ticks(0, 90);
    expect(world.notified()).toEqual([]);
  });
});
