import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { Crash, createWorld } from '../world.ts';

const onEvent = (id: string, overrides: Record<string, unknown> = {}) =>
  ruleNamed(id, { filters: [{ attribute: 'event_name', operator: 'equal', value: id }], ...overrides });

function over(id: string, overrides: Record<string, unknown>): Rule {
  const words = { title: `The rule ${id}`, app: 'demo', owner: 'shop', every: 'day at 01:00' };
  return buildRule(ruleSetEntrySchema.parse({ id, ...words, ...overrides }));
}

/** 1,000 of each event a day, and 400 on the given days. */
const falling =
  (days: Record<string, number[]>) =>
  (day: number, { eventName = '' }: { eventName?: string }) =>
    days[eventName]?.includes(day) ? 400 : 1000;

const views = onEvent('views', { quiet: true });
const sales = onEvent('sales', { quiet: true });
const both = over('both', { all_of: ['sales', 'views'] });
const either = over('either', { any_of: ['sales', 'views'] });
const from = (day: number, through = 40) => Array.from({ length: through - day + 1 }, (_, i) => day + i);

describe('a composite rule', () => {
  it('fires when all members, or any of them, fire, while quiet members send nothing', async () => {
    const figure = falling({ views: from(12), sales: from(14) });
    const world = createWorld({ rules: [both, either, sales, views], figure });
    await world.ticks(0, 13);
    expect(world.notified()).toEqual(['fired either']);
    await world.tick(14);
    expect(world.notified()).toEqual(['fired either', 'fired both']);
  });

  it('lists the firing members with their figures', async () => {
    const world = createWorld({
      rules: [either, sales, views],
      figure: falling({ views: from(12) }),
    });
    await world.ticks(0, 12);
    const [item] = world.channel.sent[0]?.items ?? [];
    expect(item?.headline).toBe('The rule either: 1 of 2 rules is firing');
    expect(item?.facts).toContainEqual({
      label: 'Firing',
      text: 'The rule views fell from 1,000 to 400 events (-60%)',
    });
  });

  it('lists a firing member alone if its window has nothing to compare with', async () => {
    const overrides = { metric: 'session_seconds', filters: [], fire: { current: { above: 500 } } };
    const high = onEvent('views', { quiet: true, ...overrides });
    const figure = (day: number) => (day < 0 ? undefined : 1000);
    const world = createWorld({ rules: [either, sales, high], figure });
    await world.ticks(0, 0);
    const [item] = world.channel.sent[0]?.items ?? [];
    expect(item?.facts).toContainEqual({ label: 'Firing', text: 'The rule views is firing' });
  });

  it('recovers when its members do', async () => {
    const figure = falling({ views: from(12, 16), sales: from(12, 30) });
    const world = createWorld({ rules: [both, sales, views], figure });
    await world.ticks(0, 18);
    expect(world.notified()).toEqual(['fired both']);
    await world.ticks(19, 20);
    expect(world.notified()).toEqual(['fired both', 'recovered both']);
  });

  it('fires beyond the time after which other rules are rebaselined', async () => {
    const late = { views: from(12, 25), sales: from(20, 33) };
    const world = createWorld({ rules: [either, sales, views], figure: falling(late) });
    await world.ticks(0, 32);
    expect(world.notified()).toEqual(['fired either']);
  });

  it('is evaluated if a failing member cannot change the result', async () => {
    const other = onEvent('sales', { quiet: true, filters: [], metric: 'sessions' });
    const world = createWorld({ rules: [both, either, other, views], figure: falling({ views: from(12) }) });
    await world.runs.saveNewestEventAt('demo', MONDAY + 99 * DAY_MS);
    world.source.trouble = { kind: 'failed', reason: 'the service is down', retryable: false };
    world.source.troubles = ({ endpoint }) => endpoint === 'session';
    await world.ticks(0, 12);
    expect(world.notified()).toEqual(['failing sales', 'broken sales', 'fired either']);
    const [alert] = await world.alerts.loadOfRule('both');
    expect(alert).toMatchObject({ health: { kind: 'ok' }, last: { verdict: 'clear' } });
  });

  it('evaluates each missed window with the states that its members had then', async () => {
    const figure = falling({ views: from(12, 13), sales: from(13, 17) });
    const daily = createWorld({ rules: [both, sales, views], figure });
    const late = createWorld({ rules: [both, sales, views], figure });
    await daily.ticks(0, 18);
    await late.ticks(0, 10);
    await late.tick(18);
    const statesOf = async ({ alerts }: typeof daily) =>
      (await alerts.loadOfRule('both')).map(({ state, incidents, changes, recent }) => ({
        ...{ state, incidents, changes, recent },
      }));
    expect(await statesOf(late)).toEqual(await statesOf(daily));
    expect(daily.notified()).toEqual(['fired both', 'recovered both']);
    expect(late.notified()).toEqual([]);
  });
});

describe('segments of members', () => {
  const countries = { group_by: 'device_country' };
  const segments = ['France', 'Malta'];
  const figure = (day: number, { eventName, segment }: { eventName?: string; segment?: string }) =>
    day >= 12 && (segment === 'Malta' || eventName === 'views') ? 300 : 1000;
  const rules = [
    onEvent('views', { ...countries, quiet: true }),
    onEvent('sales', { ...countries, quiet: true }),
  ];

  it('are evaluated separately if the composite rule has them too', async () => {
    const world = createWorld({
      rules: [...rules, over('each', { all_of: ['sales', 'views'], ...countries })],
      segments,
      figure,
    });
    await world.ticks(0, 12);
    expect(world.notified()).toEqual(['fired each [Malta]']);
  });

  it('count as one if the composite rule has none: any of them fires the member', async () => {
    const world = createWorld({
      rules: [...rules, over('whole', { all_of: ['sales', 'views'] })],
      segments,
      figure,
    });
    await world.ticks(0, 12);
    expect(world.notified()).toEqual(['fired whole']);
    const facts = world.channel.sent[0]?.items[0]?.facts.map(({ text }) => text);
    expect(facts?.[1]).toMatch(/^The rule views: France fell from .*, Malta fell from /);
  });
});

describe('interrupted and repeated runs of a composite rule', () => {
  it('lose and repeat no notification after a crash between members and rule', async () => {
    const figure = falling({ views: from(12), sales: from(12) });
    const rules = [both, either, sales, views];
    for (let writes = 0; writes < 14; writes++) {
      const world = createWorld({ rules, figure });
      await world.ticks(0, 11);
      world.crashAfter(writes);
      const run = world.tick(12).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      await run;
      world.revive();
      await world.ticks(13, 13);
      const notified = world.notified().toSorted();
      expect(new Set(notified)).toEqual(new Set(['fired both', 'fired either']));
      const alerts = await Promise.all(['both', 'either'].map((id) => world.alerts.loadOfRule(id)));
      expect(alerts.flat().map(({ state, pending }) => [state, Object.keys(pending)])).toEqual([
        ['firing', []],
        ['firing', []],
      ]);
    }
  });

  it('change nothing if a batch is repeated', async () => {
    const figure = falling({ views: from(12), sales: from(12) });
    const world = createWorld({ rules: [both, sales, views], figure });
    await world.ticks(0, 12);
    const known = async () =>
      (await world.alerts.loadOfRule('both')).map(({ revision: _, ...alert }) => alert);
    const before = await known();
    const [batch] = world.planned.slice(-1);
    if (batch) await world.check(batch);
    expect(await known()).toEqual(before);
  });
});

it('the order of rules does not change the notifications', async () => {
  const days = fc.uniqueArray(fc.integer({ min: 10, max: 16 }), { maxLength: 5 });
  const all = [both, either, sales, views];
  await fc.assert(
    fc.asyncProperty(days, days, fc.shuffledSubarray(all, { minLength: 4 }), async (v, s, shuffled) => {
      const worlds = [all, shuffled].map((rules) =>
        createWorld({ rules, figure: falling({ views: v, sales: s }) }),
      );
      for (const world of worlds) await world.ticks(8, 18);
      const [first, second] = worlds.map((world) => world.notified().toSorted());
      expect(second).toEqual(first);
    }),
    { numRuns: 15 },
  );
});
