import { describe, expect, test } from 'vitest';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { comparisonOf, fireChanges } from '../../../workbench/backtest/compare.ts';
import { changeText } from '../../../workbench/backtest/report-text.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { evaluatedDays, reportOn, sent } from './events.ts';

const purchases = ruleNamed('purchases');
const stricter = ruleNamed('purchases', { fire: { change: { below: '-50%' } } });

const replayed = (rules: Rule[], events: ReplayEvent[]) => ({ rules, report: reportOn(events, rules) });

type Days = [days: string, states: string];

const firesOf = (days: string, states: string, segment: string | null = null) =>
  reportOn(evaluatedDays(purchases, days, states, segment), [purchases]).rules.flatMap(({ fires }) => fires);

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
});

describe('rules before and after', () => {
  test('a rule with another meaning is listed even if its alerts are the same', () => {
    const fields = [{ field: 'fire.change.below', before: '-30%', after: '-50%' }];
    expect(comparisonOf(replayed([purchases], []), replayed([stricter], []))).toMatchObject({
      ...{ changed: ['purchases'], cosmetic: [] },
      rules: [{ kind: 'changed', fields, appears: [], disappears: [] }],
    });
  });

  test('a rule with a cosmetic change is omitted and reported as cosmetic', () => {
    const renamed = ruleNamed('purchases', { title: 'All purchases' });
    expect(comparisonOf(replayed([purchases], []), replayed([renamed], []))).toMatchObject({
      ...{ changed: [], cosmetic: ['purchases'], rules: [] },
    });
  });

  test('all alerts of a new rule appear, and those of a removed rule disappear', () => {
    const searches = ruleNamed('searches');
    const { rules } = comparisonOf(
      replayed([purchases], evaluatedDays(purchases, '!.', 'fn')),
      replayed([searches], evaluatedDays(searches, '!.!.', 'fnfn')),
    );
    expect(
      rules.map(({ rule, kind, appears, disappears }) => [rule, kind, appears.length, disappears.length]),
    ).toEqual([
      ['searches', 'added', 2, 0],
      ['purchases', 'removed', 0, 1],
    ]);
  });

  test('an unchanged rule with different alerts is listed', () => {
    const [before, after] = [evaluatedDays(purchases, '!.', 'fn'), evaluatedDays(purchases, '..', 'nn')];
    const { rules } = comparisonOf(replayed([purchases], before), replayed([purchases], after));
    expect(rules).toMatchObject([{ kind: 'unchanged', disappears: [{ rule: 'purchases' }] }]);
  });

  test('a rule that became quiet is listed, with the channels that lose its messages', () => {
    const events = evaluatedDays(purchases, '.!..', 'nfnn');
    const quiet = ruleNamed('purchases', { quiet: true });
    const before = replayed([purchases], [...events, sent(1, [purchases])]);
    const { rules, channels } = comparisonOf(before, replayed([quiet], events));
    expect(rules.map(changeText)).toEqual(['the same alerts; messages a month 1 → 0']);
    expect(rules[0]?.fields).toMatchObject([{ field: 'quiet' }]);
    expect(channels).toEqual([{ route: 'default', channel: 'team', before: 1, after: 0 }]);
  });

  test('each channel of a route is counted separately', () => {
    const message = sent(1, [purchases]);
    const [before, after] = [message, { ...message, channel: 'other' }].map((each) =>
      replayed([purchases], [each]),
    );
    expect(before && after && comparisonOf(before, after).channels).toEqual([
      { route: 'default', channel: 'team', before: 1, after: 0 },
      { route: 'default', channel: 'other', before: 0, after: 1 },
    ]);
  });
});
