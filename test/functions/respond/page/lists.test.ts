import { beforeEach, describe, expect, test } from 'vitest';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import { tickId } from '../../../../shared/planning/plan.ts';
import { cadenceName } from '../../../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import {
  createScene,
  deliveryOf,
  firing,
  HOSTILE,
  NOW,
  notificationOf,
  type Scene,
  silenceOf,
} from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell' });

let scene: Scene;
beforeEach(async () => {
  scene = createScene({ callsPerHour: 500 });
  await scene.rules.save(ruleSetOf(purchases));
});

test('the rules count the segments in the most severe state', async () => {
  const byCountry = ruleNamed('by-country', { group_by: 'device_country' });
  await scene.rules.save({ ...ruleSetOf(byCountry), version: 'next' });
  for (const [segment, state] of Object.entries({ DE: 'firing', FR: 'firing', MT: 'pending' } as const))
    await scene.alerts.save(firing(byCountry, { segment, state }));
  expect((await scene.get('/rules')).text).toContain('firing 2 segments');
  await scene.alerts.save({ ...firing(byCountry, { segment: 'FR', state: 'normal' }), revision: 1 });
  expect((await scene.get('/rules')).text).toContain('firing 1 segment ');
});

describe('silences', () => {
  test('are listed as active, scheduled or ended', async () => {
    await scene.alerts.save(firing(purchases));
    await scene.silences.save(silenceOf({ id: 'now', match: { rule: 'purchases' } }));
    await scene.silences.save(
      silenceOf({ id: 'soon', match: { app: ['a', 'b'] }, fromAt: NOW + HOUR_MS, untilAt: NOW + DAY_MS }),
    );
    await scene.silences.save(
      silenceOf({ id: 'over', match: {}, untilAt: NOW, by: HOSTILE, reason: HOSTILE }),
    );
    const { text, html } = await scene.get('/silences');
    expect(text).toMatch(/rule=purchases By Anna, .* 1 open alert Thu 5 Mar 2026, 04:00 \(UTC\), in 1 hour/);
    expect(text).toMatch(/app=a or b By Anna.* scheduled from Thu 5 Mar 2026, 04:00 \(UTC\)/);
    expect(text).toMatch(/Ended .*everything By <script>/);
    expect(html).not.toContain('<script>');
    const ids = [...html.matchAll(/name="id" value="(\w+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['now', 'soon']);
  });

  test('can be added with a form that is filled in from the link', async () => {
    const query = new URLSearchParams({ rule: 'purchases', segment: HOSTILE });
    const { html } = await scene.get(`/silences?${query}`, { Cookie: 'name=Anna' });
    expect(html).toContain('method="post" action="/silences"');
    expect(html).toContain('name="rule" value="purchases"');
    expect(html).toContain('name="segment_is" value="&lt;script&gt;');
    expect(html).not.toContain('name="segment"');
    expect(html).toContain('name="by" value="Anna"');
    expect(html).not.toContain('<script>');
  });
});

describe('deliveries', () => {
  test('list pending notifications, also of removed rules, and the outcome of each attempt', async () => {
    const pending = {
      a: notificationOf({ attempts: 2, dueAt: NOW + 4 * 60_000 }),
      b: notificationOf({ channel: 'pager' }),
    };
    await scene.alerts.save(alertOf(ruleNamed('gone'), { pending, pendingAt: NOW }));
    await scene.deliveries.save(deliveryOf({ alerts: 12 }));
    const outcome = { kind: 'failed', reason: 'Slack answered 404 no_service', permanent: true } as const;
    await scene.deliveries.save(deliveryOf({ at: NOW, title: HOSTILE, outcome }));
    const { text, html } = await scene.get('/deliveries');
    expect(text).toMatch(/gone fired team 2 Thu 5 Mar 2026, 03:04 \(UTC\), in 4 minutes/);
    expect(text).toContain('gone fired pager 0 due just now');
    expect(text).toContain(
      'failed Slack answered 404 no_service (not retried until the configuration changes)',
    );
    expect(html).toContain('<a href="/rules/purchases"><bdi>Purchases down 60%</bdi></a>');
    expect(text.indexOf('no_service')).toBeLessThan(text.indexOf('Purchases down 60% (12 alerts) sent'));
    expect(html).not.toContain('<script>');
  });

  test.each<[string[], boolean]>([
    [['purchases##'], true],
    [['purchases#a#', 'purchases#b#'], true],
    [['purchases##', 'gone##'], false],
    [['gone##'], false],
    [['cause:x'], false],
  ])('link to the rule if all alerts are of one that is deployed (%j: %s)', async (notified, isLinked) => {
    const keys = notified.map((each) => `${each}2026-03-05T00:00:00.000Z#fired#`);
    await scene.deliveries.save(deliveryOf({ alerts: notified.length, keys }));
    const { html } = await scene.get('/deliveries');
    expect(html.includes('<a href="/rules/purchases"><bdi>')).toBe(isLinked);
  });

  test('distinguish notifications on hold from later reminders', async () => {
    const reminder = notificationOf({ transition: 'reminded', channel: 'pager', dueAt: NOW + HOUR_MS });
    const pending = { a: notificationOf(), b: reminder };
    await scene.alerts.save(firing(purchases, { pending, pendingAt: NOW }));
    await scene.silences.save(silenceOf({ match: { rule: 'purchases' } }));
    const { text } = await scene.get('/deliveries');
    expect(text).toContain('fired team 0 on hold: a silence, a snooze or a calendar');
    expect(text).toContain('04:00 (UTC), in 1 hour, if not acknowledged by then');
  });
});

describe('health', () => {
  const cadence = cadenceName(purchases.cadence);
  const ran = (at: number, batches: string[] = []) =>
    scene.runs.saveTick({ id: tickId(cadence, at), scheduledAt: at, batches });
  const shown = async () => (await scene.get('/health')).text;

  test('shows the last and the next run of a cadence', async () => {
    expect(await shown()).toContain('every day at 01:00 (UTC), 1 rule never ran never Fri 6 Mar 2026');
    await ran(NOW - 2 * HOUR_MS);
    expect(await shown()).toContain('on time Thu 5 Mar 2026, 01:00 (UTC), 2 hours ago');
  });

  test('shows the calls of this hour and the newest event', async () => {
    expect(await shown()).toContain('demo not evaluated yet unknown 0 of 500 1');
    await scene.runs.takeCalls('demo', NOW, 120, 500);
    await scene.runs.saveNewestEventAt('demo', NOW - HOUR_MS);
    expect(await shown()).toContain('demo ok Thu 5 Mar 2026, 02:00 (UTC), 1 hour ago 120 of 500');
    await scene.alerts.save({ ...newAppAlert('demo'), state: 'firing', stateSinceAt: NOW - HOUR_MS });
    expect(await shown()).toContain('demo stopped since 1 hour ago');
  });

  test('lists rules that cannot be evaluated', async () => {
    expect(await shown()).toContain('Rules that cannot be evaluated None.');
    const reason = { code: 'read-failed', error: HOSTILE } as const;
    const streak = { since: MONDAY, through: NOW, reason, notified: true, streak: 5 };
    await scene.alerts.save(alertOf(purchases, { health: { kind: 'broken', ...streak } }));
    const { text, html } = await scene.get('/health');
    expect(text).toContain(`Purchases fell broken ${HOSTILE} Mon 2 Mar 2026, 00:00 (UTC)`);
    expect(html).not.toContain('<script>');
  });
});
