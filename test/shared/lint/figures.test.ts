import { expect, test } from 'vitest';
import { figureRemarks } from '../../../shared/lint/figures.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

test.each([
  ['app_version', '[1, 2]'],
  ['device_platform', '[android, ios]'],
])('the finding for two filters on %s suggests the list %s', (attribute, list) => {
  const filters = ['1', '2'].map((value) => ({ attribute, operator: 'equal', value }));
  const rule = ruleNamed('a', { filters, minimum: { baseline: 50 } });
  const remarks = rule.members ? [] : figureRemarks(rule);
  expect(remarks).toMatchObject([{ code: 'filters-exclude-all', message: expect.stringContaining(list) }]);
});
