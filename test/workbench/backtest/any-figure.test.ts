import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpMetricSource } from '../../../shared/source/metric-source.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { backtest } from '../../../workbench/backtest/backtest.ts';
import { options } from '../../contracts/metric-sources.ts';
import { ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Columns, event, type Sample, sample, session } from '../../functions/data-access/sample-app.ts';

/** A day more than is evaluated, because a day is evaluated when newer data has arrived. */
const DAYS = 26;
const SESSIONS_A_DAY = 240;
const FIRST_AT = Date.parse('2026-03-15T09:00:00Z');
/** The last run is on 10 April, and evaluates 8 April: the day after is not complete. */
const SPAN = { startAt: Date.parse('2026-04-06T22:00:00Z'), endAt: Date.parse('2026-04-10T10:00:00Z') };

/** Each session buys once. On the last evaluated day iOS 2.0 buys a quarter as often, and all prices are halved. */
function bought(): { sessions: Columns[]; events: Columns[] } {
  const sessions: Columns[] = [];
  const events: Columns[] = [];
  for (let day = 0; day < DAYS; day++)
    for (let i = 0; i < SESSIONS_A_DAY; i++) {
      const recorded_at = new Date(FIRST_AT + day * DAY_MS + i * 10_000).toISOString();
      const [platform, app_version] = [i % 2 ? 'ios' : 'android', i % 4 < 2 ? '1.0' : '2.0'];
      const visited = session({ recorded_at, platform, app_version });
      sessions.push(visited);
      const isLast = day === DAYS - 2;
      if (isLast && platform === 'ios' && app_version === '2.0' && i % 16 !== 3) continue;
      const price = (isLast ? 20 : 40) + (i % 3);
      events.push(event(visited, { properties: { price, plan: i % 5 ? 'free' : 'pro' } }));
      // Text is no number, and another event is not a purchase.
      events.push(event(visited, { properties: { price: 'unknown' } }));
      events.push(event(visited, { event_name: 'refund', properties: { price: 1_000 } }));
    }
  return { sessions, events };
}

let service: Sample;
beforeAll(async () => {
  service = await sample(bought());
});
afterAll(() => service.close());

/** What fires on the last day: the segment, and both figures with two decimals. */
async function firesOf(keys: Record<string, unknown>) {
  const rule = ruleNamed('any', {
    ...{ app: 'shop', zone: 'Europe/Berlin', every: 'day at 07:00', metric: undefined, filters: [] },
    confidence: 0.9,
    minimum: { baseline: 0 },
    ...keys,
  });
  const sourceFor = () => createHttpMetricSource(options(service));
  const { rules } = await backtest({
    ...{ ruleSet: ruleSetOf(rule), span: SPAN, sourceFor },
    clock: service.clock,
  });
  const fires = rules[0]?.fires ?? [];
  return fires.map(({ segment, baseline, current }) => [segment, baseline, current].map(rounded));
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

const purchases = [{ attribute: 'event_name', operator: 'equal', value: 'purchase' }];
const withPrice = [
  ...purchases,
  { attribute: 'event_custom_property', property_name: 'price', operator: 'greater', value: 0 },
];
const paid = { metric: 'event_count', filters: withPrice };

test.each<{ name: string; rule: Record<string, unknown>; fires: unknown[][] }>([
  {
    name: 'purchases per session, by platform and version',
    rule: {
      ratio: { of: paid, to: { metric: 'sessions' } },
      group_by: ['device_platform', 'app_version'],
    },
    fires: [['ios, 2.0', 1, 0.25]],
  },
  {
    name: 'the average of a property, of events that have a number',
    rule: { metric: { average: 'price' }, filters: purchases },
    fires: [[null, 41, 21]],
  },
  {
    name: 'the sum of a property',
    rule: { metric: { sum: 'price' }, filters: purchases, fire: { change: { below: '-50%' } } },
    fires: [[null, 9840, 4095]],
  },
  {
    name: 'a percentile of a property',
    rule: { metric: { p90: 'price' }, filters: purchases },
    fires: [[null, 42, 22]],
  },
  {
    name: 'the average of a property, by another property',
    rule: {
      metric: { average: 'price' },
      filters: purchases,
      group_by: { attribute: 'event_custom_property', property_name: 'plan' },
    },
    fires: [
      ['free', 41, 21],
      ['pro', 41, 21],
    ],
  },
  {
    name: 'a formula',
    rule: {
      formula: 'revenue / sessions',
      figures: {
        revenue: { metric: { sum: 'price' }, filters: purchases },
        sessions: { metric: 'sessions' },
      },
      fire: { change: { below: '-50%' } },
    },
    fires: [[null, 41, 17.06]],
  },
])('$name', async ({ rule, fires }) => {
  expect(await firesOf(rule)).toEqual(fires);
});
