import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { suggestText, yamlLines } from '../../../cli/testing/suggest.ts';
import { outsideFireBounds } from '../../../shared/rules/bounds.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { withScaledBounds } from '../../../workbench/suggest/scaled-bounds.ts';
import { type SuggestRequest, suggestBounds } from '../../../workbench/suggest/suggest.ts';
import { dayAt, ROUTES, ruleNamed } from '../../fixtures/builders.ts';
import { pastOf } from '../../fixtures/past.ts';

const WEEKLY = { compare: { to: 'same_weekday' }, recover_after: '1 of 1' };

function linesOf(rule: FigureRule): string[] {
  const { fire, recover } = rule;
  return yamlLines({
    rule,
    suggested: { fire, recover, factor: 1, alerts: 0, alertsPerMonth: 0 },
  });
}

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
      'fire: { current: { above: 1000, below: 50 } }',
    ],
  ])('scales %s', (_name, fire, factor, line) => {
    const rule = withScaledBounds(ruleNamed('sales', { fire }), factor);
    expect(linesOf(rule)).toEqual([line]);
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
          const lines = linesOf(scaled).join('\n');
          const read = ruleNamed('sales', entry.parse(parse(lines)));
          expect([read.fire, read.recover]).toEqual([scaled.fire, scaled.recover]);
        },
      ),
    );
  });
});

const DAYS = 45;

function suggested(
  rule: FigureRule,
  figureOf: Parameters<typeof pastOf>[0],
  rest: Partial<SuggestRequest> = {},
) {
  const span = { startAt: dayAt(0).startAt, endAt: dayAt(DAYS).startAt };
  const request = { rule, routes: ROUTES, archive: pastOf(figureOf), span };
  return suggestBounds({ ...request, alertsPerMonth: 1, ...rest });
}

/** Every fourth day is lower, each time by a little more: from 15% to 70%. */
const falling = (day: number) => {
  const normal = 10_000 + (((day % 7) + 7) % 7) * 10;
  return day >= 0 && day % 4 === 2 ? Math.round(normal * (0.85 - (day / DAYS) * 0.55)) : normal;
};

describe('suggested bounds', () => {
  const rule = ruleNamed('sales', { ...WEEKLY, fire: { change: { below: '-30%' } } });

  const tried = suggested(rule, falling);

  test('give about the wished number of alerts, among trials with more and fewer', async () => {
    const { trials, now, suggested: chosen } = await tried;
    expect(now.alerts).toBe(8);
    expect(chosen.alerts).toBe(1);
    expect(chosen.fire?.change?.below).toBeLessThan(-0.5);
    const alerts = trials.map((each) => each.alerts);
    expect(alerts).toEqual(alerts.toSorted((a, b) => b - a));
    expect(new Set(trials.map((each) => JSON.stringify(each.fire))).size).toBe(trials.length);
  });

  test('are shown among the others in 80 columns, with the limits of the data', async () => {
    const span = { startAt: 0, endAt: DAYS * DAY_MS };
    const lines = suggestText(await tried, { wished: 1, span, describe: 'a test' }).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.find((line) => line.endsWith('now'))).toMatch(/^change below -30% +5\.3 +now$/);
    expect(lines).toContain('note: 1 alert in 45 days: too few for a precise rate');
  });
});
