import { describe, expect, it } from 'vitest';
import { seriesOf } from '../../../shared/readings/series.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { Crash, createWorld, type WorldOptions } from '../world.ts';

const rules = [ruleNamed('sales', { restate_for: '2 days' })];
const normal = (day: number) => (day % 2 ? 1030 : 970);

/** The figure of day 20 at its first read, and from one day later on. */
const restated = (first: number, later: number): WorldOptions => ({
  rules,
  figure: (day, _series, now) => {
    if (day !== 20) return normal(day);
    return now < dayAt(21).endAt ? first : later;
  },
});

const risesLater = restated(300, 980);
const fallsLater = restated(980, 300);

describe('late data', () => {
  it('that raises a low figure retracts the alert', async () => {
    const world = createWorld(risesLater);
    await world.ticks(0, 30);
    expect(world.notified()).toEqual(['fired sales', 'retracted sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert).toMatchObject({ state: 'normal', fired: null, incidents: [] });
  });

  it('that lowers a figure fires when the window is reread', async () => {
    const world = createWorld(fallsLater);
    await world.ticks(0, 21);
    expect(world.notified()).toEqual([]);
    await world.ticks(22, 22);
    expect(world.notified()).toContain('fired sales');
  });

  it('that changes little has no effect', async () => {
    const world = createWorld(restated(1000, 980));
    await world.ticks(0, 30);
    expect(world.notified()).toEqual([]);
  });

  it('is reread once, and with each new window while an alert is based on it', async () => {
    const world = createWorld(restated(300, 300));
    await world.ticks(0, 30);
    const kept = await world.readings.load(familyOf(), {
      fromEndAt: dayAt(19).endAt,
      throughEndAt: dayAt(20).endAt,
    });
    const reread = kept.flatMap(({ window, rereadAt }) =>
      rereadAt === undefined ? [] : [[(window.startAt - dayAt(0).startAt) / (24 * HOUR_MS), rereadAt]],
    );
    const tick = (day: number) => dayAt(day).endAt + HOUR_MS;
    expect(reread).toEqual([
      [19, tick(21)],
      [20, tick(21)],
      [20, tick(22)],
    ]);
  });

  it('needs no calls in hourly runs without a new window', async () => {
    const hourly = ruleNamed('sales', { every: 'hour', window: 'day', restate_for: '10 days' });
    const world = createWorld({ ...restated(300, 300), rules: [hourly] });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired sales']);
    const before = world.source.reads;
    for (let hour = 2; hour < 6; hour++) await world.tickAt(dayAt(20).endAt + hour * HOUR_MS);
    expect(world.source.reads).toBe(before);
  });

  it('of a long incident is reread only for its newest three windows', async () => {
    const world = createWorld({
      rules: [ruleNamed('sales', { restate_for: '10 days' })],
      figure: (day) => (day >= 20 ? 300 : normal(day)),
    });
    await world.ticks(0, 26);
    const kept = await world.readings.load(familyOf(), { fromEndAt: 0, throughEndAt: dayAt(26).endAt });
    const now = kept.filter(
      ({ rereadAt, window }) => rereadAt === dayAt(26).endAt + HOUR_MS && window.endAt > dayAt(20).startAt,
    );
    expect(now.map(({ window }) => window)).toEqual([dayAt(23), dayAt(24), dayAt(25)]);
  });

  it('is notified after a crash at any write', async () => {
    const bySegment: WorldOptions = {
      ...fallsLater,
      rules: [ruleNamed('sales', { group_by: 'device_country', restate_for: '2 days' })],
      segments: ['France', 'Malta'],
    };
    for (const [options, day, expected] of [
      [risesLater, 21, 'retracted sales'],
      [fallsLater, 22, 'fired sales'],
      [bySegment, 22, 'fired sales [Malta]'],
    ] as const)
      for (let writes = 0; ; writes++) {
        const world = createWorld(options);
        await world.ticks(0, day - 1);
        world.crashAfter(writes);
        const outcome = await world.tick(day).then(
          () => 'finished',
          (error: unknown) => (error instanceof Crash ? 'crashed' : Promise.reject(error)),
        );
        world.revive();
        world.clock.advanceTo(world.clock.now() + 300_000);
        await world.tick(day);
        expect(world.notified(), `died after write ${writes}`).toContain(expected);
        if (outcome === 'finished') break;
      }
  });
});

function familyOf(): string {
  const [rule] = rules;
  return rule ? seriesOf(rule).family : '';
}
