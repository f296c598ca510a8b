import { beforeEach, describe, expect, test } from 'vitest';
import { pictureOf } from '../../../functions/respond/pictures.ts';
import { pngOf } from '../../../shared/charts/png.ts';
import { rowKeysOf, seriesOf } from '../../../shared/readings/series.ts';
import { buildRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import {
  inMemoryAlertStore,
  inMemoryReadingStore,
  inMemoryStores,
} from '../../../shared/store/in-memory/stores.ts';
import { alertOf, dayAt, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

const purchases = ruleNamed('purchases');
const byCountry = ruleNamed('by-country', { group_by: 'device_country', max_segments: 1 });

let stores: ReturnType<typeof emptyStores>;
const emptyStores = () => ({
  rules: inMemoryStores().rules,
  alerts: inMemoryAlertStore(),
  readings: inMemoryReadingStore(),
  notes: inMemoryStores().notes,
});
beforeEach(() => {
  stores = emptyStores();
});

/** Saves the readings of one day, of the event or of its segments. */
function keep(day: number, rows: { segment?: string; count: number }[], rule = purchases) {
  return stores.readings.save({
    family: seriesOf(rule).family,
    window: dayAt(day),
    readAt: dayAt(day).endAt,
    isAlone: true,
    eventNames: ['purchase'],
    keys: rowKeysOf([rule]),
    rows: rows.map(({ count, ...row }) => ({
      ...row,
      eventName: 'purchase',
      current: { event_count: count },
    })),
  });
}

const picture = (ruleId: string, day: number, segment: string | null = null) =>
  pictureOf({ ruleId, segment, throughAt: dayAt(day).endAt }, stores);

describe('the chart of a series', () => {
  test('has the figures up to the requested window, and their expected ranges', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    for (const [day, count] of [90, 100, 40, 500].entries()) await keep(day, [{ count }]);
    const chart = await picture('purchases', 2);
    expect(chart?.points.map(({ value }) => value)).toEqual([90, 100, 40]);
    expect(chart?.points.at(-1)?.band).toEqual({ expected: 100, low: 70, high: null });
  });

  test('shows a segment, or the sum of all segments without an alert', async () => {
    await stores.rules.save(ruleSetOf(byCountry));
    const rows = [
      { segment: 'DE', count: 50 },
      { segment: 'FR', count: 7 },
      { segment: 'IT', count: 5 },
    ];
    for (const day of [0, 1]) await keep(day, rows, byCountry);
    const evaluated = { evaluatedThroughAt: dayAt(1).endAt };
    for (const segment of ['DE', 'others'])
      await stores.alerts.save(alertOf(byCountry, { segment, ...evaluated }));
    const latest = async (segment: string) => (await picture('by-country', 1, segment))?.points.at(-1)?.value;
    expect([await latest('DE'), await latest('FR'), await latest('others')]).toEqual([50, 7, 12]);
    expect((await picture('by-country', 1, 'DE'))?.part).toBe('DE');
  });

  test('is missing for removed rules, missing readings and composite rules', async () => {
    const either = ruleSetEntrySchema.parse({
      ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 02:00' },
      any_of: ['purchases', 'by-country'],
    });
    await stores.rules.save(ruleSetOf(purchases, byCountry, buildRule(either)));
    expect(await picture('purchases', 2)).toBeUndefined();
    await keep(0, [{ count: 90 }]);
    expect(await picture('gone', 0)).toBeUndefined();
    expect(await picture('either', 0)).toBeUndefined();
  });
});

test('marks the window that fired, during the alert and after it', async () => {
  const world = createWorld({ rules: [purchases], figure: (day) => (day === 40 ? 30 : 100) });
  for (let day = 30; day <= 40; day++) await world.tick(day);
  const about = { ruleId: 'purchases', segment: null, throughAt: dayAt(40).endAt };
  const then = await pictureOf(about, world);
  expect(then?.points.at(-1)).toMatchObject({ value: 30, band: { expected: 100, low: 70 } });
  expect(then?.breached).toEqual([dayAt(40)]);
  expect((await pngOf(then ?? expect.fail())).length).toBeGreaterThan(10_000);

  for (let day = 41; day <= 44; day++) await world.tick(day);
  expect((await world.alerts.loadOfRule('purchases'))[0]?.state).toBe('normal');
  expect(await pictureOf(about, world)).toEqual(then);
});
