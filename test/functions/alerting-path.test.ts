import { describe, expect, it } from 'vitest';
import { dayAt, ruleNamed } from '../fixtures/builders.ts';
import { createWorld, drop, dropOnDay20 } from './world.ts';

describe('a drop of a daily count', () => {
  it('wakes up notify immediately, which a day without news does not', async () => {
    const calm = ruleNamed('calm', { fire: { change: { below: '-90%' } } });
    const world = createWorld({ ...drop, rules: [...drop.rules, calm] });
    await world.ticks(0, 19);
    expect(world.wokenUp()).toEqual([]);
    await world.tick(20);
    expect(world.wokenUp()).toEqual([world.planned.at(-1)?.tick]);
  });

  it('is found without a query for segments if the rule has none', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    world.alerts.loadOfRule = () => Promise.reject(new Error('a rule without segments has one alert'));
    await world.tick(20);
    expect(world.notified()).toEqual(['fired sales']);
  });

  it('is notified with its figures and those of the day before', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 20);
    const [message] = world.channel.sent;
    expect(message?.text).toBe(
      'Warning: The rule sales down 71%. 300 events on Sun 22 Mar 2026 (UTC), 1,030 before.',
    );
    expect(message?.items[0]?.facts.find(({ label }) => label === 'Difference')?.text).toBe(
      '730 fewer (-70.9%)',
    );
  });

  it('does not recover because the day before is low too', async () => {
    const world = createWorld({ ...drop, figure: (day) => (day >= 20 ? 300 : dropOnDay20(day)) });
    await world.ticks(0, 33);
    expect(world.notified()).toEqual(['fired sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert).toMatchObject({ state: 'firing', fired: { baseline: { window: dayAt(19) } } });
  });

  it('recovers under a same-weekday rule when the level from before the incident returns', async () => {
    const rules = [ruleNamed('sales', { compare: { to: 'same_weekday' } })];
    const figure = (day: number) => (day >= 20 && day < 29 ? 300 : (day + 7) % 7 < 5 ? 1000 : 600);
    const world = createWorld({ rules, figure });
    await world.ticks(0, 32);
    expect(world.notified()).toEqual(['fired sales', 'recovered sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.stateSinceAt).toBe(dayAt(30).endAt);
  });

  it('is found after missed ticks, and marked as late', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    await world.tick(21);
    expect(world.notified()).toEqual(['fired sales']);
    expect(world.channel.sent[0]?.items[0]?.facts.at(-1)).toMatchObject({ label: 'Late' });
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert?.evaluatedThroughAt).toBe(dayAt(21).endAt);
  });

  it('that started and ended during missed ticks is not notified', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 19);
    await world.tick(28);
    expect(world.notified()).toEqual([]);
  });
});

describe('segments', () => {
  const rules = [ruleNamed('by-country', { group_by: 'device_country' })];
  const segments = ['Germany', 'France', 'Malta'];

  it('are evaluated independently', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'France' && day === 20 ? 100 : 1000;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 20);
    expect(world.notified()).toEqual(['fired by-country [France]']);
  });

  it('that disappear have fallen to zero', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      segment === 'Malta' && day >= 20 ? undefined : 1000;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 22);
    expect(world.notified()).toEqual(['fired by-country [Malta]']);
    expect(world.channel.sent[0]?.text).toContain('The rule by-country in Malta down to 0.');
  });

  it('that fall together are in one message', async () => {
    const figure = (day: number, { segment }: { segment?: string }) =>
      day < 20 ? 1000 : segment === 'Germany' ? 10 : 200;
    const world = createWorld({ rules, segments, figure });
    await world.ticks(0, 20);
    expect(world.channel.sent).toHaveLength(1);
    expect(world.channel.sent[0]?.title).toBe('The rule by-country in Germany down 99%, and 2 more');
    expect(world.notified()[0]).toBe('fired by-country [Germany]');
  });
});

describe('a changed rule', () => {
  const stricter = ruleNamed('sales', { minimum: { baseline: 10 } });

  it('that fires is restarted with a notification, and excludes the incident from its baseline', async () => {
    const rules = [ruleNamed('sales', { compare: { to: 'same_weekday' } })];
    const world = createWorld({ rules, figure: dropOnDay20 });
    await world.ticks(0, 21);
    world.deploy(ruleNamed('sales', { compare: { to: 'same_weekday' }, minimum: { baseline: 10 } }));
    await world.ticks(22, 35);
    expect(world.notified()).toEqual(['fired sales', 'restarted sales', 'fired sales', 'recovered sales']);
  });

  it('fires again during the incident, even if the day before is as low', async () => {
    const world = createWorld({ ...drop, figure: (day) => (day >= 20 ? 300 : dropOnDay20(day)) });
    await world.ticks(0, 21);
    world.deploy(stricter);
    await world.tick(22);
    expect(world.notified().toSorted()).toEqual(['fired sales', 'fired sales', 'restarted sales']);
  });

  it('that works again is notified as healed', async () => {
    const world = createWorld(drop);
    await world.tick(0);
    world.source.trouble = { kind: 'failed', reason: 'the filter is refused', retryable: false };
    await world.ticks(1, 6);
    world.source.trouble = undefined;
    world.deploy(stricter);
    await world.tick(7);
    expect(world.notified()).toEqual(['failing sales', 'broken sales', 'healed sales']);
  });

  it('with data again is notified if it had none before the change', async () => {
    let figure: number | undefined;
    const world = createWorld({
      rules: [ruleNamed('sales', { metric: 'session_seconds' })],
      figure: () => figure,
    });
    figure = 1000;
    await world.ticks(0, 1);
    figure = undefined;
    await world.ticks(2, 23);
    expect(world.notified()).toEqual(['no-data sales']);
    figure = 1000;
    world.deploy(ruleNamed('sales', { metric: 'sessions', filters: [] }));
    await world.ticks(24, 26);
    expect(world.notified()).toEqual(['no-data sales', 'data-back sales']);
  });

  it('without segments ends the open alerts of its former segments', async () => {
    const byCountry = ruleNamed('sales', { group_by: 'device_country' });
    const world = createWorld({ rules: [byCountry], segments: ['Malta', 'Cyprus'], figure: dropOnDay20 });
    await world.ticks(0, 20);
    world.deploy(ruleNamed('sales'));
    await world.tick(21);
    const open = (await world.alerts.loadOfRule('sales')).filter(
      ({ segment, state }) => segment && state !== 'normal',
    );
    expect(open).toEqual([]);
    expect(world.notified().filter((each) => each.startsWith('restarted'))).toHaveLength(2);
  });

  it('is not affected by a batch that was planned before the change', async () => {
    const world = createWorld(drop);
    await world.ticks(0, 20);
    const [batch] = world.planned.slice(-1);
    world.deploy(stricter);
    await world.tick(21);
    const before = await world.alerts.loadOfRule('sales');
    if (batch) await world.check(batch);
    expect(await world.alerts.loadOfRule('sales')).toEqual(before);
  });
});

describe('calls to the service', () => {
  it('are shared by rules that differ only in event name', async () => {
    const rules = Array.from({ length: 100 }, (_, i) =>
      ruleNamed(`rule-${i}`, {
        filters: [{ attribute: 'event_name', operator: 'equal', value: `event_${i}` }],
      }),
    );
    const world = createWorld({ rules, figure: () => 1000 });
    await world.tick(0);
    expect(world.source.questions).toHaveLength(1);
    await world.tick(1);
    expect(world.source.questions).toHaveLength(2);
  });

  it('are one per tick once the history is known, and none for a repeated tick', async () => {
    const world = createWorld({ ...drop, rules: [ruleNamed('sales', { compare: { to: 'same_weekday' } })] });
    const asked = () => world.source.questions.length + world.source.ranges.length;
    await world.tick(0);
    expect(asked()).toBe(4);
    await world.ticks(1, 13);
    expect(asked()).toBe(17);
    await world.tick(13);
    expect(asked()).toBe(17);
  });
});
