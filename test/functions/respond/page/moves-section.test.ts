import { beforeEach, expect, test } from 'vitest';
import type { Move } from '../../../../shared/alerts/moves.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { dayAt, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, HOSTILE, NOW, type Scene } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell' });
const signUps = ruleNamed('sign-ups', {
  title: 'Sign-ups moved',
  group_by: 'device_country',
  every: 'day at 02:00',
});
const daily = `daily@${new Date(NOW).toISOString()}`;
const later = `later@${new Date(NOW).toISOString()}`;

const moveOf = (overrides: Partial<Move>): Move => ({
  ...{ ruleId: 'purchases', segment: null, window: dayAt(2), value: 1051, baseline: 1000, change: 0.051 },
  ...{ band: { expected: 1000, low: 900, high: 1500 }, ...overrides },
});

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps));
  for (const id of [daily, later]) await scene.runs.saveTick({ id, scheduledAt: NOW, batches: [] });
});

const section = async () => {
  const { html, text } = await scene.get('/');
  return {
    html,
    text: /What moved (?:The largest|No changes).*?(?=Deltawatch|$)/.exec(text)?.[0] ?? '',
  };
};

test('the overview lists the largest changes of the last runs, although nothing fired', async () => {
  await scene.runs.saveMoves(daily, 'a', [moveOf({})]);
  const fallen = { ruleId: 'sign-ups', segment: HOSTILE, value: 40, baseline: 100, change: -0.6 };
  await scene.runs.saveMoves(later, 'b', [
    moveOf({ ...fallen, band: { expected: 100, low: 70, high: null } }),
  ]);
  const { html, text } = await section();
  expect(text).toContain(
    `Sign-ups moved device_country ${HOSTILE} -60% 100 → 40 events outside 100 (at least 70) on Wed 4 Mar 2026 (UTC)`,
  );
  expect(text).toContain(
    'Purchases fell +5.1% 1,000 → 1,051 events within 1,000 (900 to 1,500) on Wed 4 Mar 2026',
  );
  expect(text.indexOf('-60%')).toBeLessThan(text.indexOf('+5.1%'));
  expect(html).toContain('<a href="/alerts/purchases">Purchases fell</a>');
  expect(html).toContain(`<a href="/alerts/sign-ups?segment=%3Cscript%3E`);
  expect(html).not.toContain('<script>');
  expect((await scene.get('/')).text).toContain('No open alerts');
});

test.each<[string, Partial<Move>, string]>([
  ['a rise from 0', { change: null, baseline: 0 }, 'new, from 0 0 → 1,051 events'],
  ['an unknown range', { band: null }, 'events unknown on'],
  ['an upper limit', { band: { expected: 1, low: null, high: 1500 } }, 'within 1 (at most 1,500)'],
  ['no limit', { band: { expected: 1, low: null, high: null } }, 'within 1 on'],
])('it shows %s', async (_, overrides, shown) => {
  await scene.runs.saveMoves(daily, 'a', [moveOf(overrides)]);
  expect((await section()).text).toContain(shown);
});

test('it shows the last run of each cadence only', async () => {
  const old = `daily@${new Date(NOW - DAY_MS).toISOString()}`;
  await scene.runs.saveMoves(old, 'a', [moveOf({})]);
  expect((await section()).text).toContain('No changes yet');
});
