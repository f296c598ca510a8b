import { beforeEach, describe, expect, test } from 'vitest';
import { sparkText } from '../../../../functions/respond/page/spark.ts';
import type { LastWindow } from '../../../../shared/alerts/alert.ts';
import { sparkline } from '../../../../shared/pages/sparkline.ts';
import { alertOf, dayAt, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, type Scene } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell' });
const signUps = ruleNamed('sign-ups', { app: 'web', group_by: 'device_country' });

const windowsOf = (...values: (number | null)[]): LastWindow[] =>
  values.map((value, i) => ({
    ...{ endAt: dayAt(i - values.length + 3).endAt, value },
    verdict: value === 40 ? ('breached' as const) : ('clear' as const),
  }));
const labels = (html: string) =>
  [...html.matchAll(/class="spark"[^>]*aria-label="([^"]*)"/g)].map(([, text]) => text);

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps));
});

describe('the text of a sparkline', () => {
  test.each([
    ['a count', purchases, windowsOf(1051, 1200, 40), 'last 3 days: 40 to 1,200, last 40 events, 1 breached'],
    ['no last value', purchases, windowsOf(7, 9, null), 'last 3 days: 7 to 9, last no value'],
    [
      'a ratio',
      ruleNamed('share', { filters: [], ratio: { of: 'purchase', to: 'view' } }),
      windowsOf(0.05, 0.031),
      'last 2 days: 3.1% to 5%, last 3.1%',
    ],
  ])('has the range, the last value and the breaches: %s', (_, rule, lastWindows, text) => {
    expect(sparkText(alertOf(rule, { lastWindows }), rule)).toBe(text);
  });
});

describe('the list of rules', () => {
  test('shows the last windows of each rule', async () => {
    await scene.alerts.save(alertOf(purchases, { lastWindows: windowsOf(100, 40, 120) }));
    const { html, text } = await scene.get('/rules');
    expect(labels(html)).toEqual(['last 3 days: 40 to 120, last 120 events, 1 breached']);
    expect(text).toMatch(/Purchases fell normal 120 demo every day/);
    expect(text).toMatch(/The rule sign-ups not evaluated yet – web every day/);
  });

  test('shows the largest segment of a rule, or the most severe one that is open', async () => {
    const whole = alertOf(signUps, { largestSegment: HOSTILE, lastWindows: windowsOf(90, 95) });
    await scene.alerts.save(whole);
    const { html } = await scene.get('/rules');
    expect(labels(html)).toEqual([
      expect.stringMatching(/^&lt;script&gt;.*, last 2 days: 90 to 95, last 95 events$/),
    ]);
    expect(html).not.toContain('<script>');
    await scene.alerts.save(firing(signUps, { segment: 'Malta', lastWindows: windowsOf(100, 40) }));
    expect(labels((await scene.get('/rules')).html)).toEqual([
      'Malta, last 2 days: 40 to 100, last 40 events, 1 breached',
    ]);
  });
});

test('a page of rules and their last windows is below 150 KB', async () => {
  const rules = Array.from({ length: 100 }, (_, i) =>
    ruleNamed(`purchases-of-app-${i}`, { title: `Purchases of the app ${i} fall below the usual level` }),
  );
  await scene.rules.save({ ...ruleSetOf(...rules), version: 'many' });
  const lastWindows = windowsOf(
    ...Array.from({ length: 24 }, (_, i) => (i % 8 === 0 ? 40 : 12_345 + i ** 2)),
  );
  for (const rule of rules) await scene.alerts.save(alertOf(rule, { lastWindows }));
  const { html } = await scene.get('/rules');
  expect(labels(html)).toHaveLength(50);
  expect(Buffer.byteLength(html)).toBeLessThan(150_000);
});

const pointsOf = (values: (number | null)[], marked: number[] = []) =>
  values.map((value, i) => ({
    ...{ endAt: i, value },
    verdict: marked.includes(i) ? ('breached' as const) : ('clear' as const),
  }));
const drawn = (values: (number | null)[], marked: number[] = []) =>
  String(sparkline(pointsOf(values, marked), 'the last windows'));
const lineOf = (values: (number | null)[]) => /d="([^"]*)"/.exec(drawn(values))?.[1];

describe('a sparkline', () => {
  test('goes from the left to the right edge, with the largest value at the top', () => {
    expect(lineOf([0, 50, 100])).toBe('M3 21L48 12L93 3');
  });

  test('has a gap where a value is missing, and shows a value between two gaps', () => {
    expect(lineOf([100, 0, null, 100, null])).toBe('M3 3L26 21M71 3h0');
  });

  test.each([
    ['equal values', [7, 7], 'M3 12L93 12'],
    ['zeros', [0, 0], 'M3 12L93 12'],
    ['a change of 2% is small', [1000, 1020], 'M3 12.9L93 11.1'],
    ['negative values', [-100, 0], 'M3 21L93 3'],
  ])('is drawn to scale: %s', (_, values, line) => expect(lineOf(values)).toBe(line));

  test('marks windows with a dot, except those without a value', () => {
    expect(drawn([0, 100, null], [1, 2]).match(/<circle[^>]*>/g)).toEqual([
      '<circle cx="48" cy="3" r="2.5"/>',
    ]);
  });

  test('has an escaped text alternative', () => {
    const label = '"><script>alert(1)</script>';
    expect(String(sparkline(pointsOf([1, 2]), label))).toMatch(
      /^<svg [^>]*role="img" aria-label="&quot;&gt;&lt;script/,
    );
  });

  test.each([[[]], [[5]], [[5, null]]])('is empty for fewer than two values: %j', (values) => {
    expect(drawn(values)).toBe('');
  });
});
