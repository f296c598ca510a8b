import { describe, expect, it } from 'vitest';
import { ruleNamed } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';
import { createWorld } from '../world.ts';

const conversion = (overrides: Record<string, unknown> = {}) =>
  ruleNamed('conversion', {
    metric: undefined,
    filters: undefined,
    ratio: { of: 'purchase', to: 'view_item' },
    fire: { change: { below: '-20%' } },
    ...overrides,
  });

/** The views of a day, and the share of each further event in the one before. */
const shop =
  (sharesOn: (day: number) => Record<string, number>, viewsOn: (day: number) => number = () => 4000) =>
  (day: number, { eventName = '', segment = '' }: { eventName?: string; segment?: string }) => {
    const views = viewsOn(day) * Math.exp(0.1 * noise(day, segment));
    const shares = new Map(
      Object.entries({ add_to_cart: 0.3, begin_checkout: 0.5, purchase: 0.5, ...sharesOn(day) }),
    );
    const through = [...shares].slice(0, [...shares.keys()].indexOf(eventName) + 1);
    const share = through.reduce((product, [, each]) => product * each, 1);
    return Math.round(views * share * (through.length > 0 ? Math.exp(0.03 * noise(day, eventName)) : 1));
  };

describe('a ratio of two events', () => {
  it('fires when one of them falls, and not while both fall equally', async () => {
    const figure = shop(
      (day) => (day >= 22 ? { purchase: 0.3 } : {}),
      (day) => (day >= 18 ? 1200 : 4000),
    );
    const world = createWorld({ rules: [conversion()], figure });
    await world.ticks(0, 21);
    expect(world.notified()).toEqual([]);
    await world.tick(22);
    expect(world.notified()).toEqual(['fired conversion']);
    expect(world.channel.sent[0]?.text).toMatch(/down from 7\.\d*% to 4\.\d*%/);
  });

  it('reads both events in one call, together with rules on other events', async () => {
    const carts = [{ attribute: 'event_name', operator: 'equal', value: 'add_to_cart' }];
    const rules = [conversion(), ruleNamed('carts', { filters: carts })];
    const world = createWorld({ rules, figure: shop(() => ({})) });
    await world.tick(0);
    expect(world.source.questions.map(({ eventNames }) => eventNames)).toEqual([
      ['add_to_cart', 'purchase', 'view_item'],
    ]);
  });

  it('has no value without the second event, and a firing alert keeps its state', async () => {
    const views = (day: number) => (day >= 22 ? 0 : 4000);
    const figure = shop((day) => (day >= 20 ? { purchase: 0.2 } : {}), views);
    const world = createWorld({ rules: [conversion()], figure });
    await world.ticks(0, 23);
    const [alert] = await world.alerts.loadOfRule('conversion');
    expect(alert).toMatchObject({ state: 'firing', last: { verdict: 'no-data' } });
    expect(alert?.last?.current).toMatchObject({ value: null, weight: 0 });
  });

  it('compares the second event with its minimum', async () => {
    const figure = shop((day) => (day >= 20 ? { purchase: 0.1 } : {}));
    const rules = [
      conversion({ id: 'enough', minimum: { current: 2000 } }),
      conversion({ id: 'short', minimum: { current: 9000 } }),
    ];
    const world = createWorld({ rules, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired enough']);
  });

  it('of few events uses an exact test', async () => {
    const figure = (day: number, { eventName }: { eventName?: string }) =>
      eventName === 'view_item' ? 40 : day >= 20 ? 1 : 4;
    const world = createWorld({ rules: [conversion()], figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual([]);
    const [alert] = await world.alerts.loadOfRule('conversion');
    const gate = alert?.last?.gates.find(({ code }) => code === 'not-significant');
    expect(gate?.figures).toMatchObject({ p: expect.closeTo(0.35, 1) });
  });
});

describe('a funnel', () => {
  const funnel = conversion({
    id: 'funnel',
    ratio: undefined,
    funnel: ['view_item', 'add_to_cart', 'begin_checkout', 'purchase'],
  });

  it('notifies the broken step and the whole, with one call for all events', async () => {
    const figure = shop((day) => (day >= 20 ? { begin_checkout: 0.3 } : {}));
    const world = createWorld({ rules: [funnel], figure });
    await world.ticks(0, 20);
    expect(world.notified().toSorted()).toEqual([
      'fired funnel [add_to_cart → begin_checkout]',
      'fired funnel [view_item → purchase]',
    ]);
    const questions = world.source.questions.filter(({ groupBy }) => !groupBy);
    expect(new Set(questions.map(({ eventNames }) => eventNames?.length))).toEqual(new Set([4]));
    expect(questions.length).toBeLessThanOrEqual(21);
    const steps = (await world.alerts.loadOfRule('funnel')).map(({ segment }) => segment);
    expect(steps.toSorted()).toEqual([
      'add_to_cart → begin_checkout',
      'begin_checkout → purchase',
      null,
      'view_item → add_to_cart',
      'view_item → purchase',
    ]);
  });

  it('of users is evaluated when the users of its last window have had their time', async () => {
    const figure = shop((day) => (day >= 20 ? { begin_checkout: 0.3 } : {}));
    const { funnel: steps } = funnel;
    const followed = conversion({ id: 'funnel', ratio: undefined, funnel: steps, within: '1 day' });
    const world = createWorld({ rules: [followed], figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual([]);
    await world.tick(21);
    expect(world.notified()).toContain('fired funnel [add_to_cart → begin_checkout]');
    const asked = world.source.questions.map((question) => question.funnel);
    expect(asked).toEqual(asked.map(() => ({ steps, minutes: 1440 })));
  });

  it('keeps its firing alerts while the first event is missing', async () => {
    const views = (day: number) => (day >= 22 ? 0 : 4000);
    const figure = shop((day) => (day >= 20 ? { begin_checkout: 0.3 } : {}), views);
    const world = createWorld({ rules: [funnel], figure });
    await world.ticks(0, 24);
    const alerts = await world.alerts.loadOfRule('funnel');
    expect(alerts.filter(({ state }) => state === 'firing')).toHaveLength(2);
  });

  it('ends the alerts of steps that a change of the rule removes', async () => {
    const figure = shop((day) => (day >= 20 ? { begin_checkout: 0.3 } : {}));
    const world = createWorld({ rules: [funnel], figure });
    await world.ticks(0, 20);
    world.deploy({ ...funnel, funnel: ['view_item', 'add_to_cart'] });
    await world.ticks(21, 22);
    expect(world.notified().slice(2).toSorted()).toEqual([
      'restarted funnel [add_to_cart → begin_checkout]',
      'restarted funnel [view_item → purchase]',
    ]);
  });
});
