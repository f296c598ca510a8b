import { describe, expect, test } from 'vitest';
import { backtestText } from '../../../cli/testing/backtest.ts';
import type { BacktestReport } from '../../../workbench/backtest/backtest.ts';
import { comparisonOf } from '../../../workbench/backtest/compare.ts';
import { notesOn } from '../../../workbench/backtest/notes.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { evaluatedDays, reportOn, sent } from '../../workbench/backtest/events.ts';

const LONG = 'purchases-of-everything-that-there-is-in-the-shop-by-country-and-by-nothing-else';
const HOSTILE = '<img src=x onerror=alert(1)> `a` | \\| @team **b** #1 https://evil.example \u001b[31m\n';
const purchases = ruleNamed('purchases', { title: HOSTILE });
const stricter = ruleNamed('purchases', { title: HOSTILE, fire: { change: { below: '-50%' } } });
const long = ruleNamed(LONG);

const EVENTS = [
  ...evaluatedDays(purchases, '.!!..!.', 'nffnnfn', HOSTILE),
  ...evaluatedDays(long, '??.!..', 'nnnfnn'),
  sent(1, [purchases]),
];

/** Two rules with three alerts, compared with one rule with one of them. */
function found(rules = [stricter, long], events = EVENTS): BacktestReport {
  const report = reportOn(events, rules);
  const before = reportOn(evaluatedDays(purchases, '.!...', 'nfnnn', HOSTILE), [purchases]);
  return {
    ...report,
    comparison: comparisonOf({ rules: [purchases], report: before }, { rules, report }),
    notes: notesOn(rules, report),
  };
}

const HEADING = { figures: 'the demo shop', against: 'origin/main (1a2b3c4)' };

describe('in the terminal', () => {
  const lines = backtestText(found(), HEADING).split('\n');
  const text = lines.join('\n').replaceAll(/\s+/g, ' ');

  test('has at most 80 columns and cuts no name', () => {
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.map((line) => line.slice(0, 36).trim()).join('')).toContain(LONG);
  });

  test('removes control characters from segment names', () => {
    expect(text).not.toContain('\u001b');
  });

  test.each([
    [
      'the days and the source of the data',
      '2 rules over 30 days, 2026-03-02 to 2026-04-01, on the demo shop',
    ],
    ['the number and duration of alerts', /purchases +2 +2 +2 days +0% /],
    ['the names of columns', /longest +unknown /],
    ['the totals', '3 alerts, 3 a month; 1 message, 1 a month'],
    ['the channels', /default +team +1 +1/],
    ['the limits of the replay', 'note: Past data is final'],
    ['the changed rules', 'Compared with origin/main (1a2b3c4). Rules: 1 added, 1 changed in meaning'],
    ['the changed field', 'fire.change.below: -30% → -50%'],
    ['a new alert', /\+ 2026-03-07 .*100 to 40 \(-60%\)/],
    ['a longer alert', /~ 2026-03-03 .*: 24 hours before, 2 days now/],
  ])('shows %s', (_, pattern) => {
    expect(text).toMatch(
      pattern instanceof RegExp ? pattern : new RegExp(pattern.replaceAll(/[()[\].+|]/g, '\\$&')),
    );
  });

  test('calls an alert that fired on the last window open', () => {
    const rowOf = (days: string, states: string) =>
      backtestText(found([purchases], evaluatedDays(purchases, days, states)), HEADING);
    expect(rowOf('.!', 'nf')).toMatch(/^purchases +1 +1 +open /m);
    expect(rowOf('.!!', 'nff')).toMatch(/^purchases +1 +1 +24 hours /m);
    expect(rowOf('.!!', 'nff')).toContain('24 hours so far');
  });
});
