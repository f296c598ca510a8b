import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { suggestLines, yamlLines } from '../../../cli/testing/suggest-text.ts';
import { outsideFireBounds } from '../../../shared/rules/bounds.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { rateInterval } from '../../../workbench/suggest/alert-rate.ts';
import { withScaledBounds } from '../../../workbench/suggest/scaled-bounds.ts';
import { type SuggestRequest, suggestBounds } from '../../../workbench/suggest/suggest.ts';
import { minimumFor } from '../../../workbench/suggest/suggested-minimum.ts';
import { dayAt, ROUTES, ruleNamed } from '../../fixtures/builders.ts';
import { pastOf } from '../../fixtures/past.ts';

const WEEKLY = { compare: { to: 'same_weekday' }, recover_after: '1 of 1' };

describe('withScaledBounds', () => {
  test.each([
    ['a fall as a ratio', { change: { below: '-50%' } }, 2, 'fire: { change: { below: -75% } }'],
    ['a rise as a ratio', { change: { above: '100%' } }, 2, 'fire: { change: { above: 300% } }'],
    ['never past the possible', { change: { below: '-80%' } }, 4, 'fire: { change: { below: -95% } }'],
    ['small bounds by half percent', { change: { below: '-12%' } }, 0.5, 'fire: { change: { below: -6% } }'],
    ['differences', { difference: { above: 130 } }, 1.4, 'fire: { difference: { above: 180 } }'],
    [
      'levels on both sides',
      { current: { below: 100, above: 500 } },
      2,
      'fire: { current: { below: 50, above: 1000 } }',
    ],
  ])('scales %s', (_name, fire, factor, line) => {
    const rule = withScaledBounds(ruleNamed('sales', { fire }), factor);
    expect(yamlLines({ rule } as Parameters<typeof yamlLines>[0])).toEqual([line]);
  });

  test('gives bounds that match their YAML and recover inside the fire bounds', () => {
    const entry = z.object({ fire: z.unknown(), recover: z.unknown() });
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 90 }),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0.25, max: 4, noNaN: true }),
        (fall, part, factor) => {
          const recover = { change: { below: `-${(fall * part) / 100}%` } };
          const rule = ruleNamed('sales', { fire: { change: { below: `-${fall}%` } }, recover });
          const scaled = withScaledBounds(rule, factor);
          expect(outsideFireBounds(scaled.fire, scaled.recover)).toEqual([]);
          const lines = yamlLines({ rule: scaled } as Parameters<typeof yamlLines>[0]).join('\n');
          const read = ruleNamed('sales', entry.parse(parse(lines)));
          expect([read.fire, read.recover]).toEqual([scaled.fire, scaled.recover]);
        },
      ),
    );
  });
});

// The exact interval from tables of the Poisson distribution.
test.each([
  [0, 0, 3.689],
  [2, 0.242, 7.225],
  [10, 4.795, 18.39],
])('rateInterval of %i events is %d to %d', (count, low, high) => {
  const interval = rateInterval(count, 1);
  expect(interval.low).toBeCloseTo(low, 2);
  expect(interval.high).toBeCloseTo(high, 2);
});

test.each([
  ['if small values cause the alerts', [10, 12, 20, 400], [300, 400, 500], 21],
  ['not if large values cause them', [290, 300, 400, 500], [300, 400, 500], undefined],
  ['not for few alerts', [10, 12], [300, 400, 500], undefined],
])('minimumFor suggests a minimum: %s', (_name, fired, evaluated, minimum) => {
  expect(minimumFor(fired, evaluated)).toBe(minimum);
});

const DAYS = 45;

function suggested(
  rule: FigureRule,
  figureOf: Parameters<typeof pastOf>[0],
  rest: Partial<SuggestRequest> = {},
) {
  const span = { startAt: dayAt(0).startAt, endAt: dayAt(DAYS).startAt };
  const request = { rule, routes: ROUTES, archive: pastOf(figureOf), span, labels: undefined };
  return suggestBounds({ ...request, alertsPerMonth: 1, ...rest });
}

/** Every fourth day is lower, each time by a little more: from 15% to 70%. */
const falling = (day: number) => {
  const normal = 10_000 + (((day % 7) + 7) % 7) * 10;
  return day >= 0 && day % 4 === 2 ? Math.round(normal * (0.85 - (day / DAYS) * 0.55)) : normal;
};

describe('suggested bounds', () => {
  const rule = ruleNamed('sales', { ...WEEKLY, fire: { change: { below: '-30%' } } });

  const label = { ...dayAt(42), title: 'a release', about: { rules: ['sales'] } };
  const tried = suggested(rule, falling, { labels: [label] });

  test('give about the wished number of alerts, among trials with more and fewer', async () => {
    const { trials, now, chosen } = await tried;
    expect(now.statistics.alerts).toBe(8);
    expect(chosen.statistics.alerts).toBe(2);
    expect(chosen.rule.fire?.change?.below).toBeLessThan(-0.5);
    const alerts = trials.map(({ statistics }) => statistics.alerts);
    expect(alerts).toEqual(alerts.toSorted((a, b) => b - a));
    expect(new Set(trials.map((each) => JSON.stringify(each.rule.fire))).size).toBe(trials.length);
  });

  test('are shown with the trade-off in 80 columns and the limits of the data', async () => {
    const suggestion = await tried;
    const span = { startAt: 0, endAt: DAYS * DAY_MS };
    const lines = suggestLines(suggestion, { wished: 1, span, describe: 'a test', hasLabels: false });
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const bars = lines.filter((line) => line.includes('#')).map((line) => line.split('#').length - 1);
    expect(bars).toEqual(bars.toSorted((a, b) => b - a));
    expect(bars.length).toBeLessThanOrEqual(12);
    expect(lines.find((line) => line.endsWith('now'))).toMatch(/^ {2}-30% +5\.3 {2}#+ +now$/);
    expect(lines.join('\n')).toContain(
      'note: 2 alerts in 45 days are too few for a precise rate: it is between 0.2 and',
    );
  });

  test('are shown with the share of the past that could be evaluated', async () => {
    const { chosen, ...others } = await tried;
    const statistics = { ...chosen.statistics, evaluatedMs: 15 * DAY_MS };
    const context = { wished: 1, span: { startAt: 0, endAt: DAYS * DAY_MS }, describe: '', hasLabels: true };
    const lines = suggestLines({ ...others, chosen: { ...chosen, statistics } }, context);
    expect(lines).toContain('note: only 15 of 45 days could be evaluated; rates are based on these');
    expect(lines.join('\n')).toContain('2 alerts in 15 days are too few for a precise rate');
  });

  test('stay unchanged if others give no more alerts', async () => {
    const unchanged = await suggested(rule, () => 1000);
    expect(unchanged.chosen).toBe(unchanged.now);
  });

  // With even narrower bounds, one alert continues where these give several.
  test('are found between trials with fewer alerts', async () => {
    const median = ruleNamed('sales', {
      ...{ compare: { median_of: '4 weeks' }, fire: { change: { below: '-30%' } } },
    });
    const normal = (day: number) => (day % 5 === 2 ? 7700 : day % 2 === 0 ? 8900 : 10_000);
    const past = (day: number) => (day < 0 ? 10_000 : day === 12 ? 6000 : normal(day));
    const { trials, chosen } = await suggested(median, past, { alertsPerMonth: 4 });
    const alerts = (factor: number) => trials.find((each) => each.factor === factor)?.statistics.alerts;
    expect(alerts(0.25)).toBe(alerts(1));
    expect(chosen.statistics.alerts).toBeGreaterThan(alerts(1) ?? 0);
  });

  test('are compared with the labels', async () => {
    const { chosen, now } = await tried;
    expect([now, chosen].map(({ statistics }) => statistics.hits)).toMatchObject([
      { right: 1, wrong: 7, found: 1 },
      { right: 1, wrong: 1, found: 1 },
    ]);
  });

  test('come with a minimum if small segments cause the alerts', async () => {
    const byCountry = ruleNamed('sales', {
      ...WEEKLY,
      ...{ group_by: 'device_country', fire: { change: { below: '-30%' } }, minimum: { baseline: 0 } },
      false_discovery: { rate: '40%' },
      confidence: 0.9,
    });
    const figures = (day: number) => ({
      Germany: 1000,
      France: 900,
      Malta: day >= 0 && day % 8 === 5 ? 6 : 40,
    });
    const { now, withMinimum } = await suggested(byCountry, figures);
    expect(now.statistics.alerts).toBeGreaterThan(4);
    expect(withMinimum?.rule.minimum.baseline).toBe(42);
    expect(withMinimum?.statistics.alerts).toBe(0);
  });
});
