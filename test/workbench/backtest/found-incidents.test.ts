import { expect, test } from 'vitest';
import { buildRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import type { KnownIncident } from '../../../workbench/backtest/known-incidents.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { evaluatedDays, reportOn } from './events.ts';

const purchases = ruleNamed('purchases');
const searches = ruleNamed('searches');
const EVENTS = evaluatedDays(purchases, '...!..!..', 'nnnfnnfnn');

type About = Pick<KnownIncident, 'rules' | 'app' | 'segment'>;

function incident(from: number, to: number, about: About = { rules: ['purchases'] }): KnownIncident {
  return { startAt: dayAt(from).startAt, endAt: dayAt(to).startAt, title: 'Payments refused', ...about };
}

const hitsWith = (...known: KnownIncident[]) => reportOn(EVENTS, [purchases], known);

test('an alert during an incident of its rule is right, any other is wrong', () => {
  const { hits, incidents, rules } = hitsWith(incident(3, 4));
  expect(hits).toEqual({
    ...{ right: 1, wrong: 1, incidents: 1, found: 1 },
    ...{ precision: 0.5, recall: 1, medianDelayMs: DAY_MS + HOUR_MS },
  });
  expect(incidents?.[0]?.foundBy).toEqual([{ rule: 'purchases', delayMs: DAY_MS + HOUR_MS }]);
  expect(rules[0]?.fires.map((fire) => fire.incidents)).toEqual([['Payments refused'], []]);
});

test('an incident without an alert is missed by the rules that it names', () => {
  const { hits, incidents } = hitsWith(incident(10, 11));
  expect(hits).toMatchObject({ right: 0, found: 0, recall: 0, medianDelayMs: null });
  expect(incidents?.[0]).toMatchObject({ foundBy: [], missed: ['purchases'] });
});

test('an incident of an app makes its alerts right, and requires no rule to fire', () => {
  const report = reportOn(EVENTS, [purchases, searches], [incident(3, 4, { app: 'demo' })]);
  expect(report.incidents?.[0]).toMatchObject({ foundBy: [{ rule: 'purchases' }], missed: [] });
  const hitsOf = (id: string) => report.rules.find(({ rule }) => rule === id)?.hits;
  expect(hitsOf('purchases')).toMatchObject({ right: 1, wrong: 1, incidents: 0 });
  expect(hitsOf('searches')).toMatchObject({ precision: null, recall: null });
});

test.each<[string, KnownIncident, object]>([
  ['of other rules', incident(3, 4, { rules: ['searches'] }), { right: 0, incidents: 1, found: 0 }],
  ['of another app', incident(3, 4, { app: 'other' }), { right: 0, incidents: 0, recall: null }],
  ['from before the period', incident(-1, 4), { right: 1, incidents: 0, recall: null }],
  ['until the day before', incident(2, 3), { right: 0, found: 0 }],
  ['with several alerts', incident(1, 8), { right: 2, incidents: 1, found: 1 }],
])('an incident %s', (_, known, hits) => {
  expect(reportOn(EVENTS, [purchases, searches], [known]).hits).toMatchObject(hits);
});

test.each([
  ['its segment', 'Malta', { right: 1, found: 1 }],
  ['another segment', 'Germany', { right: 0, found: 0 }],
])('an incident in %s', (_, segment, hits) => {
  const events = evaluatedDays(purchases, '...!...', 'nnnfnnn', 'Malta');
  const known = incident(3, 4, { rules: ['purchases'], segment });
  expect(reportOn(events, [purchases], [known]).hits).toMatchObject(hits);
});

test('an alert of a rule over rules is right during an incident of a member', () => {
  const either = buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 01:00' },
      any_of: ['purchases', 'searches'],
    }),
  );
  const events = evaluatedDays(either, '.!...!.', 'nfnnnfn');
  expect(reportOn(events, [purchases, searches, either], [incident(1, 2)]).hits).toMatchObject({
    ...{ right: 1, wrong: 1 },
  });
});

test('an alert that was open before, or ends during the incident, does not find it', () => {
  const open = reportOn(evaluatedDays(purchases, '.!!!!', 'nffff'), [purchases], [incident(3, 4)]);
  expect(open.hits).toMatchObject({ incidents: 1, found: 0, wrong: 1 });
  const ended = reportOn(evaluatedDays(purchases, '.!!.', 'nffn'), [purchases], [incident(3, 4)]);
  expect(ended.incidents?.[0]).toMatchObject({ foundBy: [], missed: ['purchases'] });
});
