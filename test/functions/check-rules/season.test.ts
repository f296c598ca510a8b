import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';
import { createWorld } from '../world.ts';

const orders = ruleNamed('orders', { compare: undefined, fire: undefined, anomaly: true });

/** A shop: 3,000 on a working day, half of that on Saturdays, a third on Sundays, with noise of 5%. */
const shop =
  (special: Record<number, number> = {}) =>
  (day: number): number => {
    const shape = [3000, 3000, 3000, 3000, 3000, 1500, 1000][((day % 7) + 7) % 7] ?? 0;
    return Math.round(shape * (special[day] ?? 1) * Math.exp(0.05 * noise(day)));
  };

describe('an anomaly rule', () => {
  it('does not fire on weekends or on Mondays', async () => {
    const world = createWorld({ rules: [orders], figure: shop() });
    await world.ticks(0, 62);
    expect(world.notified()).toEqual([]);
  });

  it('fires on a Tuesday at the level of a Saturday, with the expected range', async () => {
    const world = createWorld({ rules: [orders], figure: shop({ 57: 0.5 }) });
    await world.ticks(0, 57);
    expect(world.notified()).toEqual(['fired orders']);
    expect(JSON.stringify(world.channel.sent[0])).toMatch(
      /where [23],\d{3} is expected and [\d,]+ to [\d,]+ is normal/,
    );
  });

  it.each([
    ['low', 0.73, []],
    ['normal', 0.77, []],
    ['normal', 0.73, ['fired orders']],
    ['high', 0.77, ['fired orders']],
    ['low', 0.6, ['fired orders']],
  ])('of %s sensitivity at %f of a usual day', async (sensitivity, share, notified) => {
    const rule = ruleNamed('orders', { compare: undefined, fire: undefined, anomaly: true, sensitivity });
    const world = createWorld({ rules: [rule], figure: shop({ 57: share }) });
    await world.ticks(0, 56);
    expect(world.notified()).toEqual([]);
    await world.ticks(57, 57);
    expect(world.notified()).toEqual(notified);
  });

  it('fires only in its direction', async () => {
    const rise = ruleNamed('rise', { compare: undefined, fire: undefined, anomaly: 'rise' });
    const world = createWorld({ rules: [rise], figure: shop({ 57: 0.4, 64: 2 }) });
    await world.ticks(0, 64);
    expect(world.notified()).toEqual(['fired rise']);
  });

  it('is inconclusive with less than two weeks of history', async () => {
    const figure = shop();
    const world = createWorld({ rules: [orders], figure: (day) => (day < -5 ? undefined : figure(day)) });
    await world.ticks(0, 5);
    const [alert] = await world.alerts.loadOfRule('orders');
    expect(alert?.last).toMatchObject({
      verdict: 'inconclusive',
      reason: { code: 'no-season' },
    });
  });

  it('with bounds fires only if both are breached', async () => {
    const bounds = { compare: { to: 'same_weekday' }, fire: { change: { below: '-5%' } }, confidence: 0.5 };
    const figure = shop({ 57: 0.5 });
    const both = createWorld({ rules: [ruleNamed('both', { ...bounds, anomaly: true })], figure });
    const alone = createWorld({ rules: [ruleNamed('alone', bounds)], figure });
    await both.ticks(0, 62);
    await alone.ticks(0, 62);
    // Many days fall by 5%, and few of them are anomalies.
    expect(both.notified()).toEqual(['fired both', 'recovered both']);
    expect(alone.notified().length).toBeGreaterThan(both.notified().length);
  });
});

describe('a holiday', () => {
  // Friday, 3 April 2026 is day 32: Good Friday in Germany.
  const goodFriday = 32;
  const onHolidays = { compare: { to: 'same_weekday' }, holidays: { country: 'DE' } };

  it('does not fire, and is not the baseline a week later', async () => {
    const figure = shop({ [goodFriday]: 0.3 });
    const withHolidays = createWorld({ rules: [ruleNamed('sales', onHolidays)], figure });
    await withHolidays.ticks(0, goodFriday + 7);
    expect(withHolidays.notified()).toEqual([]);
    const [alert] = await withHolidays.alerts.loadOfRule('sales');
    expect(alert?.last?.baseline.window.startAt).toBe(
      alert?.last && alert.last.current.window.startAt - 14 * 86_400_000,
    );

    const plain = createWorld({ rules: [ruleNamed('sales', { compare: { to: 'same_weekday' } })], figure });
    await plain.ticks(0, goodFriday);
    expect(plain.notified()).toEqual(['fired sales']);
  });

  it('widens the range of an anomaly instead', async () => {
    const season = { compare: undefined, fire: undefined, anomaly: true, holidays: { days: ['2026-04-03'] } };
    const dropTo = async (part: number, given = {}) => {
      const rules = [ruleNamed('sales', { ...season, ...given })];
      const world = createWorld({ rules, figure: shop({ [goodFriday]: part }) });
      await world.ticks(0, goodFriday);
      const [alert] = await world.alerts.loadOfRule('sales');
      return { notified: world.notified(), surprise: alert?.last?.surprise };
    };
    // No year ago tells what this day does.
    const usual = await dropTo(0.6, { holidays: undefined });
    const holiday = await dropTo(0.6);
    expect(usual.notified).toEqual(['fired sales']);
    expect(holiday.notified).toEqual([]);
    expect(holiday.surprise?.occasion).toContain('2026-04-03');
    expect(holiday.surprise?.low).toBeLessThan(0.6 * (usual.surprise?.low ?? 0));
    expect((await dropTo(0.05)).notified).toEqual(['fired sales']);
  });

  it('does not hide an outage', async () => {
    const world = createWorld({ rules: [ruleNamed('sales', onHolidays)], figure: shop({ [goodFriday]: 0 }) });
    await world.ticks(0, goodFriday);
    expect(world.notified()).toEqual(['fired sales']);
  });

  it('may be a date in the rule', async () => {
    const named = { compare: { to: 'same_weekday' }, holidays: { days: ['2026-03-25'] } };
    const world = createWorld({ rules: [ruleNamed('sales', named)], figure: shop({ 23: 0.3 }) });
    await world.ticks(0, 23);
    expect(world.notified()).toEqual([]);
  });
});

describe('a rule without compare', () => {
  it('compares a daily count with the median of four weeks', async () => {
    const plain = ruleNamed('plain', { compare: undefined });
    const world = createWorld({ rules: [plain], figure: shop({ 29: 0.5 }) });
    await world.ticks(0, 36);
    // One low Tuesday hardly changes the median for the next one.
    expect(world.notified()).toEqual(['fired plain', 'recovered plain']);
    expect(JSON.stringify(world.channel.sent[0])).toContain('the median of 4 weeks');
  });
});

describe('a lasting outage', () => {
  const lastingFrom = (from: number, figure: number) =>
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [from + i, figure]));

  it('fires until it is rebaselined', async () => {
    const world = createWorld({ rules: [orders], figure: shop(lastingFrom(57, 0.1)) });
    await world.ticks(0, 70);
    expect(world.notified()).toEqual(['fired orders']);
    await world.tick(71);
    expect(world.notified()).toEqual(['fired orders', 'accepted orders']);
  });

  it('does not hide a smaller one three weeks later', async () => {
    const special = { 57: 0, 58: 0, 59: 0, 60: 0, 61: 0, 82: 0.3, 83: 0.3 };
    const world = createWorld({ rules: [orders], figure: shop(special) });
    await world.ticks(0, 90);
    expect(world.notified()).toEqual([
      'fired orders',
      'recovered orders',
      'fired orders',
      'recovered orders',
    ]);
  });

  it('that starts weeks after four holidays with low sales fires', async () => {
    const dates = ['2026-04-06', '2026-04-07', '2026-04-08', '2026-04-09'];
    const rule = ruleNamed('orders', {
      ...{ compare: undefined, fire: undefined, anomaly: true, holidays: { days: dates } },
    });
    const figure = shop({ 35: 0.65, 36: 0.65, 37: 0.65, 38: 0.65, 57: 0.3 });
    const world = createWorld({ rules: [rule], figure });
    await world.ticks(0, 57);
    expect(world.notified()).toEqual(['fired orders']);
  });
});

describe('an hourly level that falls by 60% and stays', () => {
  const hourly = ruleNamed('orders', {
    ...{ every: 'hour at :15', compare: undefined, fire: undefined, anomaly: true },
  });
  /** 80 an hour at night and 720 by day, 60% of that on weekends, with noise of 6%. */
  const level =
    (special: (hour: number) => number) =>
    (day: number): number => {
      const hour = Math.round(day * 24);
      const shape = 400 * (1 - 0.8 * Math.cos(((hour - 3) / 12) * Math.PI));
      const ofWeek = ((Math.floor(hour / 24) % 7) + 7) % 7 > 4 ? 0.6 : 1;
      return Math.round(shape * ofWeek * special(hour) * Math.exp(0.06 * noise(hour)));
    };
  const midnight = 60 * 24;
  const lived = async (lasts: number, hours: number) => {
    const isOff = (hour: number) => hour >= midnight && hour < midnight + lasts;
    const world = createWorld({ rules: [hourly], figure: level((hour) => (isOff(hour) ? 0.4 : 1)) });
    const found: string[] = [];
    for (let hour = midnight - 2; hour < midnight + hours; hour++) {
      await world.tickAt(MONDAY + (hour + 1) * HOUR_MS + HOUR_MS / 4);
      const notified = world.notified().slice(found.length);
      found.push(...notified.map((each) => `${each} after ${hour - midnight} h`));
    }
    return found;
  };

  it('does not recover at night', async () => {
    expect(await lived(1000, 72)).toEqual(['fired orders after 0 h']);
  });

  it('recovers when the level returns, which is not a rise', async () => {
    expect(await lived(34, 72)).toEqual(['fired orders after 0 h', 'recovered orders after 35 h']);
  });
});
