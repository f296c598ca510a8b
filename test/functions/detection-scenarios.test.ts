import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { dayAt, MONDAY, ruleNamed } from '../fixtures/builders.ts';
import { noise } from '../fixtures/noise.ts';
import { createWorld } from './world.ts';

/** `level` with noise of about 5%. */
const about = (level: number, day: number) => Math.round(level * Math.exp(0.05 * noise(day)));
const weekly = { compare: { to: 'same_weekday' } };
const WEEK = [3000, 3100, 2900, 3000, 3200, 1500, 1000];
const weekday = (day: number) => WEEK[((Math.floor(day) % 7) + 7) % 7] ?? 0;

describe('common causes of false alerts', () => {
  it('a partial current period does not fire', async () => {
    const hourly = ruleNamed('sales', { every: 'hour at :20', window: 'day' });
    const soFar = (day: number, _: unknown, now: number) =>
      Math.round(about(1000, day) * Math.min(1, Math.max(0, (now - MONDAY - day * DAY_MS) / DAY_MS)));
    const world = createWorld({ rules: [hourly], figure: soFar });
    for (let hour = 0; hour < 24 * 14; hour++) await world.tickAt(MONDAY + hour * HOUR_MS + HOUR_MS / 3);
    expect(world.notified()).toEqual([]);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.last?.current.window).toEqual(dayAt(12));
  });

  it('an app that is a few hours old does not fire', async () => {
    const unusual = ruleNamed('unusual', {
      every: 'hour at :15',
      compare: undefined,
      fire: undefined,
      anomaly: true,
    });
    for (const age of [3, 5, 8]) {
      const figure = (day: number) => {
        const hour = Math.round(day * 24);
        return hour < 24 - age ? undefined : about(200, hour);
      };
      const world = createWorld({ rules: [unusual], figure });
      for (let hour = 24; hour < 34; hour++) await world.tickAt(MONDAY + (hour + 1) * HOUR_MS + HOUR_MS / 4);
      expect(world.notified(), `${age} hours old`).toEqual([]);
    }
  });

  it('a few events after a baseline of zero do not fire, but many do', async () => {
    const rise = ruleNamed('errors', { fire: { change: { above: '50%' } }, minimum: { current: 20 } });
    const few = createWorld({ rules: [rise], figure: (day) => (day === 20 ? 3 : 0) });
    await few.ticks(0, 21);
    expect(few.notified()).toEqual([]);

    const many = createWorld({ rules: [rise], figure: (day) => (day === 20 ? 300 : 0) });
    await many.ticks(0, 20);
    expect(many.notified()).toEqual(['fired errors']);
    expect(many.channel.sent[0]?.text).toContain('new, 300 events');
  });

  it('a rise from 2 to 4 users does not fire', async () => {
    const users = ruleNamed('users', { metric: 'event_users', fire: { change: { above: '50%' } } });
    const world = createWorld({ rules: [users], figure: (day) => (day === 20 ? 4 : 2) });
    await world.ticks(0, 21);
    expect(world.notified()).toEqual([]);
  });

  it('a mean of 3 sessions on a holiday does not fire', async () => {
    const rule = ruleNamed('length', {
      metric: 'session_seconds',
      filters: [],
      ...weekly,
      fire: { change: { above: '50%', below: '-30%' } },
    });
    const length = (holiday: number) =>
      createWorld({
        rules: [rule],
        sessions: (day) => (day === 35 ? 3 : about(1000, day)),
        figure: (day) => (day === 35 ? holiday : 120 * Math.exp(0.02 * noise(day))),
      });
    // Means of three sessions with a standard deviation of 90 s around 120 s.
    for (const seconds of [45, 60, 75, 190, 230]) {
      const world = length(seconds);
      await world.ticks(0, 43);
      expect(world.notified()).toEqual([]);
    }
  });

  it('a day of 25 hours does not fire', async () => {
    const zone = 'Europe/Berlin';
    // Sunday, 25 October 2026 has 25 hours there: 4.2% more events, at the same rate as the day before.
    const bound = { change: { above: '3%', below: '-3%' } };
    const rule = ruleNamed('steady', { zone, every: 'day at 03:30', fire: bound, confidence: 0.5 });
    const long = Date.UTC(2026, 9, 24, 22);
    const figure = (day: number) => (MONDAY + day * DAY_MS === long ? 25_000 : 24_000);
    const world = createWorld({ rules: [rule], figure });
    for (let day = 0; day < 8; day++) await world.tickAt(long + (day - 4) * DAY_MS + 2.5 * HOUR_MS);
    const [alert] = await world.alerts.loadOfRule('steady');
    expect(alert?.evaluatedThroughAt).toBeGreaterThan(long + 25 * HOUR_MS);
    expect(world.notified()).toEqual([]);
  });

  it('the day and the week after a spike do not fire', async () => {
    const spike = (day: number) => (day === 20 ? 5000 : about(1000, day));
    const both = { fire: { change: { above: '50%', below: '-30%' } } };
    const rules = [
      ruleNamed('daily', both),
      ruleNamed('weekly', { ...both, ...weekly }),
      ruleNamed('median', { ...both, compare: undefined }),
      ruleNamed('unusual', { compare: undefined, fire: undefined, anomaly: true }),
    ];
    const world = createWorld({ rules, figure: spike });
    await world.ticks(0, 40);
    const notified = (id: string) => world.notified().filter((line) => line.endsWith(id));
    for (const { id } of rules) expect(notified(id)).toEqual([`fired ${id}`, `recovered ${id}`]);
  });
});

describe('incidents that percentage thresholds miss', () => {
  it('sessions of half the length fire if there are many', async () => {
    const rule = ruleNamed('length', { metric: 'session_seconds', filters: [], ...weekly });
    const world = createWorld({
      rules: [rule],
      sessions: (day) => about(200, day),
      figure: (day) => (day === 35 ? 60 : 120 * Math.exp(0.02 * noise(day))),
    });
    await world.ticks(0, 35);
    expect(world.notified()).toEqual(['fired length']);
  });

  it('a second fall fires soon after the first was rebaselined', async () => {
    const fell = (day: number) => about(weekday(day) * (day >= 74 ? 0.2 : day >= 57 ? 0.4 : 1), day);
    const fire = { change: { below: '-20%' } };
    const rules = [
      ruleNamed('median', { compare: undefined, fire }),
      ruleNamed('weekly', { ...weekly, fire }),
    ];
    const world = createWorld({ rules, figure: fell });
    await world.ticks(50, 77);
    for (const { id } of rules)
      expect(world.notified().filter((line) => line.endsWith(id))).toEqual(
        ['fired', 'accepted', 'fired'].map((transition) => `${transition} ${id}`),
      );
  });
});

describe('deliveries that are repeated or out of order', () => {
  const fell = (day: number) => about(day === 20 ? 400 : 1000, day);

  it('a repeated tick changes nothing', async () => {
    const world = createWorld({ rules: [ruleNamed('sales')], figure: fell });
    await world.ticks(0, 20);
    const before = await world.alerts.loadOfRule('sales');
    await world.tick(20);
    for (const batch of world.planned) await world.check(batch);
    expect(await world.alerts.loadOfRule('sales')).toEqual(before);
    expect(world.notified()).toEqual(['fired sales']);
  });

  it('two concurrent runs of a batch lose no segment', async () => {
    const rule = ruleNamed('by-version', { group_by: 'app_version', max_segments: 100 });
    const segments = Array.from({ length: 40 }, (_, i) => `1.${i}`);
    const world = createWorld({ rules: [rule], segments, figure: fell });
    await world.ticks(0, 19);
    const { alerts } = world;
    const [save, loadOfRule] = [alerts.save.bind(alerts), alerts.loadOfRule.bind(alerts)];
    let [saves, loads] = [0, 0];
    alerts.save = async (alert) => {
      saves += 1;
      const [batch] = world.planned.slice(-1);
      if (saves === 1 && batch) await world.check(batch);
      return save(alert);
    };
    alerts.loadOfRule = (ruleId) => {
      loads += 1;
      return loadOfRule(ruleId);
    };
    await world.tick(20);
    // After a conflict, the run loads all segments at once, not each of them.
    expect(loads).toBeLessThan(8);
    const firing = (await loadOfRule('by-version')).filter(({ state }) => state === 'firing');
    expect(firing).toHaveLength(segments.length);
  });

  it('a tick that comes after a later one changes nothing', async () => {
    const world = createWorld({ rules: [ruleNamed('sales')], figure: fell });
    await world.ticks(0, 19);
    await world.tick(21);
    await world.tick(20);
    await world.tick(22);
    expect(world.notified()).toEqual(['fired sales', 'recovered sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.evaluatedThroughAt).toBe(dayAt(22).endAt);
  });
});
