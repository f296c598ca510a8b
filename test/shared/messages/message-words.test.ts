import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import type { Gate, TestHistory } from '../../../shared/evaluation/gate.ts';
import {
  amountText,
  baselineText,
  boundsText,
  limitText,
  percentText,
} from '../../../shared/messages/figure-text.ts';
import { messageFor } from '../../../shared/messages/message.ts';
import { differenceText, movedText, surenessText } from '../../../shared/messages/movement-text.ts';
import { subjectOf } from '../../../shared/messages/subjects.ts';
import { windowText } from '../../../shared/messages/time-text.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { breached, evaluationOf, ruleNamed, value } from '../../fixtures/builders.ts';
import { found, pendingFor, shopRule } from '../../golden/situations.ts';

const iosOnly = {
  metric: 'event_count',
  filters: [
    { attribute: 'device_platform', operator: 'equal', value: 'ios' },
    { attribute: 'event_name', operator: 'equal', value: 'a' },
  ],
};

describe('the subject of a message', () => {
  const inCountries = { group_by: 'device_country' };
  test.each<[title: string, rule: Record<string, unknown>, segment: string | null, subject: string]>([
    ['Purchases by country', inCountries, null, 'Purchases by country'],
    ['Rage gestures per user', inCountries, 'Malta', 'Rage gestures per user in Malta'],
    ['Sessions', { group_by: 'app_version' }, '5.2.0', 'Sessions in version 5.2.0'],
    ['Taps', { group_by: 'event_screen_name' }, 'Checkout', 'Taps on Checkout'],
    ['Taps', { group_by: 'device_manufacturer' }, 'Samsung', 'Taps (manufacturer Samsung)'],
    ['Taps', inCountries, '', 'Taps without country'],
    ['Taps', inCountries, 'others', 'Taps (all other values of country)'],
    ['Checkout broke.', {}, null, 'Checkout broke: purchase'],
    ['Drop in purchases', {}, null, 'Drop in purchases: purchase'],
    ['Too few orders?', inCountries, 'Malta', 'Too few orders: purchase in Malta'],
    ['?!', {}, null, 'purchase'],
    ['x', { metric: 'event_users' }, null, 'users of purchase'],
    ['x', { metric: 'sessions', filters: [] }, null, 'sessions'],
    ['x', { filters: [], ratio: { of: 'a', to: 'b' } }, null, 'a per b'],
    ['x', { filters: [], ratio: { of: iosOnly, to: 'b' } }, null, 'a per b'],
    ['Isolated dropdowns', {}, null, 'Isolated dropdowns'],
  ])('%s, %j, %j', (title, overrides, segment, subject) => {
    expect(subjectOf({ ruleId: 'sales', segment }, ruleNamed('sales', { title, ...overrides }))).toBe(
      subject,
    );
  });
});

test('baselineText names a single week by its window', () => {
  const { window } = evaluationOf(1).baseline;
  const origin = { of: 'median', windows: 1 } as const;
  expect(baselineText({ origin, window }, { grain: 'day', zone: 'UTC' })).toBe('on Mon 2 Mar 2026 (UTC)');
});

const count = ruleNamed('sales');
const seconds = ruleNamed('length', { metric: 'session_seconds', filters: [] });
const ratio = ruleNamed('rate', { filters: [], ratio: { of: 'purchase', to: 'view_item' } });

/** The evaluation of `current` against `baseline`. */
function moved(baseline: number, current: number): Evaluation {
  const difference = current - baseline;
  const change = difference === 0 ? 0 : baseline === 0 ? null : difference / baseline;
  return evaluationOf(1, { current: value(current), baseline: value(baseline), difference, change });
}

const price = ruleNamed('basket', { metric: { average: 'price' }, unit: 'EUR' });

test('amounts of a currency have its decimals, and bounds of a ratio are percentages', () => {
  expect([31.4, 5, 1234.5].map((value) => amountText(value, price))).toEqual([
    '31.40 EUR',
    '5.00 EUR',
    '1,235 EUR',
  ]);
  const yen = ruleNamed('basket', { metric: { average: 'price' }, unit: 'JPY' });
  expect(amountText(31.4, yen)).toBe('31 JPY');
  const bounds = { current: { below: 0.15 }, difference: { below: -0.02 } };
  expect(boundsText(bounds, ratio)).toBe('difference below -2 percentage points and current below 15%');
});

describe('movedText and differenceText', () => {
  test.each([
    [100_000, 100, 'down more than 99%', '99,900 fewer (-99.9%)', count],
    [0, 120, 'new, 120 events', '120 more (there were none before)', count],
    [0, 1, 'new, 1 event', '1 more (there were none before)', count],
    [20, 100, 'up 400%', '80 more (+400%)', count],
    [1, 12_345, 'at 12,345 times the level before', '12,344 more (12,345 times as many)', count],
    [7, 7, 'at 7 events', 'none', count],
    [10_000, 10_005, 'up 0.1%', '5 more (+0.1%)', count],
    [10, 90, 'at 9 times the level before', '80 seconds per session higher (9 times as high)', seconds],
    [90.4, 45.24, 'down 50%', '45.16 seconds per session lower (-50%)', seconds],
    [34.904, 31.4, 'down 10%', '3.50 EUR lower (-10%)', price],
    [1.004, 1.0041, 'at 1.00 EUR', '0.0001 EUR higher (+0%)', price],
    [0.1549, 0.1451, 'down from 15.49% to 14.51%', '0.98 percentage points lower (-6.3%)', ratio],
    [100000, 1, 'down more than 99%', '99,999 fewer (-99.9%)', count],
    [0.524, 0.312, 'down from 52.4% to 31.2%', '21.2 percentage points lower (-40.5%)', ratio],
    [0.2, 1.4, 'up from 20% to 140%', '120 percentage points higher (7 times as high)', ratio],
    [0, 0.02, 'new, 2%', '2 percentage points higher (there were none before)', ratio],
  ])('describe %d to %d: %s', (baseline, current, headline, difference, rule) => {
    expect(movedText(moved(baseline, current), rule)).toBe(headline);
    expect(differenceText(moved(baseline, current), rule)).toBe(difference);
  });
});

describe('the text of a value', () => {
  const level = (fire: Record<string, unknown>, more = {}) => ruleNamed('level', { fire, ...more });
  const above = level({ current: { above: 1 } });
  const errorRate = level(
    { current: { above: 0.25 } },
    { filters: [], ratio: { of: 'failed', to: 'search' } },
  );
  test.each([
    ['above its bound, although it fell', above, 29, 4, 'at 4 events, above the bound of 1'],
    ['that rose from 0 above its bound', above, 0, 4, 'at 4 events, above the bound of 1'],
    [
      'below its bound, although it rose',
      level({ current: { below: 1000 } }),
      12,
      40,
      'at 40 events, below the bound of 1,000',
    ],
    [
      'beyond one of two bounds',
      level({ current: { above: 600, below: 20 } }),
      50,
      3,
      'at 3 events, below the bound of 20',
    ],
    ['of a ratio above its bound', errorRate, 0.4, 0.3, 'at 30%, above the bound of 25%'],
    ['back within its bound', above, 29, 1, 'at 1 event'],
    [
      'with a bound of change too',
      level({ current: { above: 1 }, change: { below: '-50%' } }),
      29,
      4,
      'down 86%',
    ],
    ['with a bound of difference', level({ difference: { above: 100 } }), 200, 350, 'up 75%'],
  ])('%s', (_name, rule, baseline, current, headline) => {
    expect(movedText(moved(baseline, current), rule)).toBe(headline);
  });
});

describe('surenessText', () => {
  const tested = (p: number, rule = count, rest: { history?: TestHistory } = {}) => {
    const gate: Gate = {
      ...{ gate: 'significance', passed: true, code: 'significant' },
      figures: { z: 3, p, tau: 0.1, clustering: 1, pairs: 30 },
      history: 'enough',
      ...rest,
    };
    return surenessText({ ...breached(1), gates: [gate] }, rule);
  };
  test.each([
    [0.042, { confidence: 0.95 }, 'the rule allows once in 20 days (confidence 95%)'],
    [0.08, { confidence: 0.9, every: 'hour at :10' }, 'the rule allows once in 10 hours (confidence 90%)'],
    [0.5, { confidence: 0.5 }, 'the rule allows once in 2 days (confidence 50%)'],
  ])('p = %d: names the confidence of the rule', (p, rule, words) => {
    expect(tested(p, ruleNamed('sales', rule)).split('; ').at(-1)).toBe(words);
  });
});

describe('figures', () => {
  test.each([
    [-1, '-100%'],
    [-0.99999, '-99.9%'],
    [-0.4123, '-41.2%'],
  ])('only a total fall is shown as total (%d)', (ratio, text) => {
    expect(percentText(ratio)).toBe(text);
  });

  test.each([
    [125.4, 125, false, '125.4'],
    [125.04, 125, false, '125.04'],
    [125, 125, false, '125'],
    [130, 125, false, '130'],
    [0.12884, 0.12881, true, '12.884%'],
    [70, null, false, '70'],
  ])('a limit of %d beside %d has enough digits', (limit, beside, isShare, text) => {
    expect(limitText(limit, beside, isShare)).toBe(text);
  });
});

describe('times', () => {
  test.each([
    [0, '02:00 GMT+2 to 02:00 GMT+1'],
    [1, '02:00 GMT+1 to 03:00'],
    [2, '03:00 to 04:00'],
  ])('hours around a clock change are unambiguous (%i)', (hour, text) => {
    const startAt = Date.UTC(2026, 9, 25, hour);
    const words = windowText({ startAt, endAt: startAt + HOUR_MS }, { grain: 'hour', zone: 'Europe/Berlin' });
    expect(words).toBe(`Sun 25 Oct 2026, ${text} (Europe/Berlin)`);
  });
});

test('a message shows no raw or unsafe text for any values and names', () => {
  const amount = fc.oneof(fc.nat(5), fc.nat(10_000_000));
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 150 })
    .filter((title) => title.trim() !== '');
  fc.assert(
    fc.property(amount, amount, name, fc.option(name), (baseline, current, title, segment) => {
      const rule = shopRule({ title, ...(segment !== null && { group_by: 'app_version' }) });
      const { text, items } = messageFor([
        pendingFor(rule, 'fired', found(rule, { current, baseline }), { segment }),
      ]);
      const [item] = items;
      const shown = [item?.headline, item?.summary, ...(item?.facts ?? []).map((fact) => fact.text)].join(
        '\n',
      );
      const ours = [title, segment ?? ''].reduce((all, each) => all.replaceAll(each, ''), shown);
      expect(ours).not.toMatch(/\b(?:undefined|null|NaN|Infinity)\b|∞|\d{4}-\d\d-\d\dT/);
      expect(text).not.toMatch(/[\n\r\u2028\u202e]/);
      expect(item?.facts.some((fact) => fact.text.includes('(Europe/Berlin)'))).toBe(true);
    }),
    { numRuns: 100 },
  );
});
