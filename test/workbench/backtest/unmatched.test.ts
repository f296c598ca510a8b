import { expect, test } from 'vitest';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { Matches, unmatchedNotes } from '../../../workbench/backtest/unmatched.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const byCountry = ruleNamed('sales', { group_by: 'device_country' });
const span = { startAt: dayAt(0).startAt, endAt: dayAt(39).endAt };
const silent = (): MetricSource => ({
  read: async () => ({ kind: 'read', value: [] }),
  readRange: async () => ({ kind: 'read', value: [] }),
  readNewestEventAt: async () => ({ kind: 'read', value: null }),
});

test.each([
  ['matches nothing if its app has data', true, ['sales']],
  ['is not reported if its app has no data', false, []],
])('a rule without evaluated segments %s', async (_name, hasData, ids) => {
  const reach = { newestDataAt: () => (hasData ? span.endAt : null), beginsAt: () => undefined };
  const unmatched = await new Matches([byCountry], span, reach).unmatched(silent);
  expect(unmatched.map(({ rule }) => rule.id)).toEqual(ids);
  expect(unmatchedNotes(unmatched).join()).toMatch(
    hasData ? /^sales has matched nothing since 2026-03-02/ : /^$/,
  );
});

test('rules that match nothing for the same reason share a note', () => {
  const named = (...ids: string[]) =>
    ids.map((id) => ({ rule: ruleNamed(id), sinceAt: span.startAt, why: 'no event is called "Buy"' }));
  const other = { rule: ruleNamed('clicks'), sinceAt: span.startAt, why: 'no country is called "XX"' };
  expect(unmatchedNotes([...named('sales', 'refunds'), other])).toEqual([
    'sales and refunds have matched nothing since 2026-03-02: no event is called "Buy".',
    'clicks has matched nothing since 2026-03-02: no country is called "XX".',
  ]);
});
