import { describe, expect, it } from 'vitest';
import type { Override } from '../../shared/alerting/overrides.ts';
import { meaningOf } from '../../shared/alerting/series.ts';
import { dayAt, HOUR, MONDAY, ruleNamed } from '../fixtures/builders.ts';
import { createWorld } from './world.ts';

const rule = ruleNamed('sales', { restate_for: '2 days' });
const usual = (day: number) => (day % 2 ? 1030 : 970);

/** A fall of half on day 20, and on it alone. */
const falls = (day: number) => (day === 20 ? 500 : usual(day));

/** The scheduled time of the tick that judges the day. */
const tickOf = (day: number) => dayAt(day).endAt + HOUR;

function lowered(overrides: Partial<Override> = {}): Override {
  return {
    ruleId: 'sales',
    meaning: meaningOf(rule),
    instead: { fire: { change: { below: -0.6 } } },
    at: MONDAY,
    untilAt: tickOf(40),
    by: 'ada',
    reason: 'a sale',
    ...overrides,
  };
}

const worldWith = async (...overrides: Override[]) => {
  const world = createWorld({ rules: [rule], figure: falls });
  for (const override of overrides) await world.overrides.save(override);
  return world;
};

describe('bounds that are overridden', () => {
  it('hold in the place of the own ones, and the window says by whose word', async () => {
    const world = await worldWith(lowered());
    await world.ticks(0, 20);
    expect(world.told()).toEqual([]);
    const [alert] = await world.alerts.loadOfRule('sales');
    const { ruleId: _, meaning: __, ...said } = lowered();
    expect(alert?.last).toMatchObject({ verdict: 'clear', override: said });
    expect(alert?.last?.reason).toContain('change below -60 %');
  });

  it.each([
    ['which begin after the tick was due', { at: tickOf(20) + 1 }, ['fired sales']],
    ['which begin as the tick is due', { at: tickOf(20) }, []],
    ['which end as the tick is due', { untilAt: tickOf(20) }, ['fired sales']],
    ['which end after the tick is due', { untilAt: tickOf(20) + 1 }, []],
    ['of another meaning of the rule', { meaning: 'watched.otherwise' }, ['fired sales']],
    ['of another rule', { ruleId: 'visits' }, ['fired sales']],
  ])('%s', async (_, overrides, told) => {
    const world = await worldWith(lowered(overrides));
    await world.ticks(0, 20);
    expect(world.told()).toEqual(told);
  });

  it('keep the state of the alert, as they are no change of meaning', async () => {
    const world = await worldWith(lowered({ at: tickOf(20) + 1 }));
    await world.ticks(0, 20);
    const [fired] = await world.alerts.loadOfRule('sales');
    await world.ticks(21, 21);
    const [after] = await world.alerts.loadOfRule('sales');
    expect(after).toMatchObject({ ruleHash: fired?.ruleHash, fired: { windowEndAt: dayAt(20).endAt } });
    expect(world.told()).not.toContain('restarted sales');
  });

  it('are the same for a piece that is delivered again after they are over', async () => {
    const world = await worldWith(lowered());
    await world.ticks(0, 20);
    const [before] = await world.alerts.loadOfRule('sales');
    await world.overrides.save(lowered({ untilAt: tickOf(20) + 1 }));
    const [piece] = world.planned.slice(-1);
    if (!piece) throw new Error('nothing was planned');
    await world.check(piece);
    expect(await world.alerts.loadOfRule('sales')).toEqual([before]);
  });

  it('hold for a run that died in it and is run again when others were given', async () => {
    const world = await worldWith(lowered());
    await world.ticks(0, 19);
    world.crashAfter(2);
    await expect(world.tick(20)).rejects.toThrow();
    world.revive();
    await world.overrides.save(
      lowered({ at: tickOf(20) + 1, instead: { fire: { change: { below: -0.4 } } } }),
    );
    await world.tick(20);
    expect(world.told()).toEqual([]);
  });

  it('hold for a window of their time that is read again when they are over', async () => {
    const world = createWorld({
      rules: [rule],
      figure: (day, _series, now) => (day === 20 && now >= tickOf(21) ? 495 : falls(day)),
    });
    await world.overrides.save(lowered({ untilAt: tickOf(20) + 1 }));
    await world.ticks(0, 24);
    // Judged by the rule's own bounds, the late figures of day 20 would have fired late.
    expect(world.told()).toEqual([]);
  });

  it('hold again for a window that was caught up in their time, whatever held when it was due', async () => {
    const world = createWorld({
      rules: [rule],
      figure: (day, _series, now) => (day === 20 && now >= tickOf(22) ? 499 : falls(day)),
    });
    await world.ticks(0, 19);
    world.source.stoppedAt = dayAt(20).endAt - HOUR;
    await world.tick(20);
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.overrides.save(lowered({ at: tickOf(20) + HOUR, untilAt: tickOf(22) }));
    await world.ticks(21, 24);
    expect(world.told()).toEqual([]);
  });

  it('hold for a window however often it is read again', async () => {
    const world = createWorld({
      rules: [rule],
      figure: (day, _series, now) => (day === 20 && now < tickOf(21) ? 380 : falls(day)),
    });
    await world.overrides.save(lowered({ untilAt: tickOf(20) + 1 }));
    await world.ticks(0, 24);
    expect(world.told()).toEqual(['fired sales', 'retracted sales']);
  });

  it('that were written after a run take back nothing that it found, whatever time they name', async () => {
    const world = createWorld({
      rules: [rule],
      figure: (day, _series, now) => (day === 20 && now >= tickOf(21) ? 501 : falls(day)),
    });
    await world.ticks(0, 20);
    await world.overrides.save(lowered({ at: tickOf(20) - 500, untilAt: tickOf(20) + HOUR }));
    await world.ticks(21, 21);
    expect(world.told()).toEqual(['fired sales']);
  });

  it('stand in the message of what fires by them', async () => {
    const world = await worldWith(lowered({ instead: { fire: { change: { below: -0.4 } } } }));
    await world.ticks(0, 20);
    const facts = world.channel.sent.flatMap(({ items }) => items.flatMap((item) => item.facts));
    expect(facts.filter(({ label }) => label === 'Bounds')).toEqual([
      {
        label: 'Bounds',
        text: 'overridden by ada until Sun 12 Apr 2026, 01:00 (UTC): a sale; fire change below -40 % instead of -30 %',
      },
    ]);
  });

  it('of a rule with segments hold for each of them', async () => {
    const byCountry = ruleNamed('sales', { group_by: 'device_country' });
    const world = createWorld({ rules: [byCountry], figure: falls, segments: ['DE', 'FR'] });
    await world.overrides.save(lowered({ meaning: meaningOf(byCountry) }));
    await world.ticks(0, 20);
    expect(world.told()).toEqual([]);
    const alerts = await world.alerts.loadOfRule('sales');
    expect(alerts.flatMap(({ segment, last }) => (segment ? [last?.override?.by] : []))).toEqual([
      'ada',
      'ada',
    ]);
  });
});
