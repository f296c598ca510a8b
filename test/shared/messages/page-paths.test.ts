import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appAlertKey } from '../../../shared/alerts/app-alert.ts';
import { alertKeyAt, alertPath, rulePath } from '../../../shared/messages/page-paths.ts';

test('the path of an alert names its rule and its segment', () => {
  expect(alertPath({ ruleId: 'purchases', segment: null })).toBe('/alerts/purchases');
  expect(alertPath({ ruleId: 'purchases', segment: '' })).toBe('/alerts/purchases?segment=');
  expect(alertPath({ ruleId: 'app:shop/eu', segment: null })).toBe('/alerts/app:?app=shop%2Feu');
  expect(rulePath('purchases')).toBe('/rules/purchases');
});

test('any alert is found by its path, decoded or not', () => {
  const anyText = fc.string({ unit: 'grapheme' });
  const ofApp = anyText.map(appAlertKey);
  const ofRule = fc.record({ ruleId: fc.constant('sign-ups'), segment: fc.option(anyText) });
  fc.assert(
    fc.property(fc.oneof(ofApp, ofRule), (key) => {
      const { pathname, searchParams } = new URL(alertPath(key), 'https://deltawatch.example');
      const rule = pathname.slice('/alerts/'.length);
      expect(decodeURIComponent(rule)).toBe(rule);
      expect(alertKeyAt(rule, Object.fromEntries(searchParams))).toEqual(key);
    }),
  );
});

test('any segment survives its path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (segment) => {
      const url = new URL(alertPath({ ruleId: 'purchases', segment }), 'https://deltawatch.example');
      expect(url.searchParams.get('segment')).toBe(segment);
      expect(url.pathname).toBe('/alerts/purchases');
    }),
  );
});
