import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

const sales = ruleNamed('sales');
const rises = ruleNamed('sales', { fire: { change: { above: '50%' } }, minimum: { current: 20 } });
const byCountry = ruleNamed('sales', { group_by: 'device_country' });
const never = () => undefined;
const since = (day: number) => dayAt(day).startAt;

async function whole({ alerts }: ReturnType<typeof createWorld>) {
  const [alert] = await alerts.load([{ ruleId: 'sales', segment: null }]);
  return alert;
}

describe('the owner of a rule that has had no value since it was deployed', () => {
  it('is notified once, after a week, and sees since when', async () => {
    const world = createWorld({ rules: [sales], figure: never });
    await world.ticks(0, 5);
    expect(world.notified()).toEqual([]);
    await world.ticks(6, 60);
    expect(world.notified()).toEqual(['matches-nothing sales']);
    expect(world.channel.sent[0]?.text).toBe(
      'Warning: The rule sales has matched nothing since Mon 2 Mar 2026, 00:00 (UTC). ' +
        'None of the 7 days evaluated since the rule was deployed has a value above 0.',
    );
    expect((await whole(world))?.unmatched).toMatchObject({ sinceAt: since(0), notified: true });
  });

  it.each([
    ['', 1000, 'any device_country'],
    ['Malta', 0, 'a value above 0'],
  ])('is notified if its only segment is "%s", with a count of %d', async (segment, value, says) => {
    const world = createWorld({ rules: [byCountry], segments: [segment], figure: () => value });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['matches-nothing sales']);
    expect(world.channel.sent[0]?.text).toContain(
      `None of the 7 days evaluated since the rule was deployed has ${says}.`,
    );
  });

  it('is notified of a ratio without a second event, instead of no data', async () => {
    const ratio = ruleNamed('sales', { filters: [], ratio: { of: 'purchase', to: 'checkout' } });
    const figure = (_day: number, { eventName }: { eventName?: string }) =>
      eventName === 'purchase' ? 100 : undefined;
    const world = createWorld({ rules: [ratio], figure });
    await world.ticks(0, 30);
    expect(world.notified()).toEqual(['matches-nothing sales']);
  });

  it('is notified again after a change of the filters, but not of the bounds', async () => {
    const world = createWorld({ rules: [sales], figure: never });
    await world.ticks(0, 9);
    world.deploy(ruleNamed('sales', { fire: { change: { below: '-60%' } } }));
    await world.ticks(10, 25);
    expect(world.notified()).toEqual(['matches-nothing sales']);
    const other = [{ attribute: 'event_name', operator: 'equal', value: 'Purchase' }];
    world.deploy(ruleNamed('sales', { filters: other }));
    await world.ticks(26, 40);
    expect(world.notified()).toEqual(['matches-nothing sales', 'matches-nothing sales']);
    expect((await whole(world))?.unmatched).toMatchObject({ sinceAt: since(26) });
  });
});

describe('nobody is notified', () => {
  it('of a rule that had a value, or of a value after the message', async () => {
    const first = createWorld({ rules: [sales], figure: (day) => (day === 2 ? 50 : 0) });
    await first.ticks(0, 29);
    expect(first.notified()).not.toContain('matches-nothing sales');
    const late = createWorld({ rules: [sales], figure: (day) => (day >= 20 ? 50 : 0) });
    await late.ticks(0, 30);
    expect(late.notified()).toEqual(['matches-nothing sales']);
    expect((await whole(late))?.unmatched).toBeNull();
  });

  it('of a rare event that came within the 30 days before its rule', async () => {
    const world = createWorld({ rules: [sales], figure: (day) => (day === -12 ? 50 : 0) });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual([]);
  });

  it('within 30 days of a rule that waits for a rise from 0', async () => {
    const world = createWorld({ rules: [rises], figure: () => 0 });
    await world.ticks(0, 28);
    expect(world.notified()).toEqual([]);
    await world.ticks(29, 50);
    expect(world.notified()).toEqual(['matches-nothing sales']);
  });

  it('for the days in which the app sent nothing', async () => {
    const world = createWorld({ rules: [sales], figure: (day) => (day < 12 ? 0 : 50) });
    await world.ticks(0, 2);
    world.source.stoppedAt = MONDAY + 3 * DAY_MS + HOUR_MS;
    await world.ticks(3, 11);
    world.source.stoppedAt = Number.POSITIVE_INFINITY;
    await world.ticks(11, 14);
    expect(world.notified().filter((each) => each.startsWith('matches-nothing'))).toEqual([]);
  });

  it('if a value arrives before the message could be sent', async () => {
    const world = createWorld({ rules: [sales], figure: (day) => (day >= 7 ? 50 : 0) });
    world.channel.refuseNext({ kind: 'refused', reason: 'Slack refused (404)', permanent: true });
    await world.ticks(0, 9);
    expect(world.notified()).toEqual([]);
  });
});

describe('an app that has never sent anything', () => {
  const silent = (rule: Rule) => {
    const world = createWorld({ rules: [rule], figure: never });
    world.source.readNewestEventAt = async () => ({ kind: 'read', value: null });
    return world;
  };

  it.each([
    ['a week for a daily rule', sales, 6],
    ['30 days if only a rise fires', rises, 29],
    ['a week for a rule with groups', byCountry, 6],
  ])('is reported to the owner of its rule once, after %s', async (_name, rule, due) => {
    const world = silent(rule);
    await world.ticks(0, due - 1);
    expect(world.notified()).toEqual([]);
    await world.ticks(due, 60);
    expect(world.notified()).toEqual(['matches-nothing sales']);
    expect(world.channel.sent[0]?.text).toBe(
      'Warning: The rule sales has matched nothing since Mon 2 Mar 2026, 00:00 (UTC). ' +
        'No data from demo since the rule was deployed, nor in the 30 days before; check "app".',
    );
    expect((await world.alerts.loadOpen()).map(({ ruleId }) => ruleId)).toContain('sales');
  });

  it('is not reported while the service cannot be read', async () => {
    const world = silent(sales);
    world.source.readNewestEventAt = async () => ({ kind: 'budget-spent', reason: 'no calls are left' });
    await world.ticks(0, 30);
    expect(world.notified()).not.toContain('matches-nothing sales');
  });

  it('is reported as stopped if it sent until shortly before the first run', async () => {
    const world = createWorld({ rules: [ruleNamed('sales', { every: 'hour at :20' })], figure: never });
    const lastAt = MONDAY - 20 * DAY_MS;
    world.source.readNewestEventAt = async (_app, since) => ({
      kind: 'read',
      value: since <= lastAt ? lastAt : null,
    });
    for (let hour = 1; hour < 30; hour++) await world.tickAt(MONDAY + hour * HOUR_MS + 20 * 60_000);
    expect(world.notified()).toEqual(['stopped app:demo']);
  });
});

it('a rule without values for 30 days is open again, until the next value', async () => {
  const figure = (day: number) => (day < 10 || day >= 45 ? 50 : 0);
  const world = createWorld({ rules: [rises], figure });
  const isOpen = async () => (await world.alerts.loadOpen()).some(({ ruleId }) => ruleId === 'sales');
  await world.ticks(0, 38);
  expect(await isOpen()).toBe(false);
  await world.ticks(39, 44);
  expect(await isOpen()).toBe(true);
  expect((await whole(world))?.unmatched?.sinceAt).toBe(since(10));
  expect(world.notified()).toEqual([]);
});
