import { expect, test } from 'vitest';
import { ruleChanges } from '../../../shared/deployments/rule-changes.ts';
import { buildRule, entryOf, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const sales = ruleNamed('sales');

test.each([
  ['a bound', { fire: { change: { below: '-40%' } } }, true, 'fire.change.below', '-30%', '-40%'],
  ['a filter', { filters: [] }, true, 'filters', expect.stringContaining('purchase'), '[]'],
  ['a metric', { metric: 'event_users' }, true, 'metric', 'event_count', 'event_users'],
  ['a runbook', { runbook: 'Ask.' }, false, 'runbook', undefined, 'Ask.'],
  ['a severity', { severity: 'critical' }, false, 'severity', 'warning', 'critical'],
  ['a cadence', { every: 'day at 02:00' }, false, 'every', 'day at 01:00', 'day at 02:00'],
])('%s changes by its path, and alerts may start over', (_, overrides, startsOver, field, before, after) => {
  const fields = [{ field, ...(before && { before }), after }];
  expect(ruleChanges([sales], [ruleNamed('sales', overrides)])).toEqual([
    { name: 'sales', change: 'changed', startsOver, fields },
  ]);
});

test('a rule equals its stored form', () => {
  expect(ruleChanges([buildRule(ruleSetEntrySchema.parse(entryOf(sales)))], [sales])).toEqual([]);
});
