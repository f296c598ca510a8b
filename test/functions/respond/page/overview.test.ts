import { beforeEach, expect, test } from 'vitest';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import type { Progress } from '../../../../shared/pages/progress.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, breached, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, NOW, type Scene, silenceOf } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell' });
const signUps = ruleNamed('sign-ups', { title: 'Sign-ups moved', group_by: 'device_country' });

let scene: Scene;
let progress: Progress;

beforeEach(() => {
  progress = { phase: 'live' };
  scene = createScene({ progress: () => progress });
});

async function deploy(): Promise<void> {
  await scene.rules.save(ruleSetOf(purchases, signUps));
  await scene.runs.saveTick({ id: `daily@${new Date(NOW).toISOString()}`, scheduledAt: NOW, batches: [] });
}

test('explains itself before the first deployment', async () => {
  const { text } = await scene.get('/');
  expect(text).toContain('Waiting for the first run');
  expect(text).toContain('No rules are deployed');
});

test('says that there are no open alerts', async () => {
  await deploy();
  await scene.alerts.save(alertOf(purchases));
  expect((await scene.get('/')).text).toContain('No open alerts');
});

test.each([
  ['some', [purchases], '1 rule cannot be read'],
  ['all', [], '1 rule cannot be read'],
])('does not say that there are no open alerts while %s rules cannot be read', async (_, rules, says) => {
  await deploy();
  const ruleSet = { ...ruleSetOf(purchases), version: 'newer', rules, unreadable: ['sign-ups'] };
  scene.rules.loadCurrent = async () => ruleSet;
  for (const path of ['/', '/health']) {
    const { text } = await scene.get(path);
    expect(text).toContain('not evaluated and not shown: sign-ups.');
    expect(text).not.toContain('No open alerts');
    if (path === '/') expect(text).not.toContain('No rules are deployed');
  }
  expect((await scene.get('/')).text).toContain(says);
});

test('shows an open alert with its figures, segment, start and missing acknowledgement', async () => {
  await deploy();
  await scene.alerts.save(alertOf(signUps));
  await scene.alerts.save(firing(signUps, { segment: 'DE' }));
  const { text, html } = await scene.get('/');
  expect(text).toContain('1 alert open');
  expect(text).toMatch(/Sign-ups moved device_country DE firing warning 100 → 40 events -60%/);
  expect(text).toContain('Wed 4 Mar 2026, 00:00 (UTC), 1 day ago');
  expect(text).toContain('Not acknowledged.');
  expect(html).toContain('href="/alerts/sign-ups?segment=DE"');
});

test('shows who acknowledged an alert, and the end of its snooze or silence', async () => {
  await deploy();
  const author = { by: 'Anna', at: NOW - HOUR_MS, reason: 'a release' };
  await scene.alerts.save(
    firing(purchases, { acknowledged: author, snoozed: { ...author, by: 'Ben', untilAt: NOW + HOUR_MS } }),
  );
  const { text } = await scene.get('/');
  expect(text).toContain('Acknowledged by Anna on Thu 5 Mar 2026, 02:00 (UTC): a release.');
  expect(text).toContain('Snoozed by Ben until Thu 5 Mar 2026, 04:00 (UTC)');
  await scene.silences.save(silenceOf({ match: { rule: 'purch*' } }));
  expect((await scene.get('/')).text).toContain('Silenced by Anna until Thu 5 Mar 2026, 04:00 (UTC)');
  await scene.silences.save(silenceOf({ match: { rule: 'sign*' } }));
  expect((await scene.get('/')).text).not.toContain('Silenced by');
});

test('shows the main figures of each app: few groups and filters first, then severe ones', async () => {
  const of = (app: string, id: string, more = {}) => ruleNamed(id, { title: `Title ${id}`, app, ...more });
  const filters = ['FR', 'DE'].map((value) => ({
    attribute: 'device_country',
    operator: 'not_equal',
    value,
  }));
  const rules = [
    of('shop', 'grouped', { group_by: 'device_country', severity: 'critical' }),
    of('shop', 'filtered', { filters, severity: 'critical' }),
    of('shop', 'simple', { severity: 'info' }),
    of('shop', 'severe', { severity: 'critical' }),
    of('shop', 'new'),
    of('blog', 'posts'),
  ];
  await scene.rules.save(ruleSetOf(...rules));
  const lastWindows = [100, 40].map((value, i) => ({ endAt: MONDAY + i, value, verdict: 'clear' as const }));
  for (const rule of rules)
    if (rule.id !== 'new') await scene.alerts.save(alertOf(rule, { lastWindows, last: breached(1) }));
  const { html, text } = await scene.get('/');
  const shown = html.slice(html.indexOf('id="figures"'), html.indexOf('id="moves"'));
  expect([...shown.matchAll(/Title (\w+)/g)].map(([, id]) => id)).toEqual([
    ...['severe', 'simple', 'filtered'],
    'posts',
  ]);
  expect(text).toContain('shop Title severe 40 events -60%');
  expect(shown).toContain('aria-label="last 2 days: 40 to 100, last 40 events"');
});

test('does not show an expired snooze', async () => {
  await deploy();
  await scene.alerts.save(
    firing(purchases, { snoozed: { by: 'Ben', at: MONDAY, reason: '', untilAt: NOW } }),
  );
  expect((await scene.get('/')).text).not.toContain('Snoozed');
});

test('sorts by severity, then by size of change', async () => {
  const critical = ruleNamed('critical', { title: 'Critical one', severity: 'critical' });
  await scene.rules.save(ruleSetOf(purchases, signUps, critical));
  await scene.alerts.save(firing(purchases));
  await scene.alerts.save(firing(critical, { last: { ...breached(2), change: -0.3 } }));
  await scene.alerts.save(firing(signUps, { segment: 'DE', last: { ...breached(2), change: -0.4 } }));
  await scene.alerts.save(firing(signUps, { segment: 'FR', last: { ...breached(2), change: null } }));
  const { text } = await scene.get('/');
  const places = ['-30%', 'new, from 0', '-60%', '-40%'].map((change) => text.indexOf(change));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('shows an app without data, and does not count it as an open alert', async () => {
  await deploy();
  await scene.alerts.save({ ...newAppAlert('demo'), state: 'firing', stateSinceAt: NOW - HOUR_MS });
  const { text, html } = await scene.get('/');
  expect(text).toContain('No data from demo');
  expect(text).not.toContain('alert open');
  expect(html).toContain('href="/alerts/app:?app=demo"');
});

test('shows a flapping alert as flapping in every state', async () => {
  await deploy();
  await scene.alerts.save({ ...firing(purchases), state: 'normal', fired: null, flappingSinceAt: MONDAY });
  for (const path of ['/', '/alerts', '/rules', '/rules/purchases', '/alerts/purchases'])
    expect((await scene.get(path)).text).toMatch(/\bflapping\b/);
});

test('omits alerts of removed rules, and alerts on the total of a rule with segments', async () => {
  await deploy();
  await scene.alerts.save(firing(ruleNamed('gone')));
  await scene.alerts.save(firing(signUps));
  expect((await scene.get('/')).text).toContain('No open alerts');
});

test.each([
  [{ code: 'read-failed', error: 'the service was silent' }, 'failing', 'the service was silent'],
  [
    { code: 'data-late', neededAt: MONDAY, newestDataAt: MONDAY - HOUR_MS },
    'inconclusive',
    'no data past Mon 2 Mar 2026, 00:00 (UTC)',
  ],
] as const)(
  'never says that there are no open alerts while a rule cannot be evaluated: %j',
  async (reason, kind, shown) => {
    await deploy();
    const streak = { since: MONDAY, through: NOW, reason, notified: false };
    const health =
      kind === 'failing' ? { kind, ...streak, streak: 3 } : { kind, ...streak, wants: 'calls' as const };
    await scene.alerts.save(alertOf(purchases, { health }));
    const { text } = await scene.get('/');
    expect(text).toContain('1 rule cannot be evaluated');
    expect(text).not.toContain('No open alerts');
    expect((await scene.get('/health')).text).toContain(shown);
  },
);

test('a rule without data counts as one that cannot be evaluated', async () => {
  await deploy();
  await scene.alerts.save(alertOf(purchases, { noData: { sinceAt: MONDAY, windows: 3, notified: true } }));
  const { text } = await scene.get('/');
  expect(text).toContain('1 rule cannot be evaluated');
  const { text: health } = await scene.get('/health');
  expect(health).toContain('no data for 3 days in a row, since Mon 2 Mar 2026, 00:00 (UTC)');
});

test('reloads automatically only while catching up', async () => {
  expect((await scene.get('/')).html).not.toContain('http-equiv="refresh"');
  progress = { phase: 'catching-up', step: 'Checking the last 14 days', done: 7, total: 14 };
  const { html, text } = await scene.get('/');
  expect(html).toContain('http-equiv="refresh"');
  expect(text).toContain('Checking the last 14 days 50%');
  expect((await scene.get('/rules')).html).not.toContain('http-equiv="refresh"');
});
