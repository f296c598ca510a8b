import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alertPath, rulePath } from '../../../shared/alerting/page-paths.ts';

test('an alert of a rule as a whole has the path of its rule, one of a segment names it', () => {
  expect(alertPath({ ruleId: 'purchases', segment: null })).toBe('/alerts/purchases');
  expect(alertPath({ ruleId: 'purchases', segment: '' })).toBe('/alerts/purchases?segment=');
  expect(alertPath({ ruleId: 'app:shop/eu', segment: null })).toBe('/alerts/app%3Ashop%2Feu');
  expect(rulePath('purchases')).toBe('/rules/purchases');
});

test('any segment comes back from its path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (segment) => {
      const url = new URL(alertPath({ ruleId: 'purchases', segment }), 'https://deltawatch.example');
      expect(url.searchParams.get('segment')).toBe(segment);
      expect(url.pathname).toBe('/alerts/purchases');
    }),
  );
});
