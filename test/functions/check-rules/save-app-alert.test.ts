import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../shared/rules/rule.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

const few = [
  ruleNamed('sales'),
  ruleNamed('sessions', { metric: 'sessions', filters: [] }),
  ruleNamed('rage', { metric: 'rage_gestures_per_session', filters: [] }),
];
/** More than fit into one batch. */
const many = Array.from({ length: 21 }, (_, i) =>
  ruleNamed(`sales-${i}`, {
    filters: [{ attribute: 'device_country', operator: 'equal', value: `country ${i}` }],
  }),
);

function stopped(rules: Rule[] = few) {
  const world = createWorld({ rules, figure: () => 1000 });
  world.source.stoppedAt = dayAt(4).startAt + HOUR_MS;
  return world;
}

describe('an app that stopped sending data', () => {
  it('is notified once across batches, and once when data arrive again', async () => {
    const world = stopped(many);
    await world.ticks(3, 5);
    expect(world.planned.length).toBe(3 * 2);
    expect(world.notified()).toEqual(['stopped app:demo']);
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.tick(6);
    expect(world.notified()).toEqual(['stopped app:demo', 'resumed app:demo']);
  });

  it('is not notified again by repeated or late batches', async () => {
    const world = stopped();
    await world.ticks(0, 5);
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.tick(6);
    for (const batch of world.planned.toReversed()) await world.check(batch);
    await world.tick(7);
    expect(world.notified()).toEqual(['stopped app:demo', 'resumed app:demo']);
  });

  it('leaves its rules inconclusive, without notifications for them', async () => {
    const world = stopped();
    await world.ticks(0, 6);
    const [alert] = await world.alerts.loadOfRule('sessions');
    expect(alert).toMatchObject({
      health: { kind: 'inconclusive', wants: 'data', notified: false },
      pending: {},
    });
  });
});
