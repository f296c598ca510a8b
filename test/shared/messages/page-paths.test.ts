import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appAlertKey } from '../../../shared/alerts/app-alert.ts';
import { alertKeyAt, alertPath } from '../../../shared/messages/page-paths.ts';

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
