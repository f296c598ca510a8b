import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';
import { createWorld } from '../world.ts';

const rises = { fire: { change: { above: '50%' } }, minimum: { current: 30 } };

/** No data before day `first`, a third of a day on it, and then some 100 a day. */
const startingOn =
  (first: number, special: Record<number, number> = {}) =>
  (day: number) =>
    day < first ? undefined : (special[day] ?? (day === first ? 33 : Math.round(100 + 4 * noise(day, 'x'))));

describe('a new event', () => {
  it.each([
    ['the window before', { compare: { to: 'previous_period' } }],
    ['the same weekday', { compare: { to: 'same_weekday' } }],
    ['the median of some weeks', { compare: { median_of: '4 weeks' } }],
    ['its season', { anomaly: true, fire: undefined }],
  ] as const)('is reported neither as a rise nor as a fall, compared with %s', async (_name, compare) => {
    const both = { ...rises, fire: { change: { above: '50%', below: '-50%' } }, ...compare };
    const world = createWorld({ rules: [ruleNamed('opens', both)], figure: startingOn(3) });
    await world.ticks(0, 40);
    expect(world.notified()).toEqual([]);
  });

  it.each(['before', 'after'])(
    'does not fire a rule on new users in its first week (rule on sessions %s)',
    async (place) => {
      const compared = { compare: { to: 'previous_period' }, filters: [] };
      const newUsers = ruleNamed('new-users', {
        ...{ ...compared, metric: 'new_users', fire: { change: { below: '-30%' } } },
      });
      const sessions = ruleNamed('sessions', {
        ...{ ...compared, metric: 'sessions', fire: { change: { above: '9000%' } } },
      });
      const first = [5000, 5000, 5000, 700, 700, 120, 120];
      const world = createWorld({
        rules: place === 'before' ? [sessions, newUsers] : [newUsers, sessions],
        figure: (day) => (day < 3 ? undefined : (first[day - 3] ?? Math.round(150 + 4 * noise(day, 'n')))),
      });
      await world.ticks(0, 16);
      expect(world.notified()).toEqual([]);
    },
  );

  it('is evaluated once there is a week to compare with', async () => {
    const rule = ruleNamed('opens', { ...rises, compare: { to: 'same_weekday' } });
    const world = createWorld({ rules: [rule], figure: startingOn(3, { 11: 300 }) });
    await world.ticks(0, 11);
    expect(world.notified()).toEqual(['fired opens']);
    expect(world.channel.sent[0]?.text).not.toContain('new');
  });

  it.each([
    ['13 days', 13, []],
    ['two weeks', 14, ['fired errors']],
  ])('fires after its rule had no values for two weeks, not earlier (%s)', async (_, days, notified) => {
    const rule = ruleNamed('errors', rises);
    const world = createWorld({ rules: [rule], figure: startingOn(days, { [days]: 300 }) });
    await world.ticks(0, days);
    expect(world.notified().filter((each) => each.startsWith('fired'))).toEqual(notified);
  });

  it('fires at once for an upper bound of its level, and not for a lower one', async () => {
    const above = ruleNamed('errors', { fire: { current: { above: 200 } } });
    const world = createWorld({ rules: [above], figure: startingOn(3, { 3: 300 }) });
    await world.ticks(0, 3);
    expect(world.notified()).toEqual(['fired errors']);
    const below = ruleNamed('errors', { fire: { current: { below: 50 } } });
    const falling = createWorld({ rules: [below], figure: startingOn(3) });
    await falling.ticks(3, 5);
    expect(falling.notified()).toEqual([]);
  });
});

describe('an app that has not sent anything yet', () => {
  it('is not reported as stopped, and earlier windows are not evaluated', async () => {
    const rule = ruleNamed('opens', { ...rises, compare: { to: 'previous_period' } });
    const world = createWorld({ rules: [rule], figure: startingOn(4) });
    const firstAt = dayAt(4).startAt + DAY_MS / 2;
    world.source.readNewestEventAt = async () => ({
      kind: 'read',
      value: world.clock.now() < firstAt ? null : world.clock.now(),
    });
    await world.ticks(0, 12);
    expect(world.notified()).toEqual([]);
  });

  const appStartingOn = (first: number, rule: Rule, figure = startingOn(first)) => {
    const world = createWorld({ rules: [rule], figure });
    // The first event comes minutes after midnight, before the run of that day.
    const firstAt = dayAt(first).startAt + DAY_MS / 100;
    world.source.readNewestEventAt = async () => ({
      kind: 'read',
      value: world.clock.now() < firstAt ? null : world.clock.now(),
    });
    return world;
  };

  it.each(
    [4, 13, 14, 20, 29].flatMap((first) =>
      (['previous_period', 'same_weekday'] as const).map((to) => ({ first, to })),
    ),
  )('does not fire for a rise from 0 $first days after its rule ($to)', async ({ first, to }) => {
    const world = appStartingOn(first, ruleNamed('opens', { ...rises, compare: { to } }));
    await world.ticks(0, first + 30);
    expect(world.notified()).toEqual([]);
  });

  it('does not fire for a rise from 0 after its rule was reported to match nothing', async () => {
    const world = appStartingOn(60, ruleNamed('opens', rises));
    await world.ticks(0, 90);
    expect(world.notified()).toEqual(['matches-nothing opens']);
  });

  it('fires for an event that is new after two weeks of data of the app', async () => {
    const errors = ruleNamed('errors', rises);
    const never = (first: number) => (day: number) => (day < first ? 0 : 300);
    const soon = appStartingOn(8, errors, never(18));
    await soon.ticks(0, 20);
    expect(soon.notified()).toEqual([]);
    const late = appStartingOn(8, errors, never(24));
    await late.ticks(0, 24);
    expect(late.notified()).toEqual(['fired errors']);
  });
});

it('a message based on little history says since when data exist', async () => {
  const rule = ruleNamed('opens', { ...rises, compare: { to: 'previous_period' } });
  const world = createWorld({ rules: [rule], figure: startingOn(3, { 7: 300 }) });
  await world.ticks(0, 7);
  expect(JSON.stringify(world.channel.sent[0])).toContain(', as data begins on 2026-03-06)');
});
