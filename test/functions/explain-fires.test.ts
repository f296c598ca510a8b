import { describe, expect, it } from 'vitest';
import { ruleNamed } from '../fixtures/builders.ts';
import { createWorld, type Parts } from './world.ts';

const PLATFORMS: Record<string, number> = { android: 0.5, ios: 0.4, web: 0.1 };
const VERSIONS: Record<string, number> = { '5.1.0': 0.2, '5.2.0': 0.8 };
const BROKEN_ON = 20;

/** 10,000 a day; from day 20 on hardly any on Android 5.2.0. */
const parts: Parts = {
  values: { device_platform: Object.keys(PLATFORMS), app_version: Object.keys(VERSIONS) },
  figure(day, { device_platform, app_version }) {
    const platforms = device_platform ? [device_platform] : Object.keys(PLATFORMS);
    const versions = app_version ? [app_version] : Object.keys(VERSIONS);
    let sum = 0;
    for (const platform of platforms)
      for (const version of versions) {
        const isBroken = day >= BROKEN_ON && platform === 'android' && version === '5.2.0';
        sum += 10_000 * (PLATFORMS[platform] ?? 0) * (VERSIONS[version] ?? 0) * (isBroken ? 0.02 : 1);
      }
    return Math.round(sum);
  },
};
const rules = [ruleNamed('sales', { fire: { change: { below: '-10%' } } })];
const figure = (day: number) => parts.figure(day, {});

describe('the word of a fire', () => {
  it('names what drove it, two attributes deep', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON);
    const [item] = world.channel.sent[0]?.items ?? [];
    const fact = item?.facts.find(({ label }) => label === 'What drove it');
    expect(fact?.text).toContain('Platform android, version 5.2.0 explains all of the fall');
  });

  it('asks nothing as long as nothing fires', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    expect(world.source.questions.filter(({ groupBy }) => groupBy)).toEqual([]);
  });

  it('is sent all the same where that cannot be asked', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    const { source } = world;
    const read = source.read.bind(source);
    source.read = async (question, budget) =>
      question.groupBy ? { kind: 'budget-spent', reason: 'no calls are left' } : read(question, budget);
    await world.tick(BROKEN_ON);
    expect(world.told()).toEqual(['fired sales']);
    expect(JSON.stringify(world.channel.sent)).not.toContain('What drove it');
  });

  it('is explained for the first few of many, that all fell together', async () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      ruleNamed(`rule-${i}`, { fire: { change: { below: '-10%' } } }),
    );
    const world = createWorld({ rules: many, figure, parts });
    await world.ticks(0, BROKEN_ON);
    expect(world.channel.sent[0]?.title).toBe('12 alerts fired');
    expect(world.source.questions.filter(({ groupBy }) => groupBy).length).toBeLessThanOrEqual(5 * 6);
  });
});
