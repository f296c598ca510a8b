import { describe, expect, test } from 'vitest';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Filter } from '../../../shared/contract/filters.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import type { Label } from '../../../workbench/backtest/label.ts';
import { Ledger } from '../../../workbench/backtest/message-log.ts';
import { notesOn } from '../../../workbench/backtest/notes.ts';
import { foundText } from '../../../workbench/backtest/report-text.ts';
import { statisticsOf } from '../../../workbench/backtest/statistics.ts';
import { dayAt, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { evaluatedDays } from './events.ts';

const purchases = ruleNamed('purchases');
const searches = ruleNamed('searches', { filters: [eventNamed('search')] });
const sessions = ruleNamed('sessions', { metric: 'sessions', filters: [] });

function eventNamed(value: string): Filter {
  return { attribute: 'event_name', operator: 'equal', value };
}

function statistics(
  events: ReplayEvent[],
  { rules = [purchases], labels }: { rules?: Rule[]; labels: Label[] },
) {
  const ledger = new Ledger(rules);
  for (const event of events) ledger.add(event);
  const span = { startAt: MONDAY, endAt: MONDAY + 30 * DAY_MS };
  return statisticsOf(ledger, { ruleSet: ruleSetOf(...rules), span, labels });
}

describe('labelled incidents', () => {
  const label = (from: number, to: number, about: Label['about'] = { rules: ['purchases'] }): Label => ({
    ...{ startAt: dayAt(from).startAt, endAt: dayAt(to).startAt },
    ...{ title: 'Payments refused', about },
  });
  const events = evaluatedDays(purchases, '...!..!..', 'nnnfnnfnn');

  test('make an alert inside right and an alert outside wrong', () => {
    const { labelled } = statistics(events, { labels: [label(3, 4)] });
    expect(labelled?.hits).toEqual({
      ...{ right: 1, elsewhere: 0, wrong: 1, incidents: 1, found: 1 },
      ...{ precision: 0.5, recall: 1, medianDelayMs: DAY_MS + HOUR_MS },
    });
    expect(labelled?.outcomes[0]?.hits).toEqual([{ ruleId: 'purchases', delayMs: DAY_MS + HOUR_MS }]);
  });

  test('are missed by the rules that they name if no alert fires', () => {
    const { labelled } = statistics(events, { labels: [label(10, 11)] });
    expect(labelled?.hits).toMatchObject({ found: 0, recall: 0, medianDelayMs: null });
    expect(labelled?.outcomes[0]?.missed).toEqual(['purchases']);
  });

  test('of an app make matching alerts right and require no rule to fire', () => {
    const rules = [purchases, searches, sessions];
    const both = [...events, ...evaluatedDays(sessions, '...!...', 'nnnfnnn')];
    const about = { app: 'demo', metrics: ['event_count'] } satisfies Label['about'];
    const { labelled, rules: each } = statistics(both, { rules, labels: [label(3, 4, about)] });
    expect(labelled?.outcomes[0]).toMatchObject({ hits: [{ ruleId: 'purchases' }], missed: [] });
    const hitsOf = (id: string) => each.find(({ rule }) => rule.id === id)?.hits;
    expect(hitsOf('purchases')).toMatchObject({ right: 1, elsewhere: 0, wrong: 1, incidents: 0 });
    expect(hitsOf('sessions')).toMatchObject({ right: 0, elsewhere: 1, wrong: 0, precision: 0 });
    expect(hitsOf('searches')).toMatchObject({ precision: null, recall: null });
  });

  test.each<[string, Label['about']]>([
    ['another event', { app: 'demo', metrics: ['event_count'], filters: [eventNamed('search')] }],
    ['a rise', { app: 'demo', metrics: ['event_count'], direction: 'rise' }],
    ['another segment', { rules: ['purchases'], segment: 'Germany' }],
  ])('of %s count an alert at that time as elsewhere and are not found', (_, about) => {
    const rule = ruleNamed('purchases', { group_by: 'device_country' });
    const fired = evaluatedDays(rule, '...!...', 'nnnfnnn', 'Malta');
    const { labelled } = statistics(fired, { rules: [rule], labels: [label(3, 4, about)] });
    expect(labelled?.hits).toMatchObject({ right: 0, elsewhere: 1, wrong: 0, incidents: 1, found: 0 });
  });

  test('that name a rule count alerts of other rules as elsewhere', () => {
    const about = { rules: ['searches'] };
    const { labelled } = statistics(events, {
      ...{ rules: [purchases, searches], labels: [label(3, 4, about)] },
    });
    expect(labelled?.hits).toMatchObject({ right: 0, elsewhere: 1, wrong: 1, found: 0 });
  });

  test('with only a time and an app match no alert, and a note explains it', () => {
    const found = statistics(events, { labels: [label(3, 4, { app: 'demo' })] });
    expect(found.labelled?.hits).toMatchObject({ right: 0, elsewhere: 1, wrong: 1, incidents: 0 });
    expect(notesOn(found).join('\n')).toMatch(/no metric matches no alert: "Payments refused"/);
  });

  test('that no rule watches are missed and reported as unwatched', () => {
    const about = { app: 'demo', metrics: ['sessions'] } satisfies Label['about'];
    const { labelled } = statistics(events, { labels: [label(3, 4, about)] });
    expect(labelled?.hits).toMatchObject({ incidents: 1, found: 0 });
    expect(labelled?.outcomes.map(foundText)).toEqual(['no rule: no rule watches its data']);
  });

  test('are found once, even by several alerts', () => {
    const { labelled } = statistics(evaluatedDays(purchases, '.!..!..', 'nfnnfnn'), {
      labels: [label(1, 6)],
    });
    expect(labelled?.hits).toMatchObject({ right: 2, incidents: 1, found: 1 });
  });

  test('make a composite alert right if one of its firing members is right', () => {
    const either = buildRule(
      ruleSetEntrySchema.parse({
        ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 01:00' },
        any_of: ['purchases', 'searches'],
      }),
    );
    const rules = [purchases, searches, either];
    const fired = [
      ...evaluatedDays(purchases, '.!..', 'nfnn'),
      ...evaluatedDays(searches, '.....!.', 'nnnnnfn'),
      ...evaluatedDays(either, '.!...!.', 'nfnnnfn'),
    ];
    const about = {
      ...{ app: 'demo', metrics: ['event_count'], direction: 'fall' },
      filters: [eventNamed('purchase')],
    } satisfies Label['about'];
    const { rules: each } = statistics(fired, { rules, labels: [label(1, 6, about)] });
    expect(each.find(({ rule }) => rule.id === 'either')?.hits).toMatchObject({ right: 1, elsewhere: 1 });
  });

  test.each<[string, Label['about']]>([
    ['another app', { app: 'other', metrics: 'any' }],
    ['rules that are not replayed', { rules: ['searches'] }],
  ])('of %s match no alert and require none', (_, about) => {
    const { labelled } = statistics(events, { labels: [label(3, 4, about)] });
    expect(labelled?.hits).toMatchObject({ right: 0, elsewhere: 0, incidents: 0, recall: null });
  });

  test('that begin before the replay require no alert, but make one right', () => {
    const { labelled } = statistics(events, { labels: [label(-1, 4)] });
    expect(labelled?.hits).toMatchObject({ right: 1, incidents: 0, recall: null });
  });

  test('are half-open: an alert on the day after is wrong', () => {
    const { labelled } = statistics(events, { labels: [label(2, 3)] });
    expect(labelled?.hits).toMatchObject({ right: 0, found: 0 });
  });

  test.each<[string, Label['about']]>([
    ['a rule', { rules: ['purchases'] }],
    ['an app', { app: 'demo', metrics: 'any' }],
  ])('of %s are not found by an alert that was already open', (_, about) => {
    const { labelled } = statistics(evaluatedDays(purchases, '.!!!!', 'nffff'), {
      labels: [label(3, 4, about)],
    });
    expect(labelled?.hits).toMatchObject({ incidents: 1, found: 0, wrong: 1 });
  });

  test('are not found by an alert that ends in their window', () => {
    const { labelled } = statistics(evaluatedDays(purchases, '.!!.', 'nffn'), { labels: [label(3, 4)] });
    expect(labelled?.outcomes[0]).toMatchObject({ hits: [], missed: ['purchases'] });
  });
});
