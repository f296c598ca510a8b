import { describe, expect, test } from 'vitest';
import { backtestLines } from '../../../cli/testing/backtest-lines.ts';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Filter } from '../../../shared/contract/filters.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import type { Backtest } from '../../../workbench/backtest/backtest.ts';
import { comparisonOf } from '../../../workbench/backtest/compare.ts';
import type { Label } from '../../../workbench/backtest/label.ts';
import { markdownOf } from '../../../workbench/backtest/markdown.ts';
import { Ledger } from '../../../workbench/backtest/message-log.ts';
import { notesOn } from '../../../workbench/backtest/notes.ts';
import { pageOf } from '../../../workbench/backtest/page.ts';
import { Plots } from '../../../workbench/backtest/plots.ts';
import { reportJson } from '../../../workbench/backtest/report-json.ts';
import { statisticsOf } from '../../../workbench/backtest/statistics.ts';
import { dayAt, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { evaluatedDays, sent } from './events.ts';

const LONG = 'purchases-of-everything-that-there-is-in-the-shop-by-country-and-by-nothing-else';
const HOSTILE = '<img src=x onerror=alert(1)> `a` | \\| @team **b** #1 https://evil.example \u001b[31m\n';
const purchases = ruleNamed('purchases', { title: HOSTILE });
const stricter = ruleNamed('purchases', { title: HOSTILE, fire: { change: { below: '-50%' } } });
const long = ruleNamed(LONG);
const LABELS: Label[] = [
  { startAt: dayAt(1).startAt, endAt: dayAt(2).startAt, title: HOSTILE, about: { rules: ['purchases'] } },
  { startAt: dayAt(5).startAt, endAt: dayAt(6).startAt, title: 'Nobody saw it', about: { rules: [LONG] } },
];

function statistics(rules: Rule[], events: ReplayEvent[], labels?: Label[]) {
  const ledger = new Ledger(rules);
  for (const event of events) ledger.add(event);
  const span = { startAt: MONDAY, endAt: MONDAY + 30 * DAY_MS };
  return statisticsOf(ledger, { ruleSet: ruleSetOf(...rules), span, labels });
}

const EVENTS = [
  ...evaluatedDays(purchases, '.!!..!.', 'nffnnfn', HOSTILE),
  ...evaluatedDays(long, '??.!..', 'nnnfnn'),
  sent(1, [purchases]),
];

/** Two rules with three alerts, compared with one rule with one of them. Labels rate each alert. */
function found({
  events = EVENTS,
  isCompared = true,
}: {
  events?: ReplayEvent[];
  isCompared?: boolean;
} = {}): Backtest {
  const after = statistics([stricter, long], events, LABELS);
  const before = statistics([purchases], evaluatedDays(purchases, '.!...', 'nfnnn', HOSTILE));
  return {
    statistics: after,
    comparison: isCompared ? comparisonOf(before, after) : null,
    calls: { made: 12, perDay: 69.5 },
    notes: notesOn(after),
  };
}

const HEADING = { figures: 'the demo shop', against: 'origin/main (1a2b3c4)' };

describe('in the terminal', () => {
  const lines = backtestLines(found(), HEADING).join('\n').split('\n');
  const text = lines.join('\n').replaceAll(/\s+/g, ' ');

  test('has at most 80 columns and cuts no name', () => {
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.map((line) => line.slice(0, 27).trim()).join('')).toContain(LONG);
  });

  test('removes control characters from segment names', () => {
    expect(text).not.toContain('\u001b');
  });

  test.each([
    [
      'the days and the source of the data',
      '2 rules over 30 days, 2026-03-02 to 2026-04-01, on the demo shop',
    ],
    ['the number and duration of alerts', /purchases +2 +2 +2 days +0% +1 +1 /],
    ['the names of columns', /unknown +right +elsewhere /],
    [
      'the meaning of "elsewhere"',
      'note: "Elsewhere" counts alerts that fired during an incident in other data',
    ],
    ['the totals', '3 alerts, 3 a month; 1 message, 1 a month'],
    ['the channels', /default +team +1 +1/],
    ['the hits', '1 of 3 alerts right (33%), 1 elsewhere at that time; 1 of 2 incidents found (50%)'],
    ['the misses', /no rule: purchases-of-everything-that-/],
    ['the calls', '12 calls made; in production 70 calls a day, and about 12 per fire'],
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

  test('shows the channels with more messages', () => {
    expect(text).toMatch(/messages a month +0 +1 +default to team +0 +1 /);
  });

  test('states that a change affects no alert', () => {
    const same = statistics([purchases], []);
    const lines = backtestLines({ ...found(), comparison: comparisonOf(same, same) }, HEADING);
    expect(lines).toContain('All alerts are the same.');
  });
});

describe('as JSON', () => {
  const json = JSON.parse(JSON.stringify(reportJson(found(), 'the demo shop')));

  test('has times in UTC, durations in hours and every alert', () => {
    expect(json).toMatchObject({ from: '2026-03-02T00:00:00.000Z', alerts: 3, messages: 1 });
    expect(json.rules[0]).toMatchObject({
      rule: 'purchases',
      openHours: { total: 72, longest: 48, median: 36 },
    });
    expect(json.rules[0].fires[0]).toMatchObject({
      windowStart: '2026-03-03T00:00:00.000Z',
      foundAt: '2026-03-04T01:00:00.000Z',
      current: 40,
      changePct: -60,
    });
  });

  test('has the smallest change that fires, for each segment', () => {
    expect(json.rules[0].sensitivity).toEqual([
      expect.objectContaining({
        segment: HOSTILE,
        expected: 100,
        fallFrom: 50,
        fallNever: null,
        riseFrom: null,
      }),
    ]);
  });

  test('has the outcome of each label and the comparison', () => {
    expect(json.incidents.map((each: { missed: string[] }) => each.missed)).toEqual([[], [LONG]]);
    expect(json.hits).toMatchObject({ right: 1, elsewhere: 1, wrong: 1 });
    const matches = json.rules.flatMap((each: { fires: { match: string }[] }) => each.fires);
    expect(matches.map((each: { match: string }) => each.match)).toEqual(['right', 'elsewhere', 'wrong']);
    expect(json.rules[0].fires[0].incidents).toEqual([HOSTILE]);
    expect(json.comparison).toMatchObject({ added: [LONG], removed: [], cosmetic: [] });
    expect(json.comparison.changedInMeaning[0].fields).toHaveLength(1);
    expect(reportJson(found({ isCompared: false }), '').comparison).toBeNull();
  });
});

describe('as a comment', () => {
  const text = markdownOf(found(), HEADING);

  test('has the summary in its first line', () => {
    expect(text.split('\n')[0]).toBe(
      '**Backtest** of 30 days, 2026-03-02 to 2026-04-01, on the demo shop: against `origin/main (1a2b3c4)`, 2 alerts more, 0 fewer, 1 with a different length; messages a month 0 → 1',
    );
  });

  test('has the hits of each rule', () => {
    expect(text).toContain('| unknown | right | elsewhere |');
    expect(text).toMatch(/\| `purchases` \| 2 \|.*\| 1 \| 1 \|\n/);
    expect(text).toContain('1 of 3 alerts right (33%), 1 elsewhere at that time');
  });

  test('escapes markup, links and mentions in user text', () => {
    // GitHub shows code as it is.
    const rest = text.replaceAll(/`[^`\n]*`/g, '');
    for (const word of ['<img', '@team', '**b**', 'https://', '#1']) expect(rest).not.toContain(word);
    expect(text).not.toContain('\u001b');
    const rows = text.split('\n').filter((line) => line.startsWith('| new') || line.startsWith('| gone'));
    // A backslash escapes a pipe unless the backslash itself is escaped.
    const cells = rows.map((row) => row.replaceAll(/(?<!\\)\\\|/g, '').split('|').length);
    // Five cells for the rule with segments, four for the other, plus the text before and after them.
    expect(cells.toSorted()).toEqual([6, 7]);
  });

  test('is cut at the limit of GitHub, with all folded sections closed', () => {
    const rules = Array.from({ length: 400 }, (_, i) => ruleNamed(`rule-${i}-${'x'.repeat(60)}`));
    const events = rules.flatMap((rule) => evaluatedDays(rule, '.!..', 'nfnn'));
    const after = statistics(rules, events);
    const cut = markdownOf({ ...found(), comparison: comparisonOf(statistics([], []), after) }, HEADING);
    expect(cut.length).toBeLessThanOrEqual(65_536);
    expect(cut).toMatch(/Cut here, because GitHub limits comments/);
    expect(cut.match(/<details>/g)).toHaveLength(cut.match(/<\/details>/g)?.length ?? 0);
  });
});

describe('as a page', async () => {
  const plots = new Plots([stricter, long]);
  for (const event of EVENTS) plots.add(event);
  const page = await pageOf({ backtest: found(), plots, labels: LABELS, figures: HEADING.figures });

  test('loads nothing from any host and runs no script', () => {
    expect(page.match(/<script|<iframe|<link[^>]+href="(?!data:)|src="(?!data:)|url\(|@import/)).toBeNull();
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    expect(policy.replaceAll('&#39;', "'")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(page.includes('<img src=x')).toBe(false);
    // A style of an element would be refused by the page's own policy.
    expect(page.match(/<[^>]+ style="/)).toBeNull();
  });

  test('draws breaches, the expected range and known incidents', () => {
    const drawn = page.match(/<svg[^>]*role="img"/g) ?? [];
    // Two series, each for wide and for narrow windows.
    expect(drawn).toHaveLength(4);
    for (const words of ['expected range', 'breached', 'known incident'])
      expect(page).toContain(`>${words}<`);
  });

  test('shows the hits in total and per alert', () => {
    expect(page).toMatch(/<p>\d+ of \d+ alerts right/);
    for (const words of ['elsewhere at that time', 'none at that time'])
      expect(page).toMatch(new RegExp(`<td[^>]*><span>${words}</span></td>`));
  });

  test('has one anchor per rule', () => {
    for (const { id } of [purchases, long])
      expect(page.match(new RegExp(` id="rule-${id}"`, 'g'))).toHaveLength(1);
  });

  test('draws a rule that never fired', async () => {
    const neverFired = new Plots([purchases]);
    for (const segment of ['DE', 'FR'])
      for (const event of evaluatedDays(purchases, '...', 'nnn', segment)) neverFired.add(event);
    expect(neverFired.segmentsOf('purchases', [])).toEqual(['DE', 'FR']);
    const chart = neverFired.chartOf('purchases', 'DE', { fires: [], labels: [] });
    expect(chart?.points).toHaveLength(3);
    expect(chart?.points[0].band).toEqual({ expected: 100, low: 70, high: null });
    expect(chart?.breached).toEqual([]);
  });

  test('marks only incidents that touch the series', () => {
    const rule = ruleNamed('purchases', { group_by: 'device_country' });
    const plotted = new Plots([rule]);
    for (const event of evaluatedDays(rule, '...', 'nnn', 'DE')) plotted.add(event);
    const labels = ['DE', 'FR'].map((value): Label => {
      const filters: Filter[] = [{ attribute: 'device_country', operator: 'equal', value }];
      return { ...dayAt(1), title: value, about: { app: 'demo', metrics: 'any', filters } };
    });
    const chart = plotted.chartOf('purchases', 'DE', { fires: [], labels });
    expect(chart?.labelled).toEqual(labels.slice(0, 1));
  });
});
