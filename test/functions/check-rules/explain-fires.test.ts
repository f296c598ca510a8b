import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DRIVER_ATTRIBUTES } from '../../../shared/evaluation/driver-questions.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { createWorld, type Parts } from '../world.ts';

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

describe('the message of a fire', () => {
  it('names the combination of two attributes that drove it', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON);
    const [item] = world.channel.sent[0]?.items ?? [];
    const fact = item?.facts.find(({ label }) => label === 'What drove it');
    const sentence = 'Platform android with app version 5.2.0 explains all of the fall';
    expect(fact?.text).toContain(sentence);
    await world.tick(BROKEN_ON + 1);
    const [alert] = await world.alerts.load([{ ruleId: 'sales', segment: null }]);
    expect(alert?.fired?.drivers?.drivers[0]?.values).toEqual({
      device_platform: 'android',
      app_version: '5.2.0',
    });
  });

  it('says that nothing stands out if all parts fell equally', async () => {
    const alike: Parts = {
      ...parts,
      figure: (day, values) => Math.round(parts.figure(0, values) * (day >= BROKEN_ON ? 0.4 : 1)),
    };
    const world = createWorld({ rules, figure: (day) => alike.figure(day, {}), parts: alike });
    await world.ticks(0, BROKEN_ON);
    const [item] = world.channel.sent[0]?.items ?? [];
    expect(item?.facts.find(({ label }) => label === 'What drove it')?.text).toBe(
      'No platform or app version stands out against the others.',
    );
  });

  it('names no drivers if the figure moved against its bound', async () => {
    const aboveOne = ruleNamed('sales', { fire: { current: { above: 1 } } });
    const world = createWorld({ rules: [aboveOne], figure, parts });
    await world.ticks(BROKEN_ON, BROKEN_ON);
    const [item] = world.channel.sent[0]?.items ?? [];
    expect(item?.headline).toBe('The rule sales at 6,080 events, above the bound of 1');
    expect(item?.facts.map(({ label }) => label)).not.toContain('What drove it');
  });

  it('needs no questions while nothing fires', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    expect(world.source.questions.filter(({ groupBy }) => groupBy)).toEqual([]);
  });

  it('is sent without drivers if the budget is exhausted', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    const { source } = world;
    const read = source.read.bind(source);
    source.read = async (question, budget) =>
      question.groupBy ? { kind: 'budget-spent', reason: 'no calls are left' } : read(question, budget);
    await world.tick(BROKEN_ON);
    expect(world.notified()).toEqual(['fired sales']);
    expect(JSON.stringify(world.channel.sent)).not.toContain('What drove it');
  });

  it('does not wait for a service that never answers', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    const { source } = world;
    const read = source.read.bind(source);
    source.read = (question, budget) => (question.groupBy ? new Promise(() => {}) : read(question, budget));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const tick = world.tick(BROKEN_ON);
    await vi.advanceTimersByTimeAsync(20_000);
    await tick;
    expect(world.notified()).toEqual(['fired sales']);
  });

  it('does not wait for many slow answers', async () => {
    const world = createWorld({ rules, figure, parts });
    await world.ticks(0, BROKEN_ON - 1);
    const { source, clock } = world;
    const read = source.read.bind(source);
    let asked = 0;
    source.read = (question, budget) => {
      if (question.groupBy) {
        asked += 1;
        clock.advanceTo(clock.now() + 15_000);
      }
      return read(question, budget);
    };
    await world.tick(BROKEN_ON);
    expect(world.notified()).toEqual(['fired sales']);
    expect(asked).toBe(2);
  });

  it('is sent without drivers after a failed question of the same run', async () => {
    const world = createWorld({
      rules: [...rules, ruleNamed('more', { fire: { change: { below: '-10%' } } })],
      figure,
      parts,
    });
    await world.ticks(0, BROKEN_ON - 1);
    const { source } = world;
    const read = source.read.bind(source);
    let asked = 0;
    source.read = async (question, budget) => {
      if (!question.groupBy) return read(question, budget);
      asked += 1;
      return { kind: 'failed', reason: 'it is down', retryable: true };
    };
    await world.tick(BROKEN_ON);
    expect(world.notified().toSorted()).toEqual(['fired more', 'fired sales']);
    expect(asked).toBeLessThanOrEqual(2);
  });

  it('is explained after many fires that no question can explain', async () => {
    const filters = DRIVER_ATTRIBUTES.map((attribute) => ({ attribute, operator: 'equal', value: 'ios' }));
    const narrow = Array.from({ length: 6 }, (_, i) =>
      ruleNamed(`narrow-${i}`, { severity: 'critical', filters, fire: { change: { below: '-10%' } } }),
    );
    const world = createWorld({ rules: [...narrow, ...rules], figure, parts });
    await world.ticks(0, BROKEN_ON);
    const [narrowest] = await world.alerts.loadOfRule('narrow-5');
    expect(narrowest).toMatchObject({ state: 'firing', fired: { baseline: { value: 10_000 } } });
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.fired?.drivers?.drivers).toHaveLength(1);
  });

  it('is explained for the first five of many rules that fell together', async () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      ruleNamed(`rule-${i}`, { fire: { change: { below: '-10%' } } }),
    );
    const world = createWorld({ rules: many, figure, parts });
    await world.ticks(0, BROKEN_ON);
    expect(world.channel.sent[0]?.title).toBe(
      'Tracking or the data source of demo may be down: 12 of 12 counts fell together',
    );
    expect(world.source.questions.filter(({ groupBy }) => groupBy).length).toBeLessThanOrEqual(5 * 6);
  });
});
