import { describe, expect, test } from 'vitest';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { comparisonOf, fireChanges } from '../../../workbench/backtest/compare.ts';
import { Ledger } from '../../../workbench/backtest/message-log.ts';
import { changeText } from '../../../workbench/backtest/report-text.ts';
import { statisticsOf } from '../../../workbench/backtest/statistics.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { evaluatedDays, sent } from './events.ts';

const purchases = ruleNamed('purchases');
const stricter = ruleNamed('purchases', { fire: { change: { below: '-50%' } } });

function statistics(rules: Rule[], events: ReplayEvent[]) {
  const ledger = new Ledger(rules);
  for (const event of events) ledger.add(event);
  const span = { startAt: MONDAY, endAt: MONDAY + 30 * DAY_MS };
  return statisticsOf(ledger, { ruleSet: ruleSetOf(...rules), span, labels: undefined });
}

type Days = [days: string, states: string];

const firesOf = (days: string, states: string, segment: string | null = null) =>
  statistics([purchases], evaluatedDays(purchases, days, states, segment)).rules.flatMap(
    ({ fires }) => fires,
  );

describe('alerts before and after', () => {
  test.each([
    ['the same', ['.!!.', 'nffn'], ['.!!.', 'nffn'], [0, 0, 0]],
    ['one is added', ['....', 'nnnn'], ['.!!.', 'nffn'], [1, 0, 0]],
    ['one is removed', ['.!!.', 'nffn'], ['....', 'nnnn'], [0, 1, 0]],
    ['one lasts longer', ['.!..', 'nfnn'], ['.!!.', 'nffn'], [0, 0, 1]],
    ['one ends where another begins', ['!...', 'fnnn'], ['.!..', 'nfnn'], [1, 1, 0]],
    ['one splits', ['.!!!!.', 'nffffn'], ['.!.!.', 'nfnfn'], [1, 0, 1]],
    ['two merge', ['.!.!.', 'nfnfn'], ['.!!!!.', 'nffffn'], [0, 1, 1]],
  ] satisfies [string, Days, Days, number[]][])('%s', (_, before, after, [appears, disappears, moved]) => {
    const changes = fireChanges(firesOf(...before), firesOf(...after));
    expect([changes.appears.length, changes.disappears.length, changes.moved.length]).toEqual([
      appears,
      disappears,
      moved,
    ]);
  });

  test('of different segments are compared separately', () => {
    const changes = fireChanges(firesOf('!.', 'fn', 'DE'), firesOf('!.', 'fn', 'FR'));
    expect(changes.appears[0]?.segment).toBe('FR');
    expect(changes.disappears[0]?.segment).toBe('DE');
  });
});

describe('rules before and after', () => {
  test('rules without a difference are omitted', () => {
    const same = statistics([purchases], evaluatedDays(purchases, '!.', 'fn'));
    expect(comparisonOf(same, same)).toMatchObject({ rules: [], appears: 0, disappears: 0, moved: 0 });
  });

  test('a rule with another meaning is listed even if its alerts are the same', () => {
    const { rules, changes } = comparisonOf(statistics([purchases], []), statistics([stricter], []));
    expect(rules).toMatchObject([{ kind: 'changed', appears: [], disappears: [] }]);
    expect(changes.changed[0]?.fields).toEqual([
      { field: 'fire.change.below', before: '-30%', after: '-50%' },
    ]);
  });

  test('a rule with a cosmetic change is omitted and reported as cosmetic', () => {
    const renamed = ruleNamed('purchases', { title: 'All purchases' });
    const { rules, changes } = comparisonOf(statistics([purchases], []), statistics([renamed], []));
    expect(rules).toEqual([]);
    expect(changes.changed).toMatchObject([{ startsOver: false }]);
  });

  test('all alerts of a new rule appear, and those of a removed rule disappear', () => {
    const searches = ruleNamed('searches');
    const { rules } = comparisonOf(
      statistics([purchases], evaluatedDays(purchases, '!.', 'fn')),
      statistics([searches], evaluatedDays(searches, '!.!.', 'fnfn')),
    );
    expect(
      rules.map(({ rule, kind, appears, disappears }) => [rule.id, kind, appears.length, disappears.length]),
    ).toEqual([
      ['searches', 'added', 2, 0],
      ['purchases', 'removed', 0, 1],
    ]);
  });

  test('an unchanged rule with different alerts is listed', () => {
    const [before, after] = [evaluatedDays(purchases, '!.', 'fn'), evaluatedDays(purchases, '..', 'nn')];
    const { rules } = comparisonOf(statistics([purchases], before), statistics([purchases], after));
    expect(rules).toMatchObject([{ kind: 'unchanged', disappears: [{ ruleId: 'purchases' }] }]);
  });

  test('a rule that became quiet is listed, with the channels that lose its messages', () => {
    const events = evaluatedDays(purchases, '.!..', 'nfnn');
    const quiet = ruleNamed('purchases', { quiet: true });
    const before = statistics([purchases], [...events, sent(1, [purchases])]);
    const { rules, heard, changes } = comparisonOf(before, statistics([quiet], events));
    expect(rules.map(changeText)).toEqual(['the same alerts; messages a month 1 → 0']);
    expect(changes.changed[0]?.fields).toMatchObject([{ field: 'quiet' }]);
    expect(heard).toEqual([{ route: 'default', channel: 'team', before: 1, after: 0 }]);
  });

  test('each channel of a route is counted separately', () => {
    const message = sent(1, [purchases]);
    const [before, after] = [message, { ...message, channel: 'other' }].map((each) =>
      statistics([purchases], [each]),
    );
    expect(before && after && comparisonOf(before, after).heard).toEqual([
      { route: 'default', channel: 'team', before: 1, after: 0 },
      { route: 'default', channel: 'other', before: 0, after: 1 },
    ]);
  });

  test('the messages per month of both are reported', () => {
    const before = statistics([purchases], [sent(1, [purchases]), sent(2, [purchases])]);
    const after = statistics([stricter], [sent(1, [stricter])]);
    expect(comparisonOf(before, after).messagesPerMonth).toEqual({ before: 2, after: 1 });
  });
});
