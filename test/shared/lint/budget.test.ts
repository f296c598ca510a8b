import { expect, test } from 'vitest';
import { budgetFindings, findingsIn } from '../../../shared/lint/lint.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

/** `count` rules that share no call, because each has its own filter. */
const rules = (count: number, every: (i: number) => string) =>
  Array.from({ length: count }, (_, i) =>
    ruleNamed(`r${i}`, {
      every: every(i),
      filters: [{ attribute: 'app_version', operator: 'equal', value: `5.${i}` }],
    }),
  );
const found = (given: ReturnType<typeof rules>, perHour: number) =>
  budgetFindings(given, NOW, perHour).map(({ code, message }) => `${code}: ${message}`);

test('too many calls in one hour are a finding, unless rules run at different times', () => {
  expect(
    found(
      rules(20, () => 'day at 07:00'),
      30,
    ),
  ).toEqual([
    expect.stringMatching(
      /^calls-at-once: the rules of demo need about 40 calls within one hour, and 30 are allowed, .* Most calls: r0 every day at 07:00 \(2\), r1 every day/,
    ),
  ]);
  const apart = rules(20, (i) => `day at ${String(i % 2 === 0 ? 7 : 9).padStart(2, '0')}:00`);
  expect(found(apart, 30)).toEqual([]);
});

test('each app has its own budget', () => {
  const half = rules(20, () => 'day at 07:00').map((rule, i) => ({
    ...rule,
    app: i % 2 === 0 ? 'demo' : 'web',
  }));
  expect(found(half, 30)).toEqual([]);
});

test('a daily window that is evaluated each hour is queried once', () => {
  const hourly = rules(20, () => 'hour at :20').map((rule) => ({ ...rule, window: 'day' as const }));
  expect(found(hourly, 30)).toEqual([]);
});

test.each<[string[], Record<string, unknown>]>([
  [['minimum-missing'], { fire: { change: { below: '-50%' } } }],
  [[], { fire: { change: { below: '-50%' } }, minimum: { baseline: 30 } }],
  [[], { fire: { change: { below: '-50%' }, current: { below: 10 } } }],
  [[], { fire: { change: { below: '-50%' }, difference: { below: -10 } } }],
  [[], { fire: { current: { below: 10 } } }],
])('the findings %j for a count with %j', (codes, overrides) => {
  const rule = ruleNamed('a', { compare: { to: 'same_weekday' }, ...overrides });
  const found = findingsIn({ rules: [rule], routes: ROUTES, now: NOW, perHour: 30 });
  expect(found.map(({ code }) => code)).toEqual(codes);
});
