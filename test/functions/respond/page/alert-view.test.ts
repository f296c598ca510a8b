import { beforeEach, describe, expect, test } from 'vitest';
import { newAppAlert } from '../../../../shared/alerting/alerts/app-alert.ts';
import { EFFECTS, LABELS } from '../../../../shared/alerting/messages/answer-text.ts';
import { alertPath } from '../../../../shared/alerting/messages/page-paths.ts';
import { alertOf, DAY, HOUR, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, NOW, notificationOf, type Scene, silenceOf } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell', runbook: 'https://example.com/runbook' });
const signUps = ruleNamed('sign-ups', {
  title: `Sign-ups ${HOSTILE}`,
  group_by: 'device_country',
  zone: 'Europe/Berlin',
});

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps));
});

describe('one alert', () => {
  test('shows its figures, since when, what drove it and what to do', async () => {
    await scene.alerts.save(firing(purchases));
    const { text, html } = await scene.get('/alerts/purchases');
    expect(text).toMatch(/100 → 40 events -60\s% on Wed 4 Mar 2026 \(UTC\)/);
    expect(text).toContain('Since Wed 4 Mar 2026, 00:00 (UTC), 1 day ago. Nobody has it yet.');
    expect(text).toContain(
      'What drove it Platform android explains 92 % of the fall; it was 18 % of the events.',
    );
    expect(html).toContain('href="https://example.com/runbook"');
    expect(text).toContain(
      'Last evaluation breached 40 compared with 100 (-60 %) crosses the threshold (change below -30 %)',
    );
    expect(html).toContain('href="/silences?rule=purchases#add"');
  });

  test('asks for nothing to be done once it is over', async () => {
    await scene.alerts.save(alertOf(purchases));
    expect((await scene.get('/alerts/purchases')).html).not.toContain('https://example.com/runbook');
  });

  test('is shown without asking for all the others', async () => {
    scene.alerts.loadOpen = () => Promise.reject(new Error('thousands are open'));
    await scene.alerts.save(firing(purchases));
    for (const path of ['/alerts/purchases', '/rules/purchases', '/deliveries'])
      expect((await scene.get(path)).status, path).toBe(200);
  });

  test('tells its life in order, the newest first', async () => {
    const fired = { transition: 'fired' as const, windowEndAt: NOW - 3 * HOUR };
    const standing = NOW - 3 * HOUR;
    await scene.alerts.save(
      firing(purchases, {
        sent: [
          { ...fired, channel: 'team', sentAt: NOW - 2 * HOUR },
          { ...fired, channel: 'oncall', sentAt: NOW - 2 * HOUR + 1 },
        ],
        answers: [
          {
            answer: 'acknowledge',
            by: HOSTILE,
            at: NOW - HOUR,
            reason: HOSTILE,
            firedWindowEndAt: standing,
            link: null,
          },
        ],
        pending: {
          a: notificationOf({
            ...{ transition: 'acknowledged', channel: 'pager', since: NOW - HOUR / 2 },
            reason: { code: 'acknowledged', by: 'Anna', note: HOSTILE },
          }),
        },
        pendingAt: NOW,
      }),
    );
    const { text, html } = await scene.get('/alerts/purchases');
    const steps = [
      `acknowledged To be told in pager: acknowledged by Anna: ${HOSTILE}`,
      `${HOSTILE} answered “Acknowledge”: ${HOSTILE}`,
      'Told in team, oncall: fired',
      'The window that ended here made it fire.',
    ];
    const places = steps.map((step) => text.indexOf(step));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(html).not.toContain('<script>');
  });

  test('tells when it fired and ceased to, in turn', async () => {
    const changes = [MONDAY - 9 * HOUR, MONDAY - 6 * HOUR, MONDAY - 3 * HOUR];
    await scene.alerts.save(firing(purchases, { changes }));
    const { text } = await scene.get('/alerts/purchases');
    expect(text).toMatch(
      /21:00 \(UTC\) 3 days ago fired The .* 18:00 \(UTC\) 3 days ago It ceased to fire\. .* 15:00 \(UTC\) 3 days ago fired The/,
    );
    await scene.alerts.save(alertOf(purchases, { changes: changes.slice(1), revision: 1 }));
    const over = (await scene.get('/alerts/purchases')).text;
    expect(over).toMatch(
      /21:00 \(UTC\) 3 days ago It ceased to fire\. .* 18:00 \(UTC\) 3 days ago fired The/,
    );
  });

  test('offers each answer with what it does, to what it fires on now', async () => {
    await scene.alerts.save(firing(signUps, { segment: HOSTILE }));
    const { html, text } = await scene.get(alertPath({ ruleId: 'sign-ups', segment: HOSTILE }), {
      Cookie: 'name=Anna',
    });
    const form = html.match(/<form class="answer.*?<\/form>/s)?.[0] ?? '';
    expect(form).toContain('method="post" action="/alerts/answer"');
    expect(form).toContain('name="rule" value="sign-ups"');
    expect(form).toContain('name="segment" value="&lt;script&gt;');
    expect(form).toContain(`name="fired" value="${NOW - 3 * HOUR}"`);
    expect(form).toContain('name="by" value="Anna"');
    for (const label of Object.values(LABELS)) expect(form).toContain(label);
    expect(text).toContain(EFFECTS.accept);
    expect(text).toMatch(/What happens on \w{3} \d+ \w{3} 2026 \(Europe\/Berlin\) was to be expected/);
    expect(html).not.toContain('<script>');
    expect(text).toContain('(Europe/Berlin)');
    expect(text).not.toContain('(UTC)');
  });

  test('offers no answer once it is over, nor to take what somebody has', async () => {
    await scene.alerts.save(alertOf(purchases));
    expect((await scene.get('/alerts/purchases')).html).not.toContain('<form class="answer');
    const acknowledged = { by: 'Anna', at: NOW, reason: '' };
    await scene.alerts.save(firing(purchases, { acknowledged, revision: 1 }));
    const { html } = await scene.get('/alerts/purchases');
    expect(html).toContain('value="snooze-1h"');
    expect(html).not.toContain('value="acknowledge"');
  });

  test('leads to its answers only where there are any', async () => {
    await scene.alerts.save(firing(purchases));
    expect((await scene.get('/alerts/purchases')).html).toContain('href="#answer"');
    // It comes and goes, and is calm just now.
    await scene.alerts.save(alertOf(purchases, { flappingSinceAt: NOW - DAY, revision: 1 }));
    expect((await scene.get('/alerts/purchases')).html).not.toContain('href="#answer"');
  });

  test('does what the Enter key asks only where that is to acknowledge', async () => {
    const first = async () =>
      (await scene.get('/alerts/purchases')).html.match(/<form class="answer.*?(<button[^>]*>)/s)?.[1];
    await scene.alerts.save(firing(purchases));
    expect(await first()).toContain('value="acknowledge"');
    const acknowledged = { by: 'Anna', at: NOW, reason: '' };
    await scene.alerts.save(firing(purchases, { acknowledged, revision: 1 }));
    expect(await first()).toBe('<button disabled hidden>');
  });

  test('that was excused says until when, and tells nothing that is yet to come', async () => {
    const excusedUntilAt = NOW + 21 * HOUR;
    const incidents = [{ startAt: NOW - 27 * HOUR, endAt: excusedUntilAt }];
    await scene.alerts.save(alertOf(purchases, { excusedUntilAt, incidents, levelSinceAt: MONDAY }));
    const { text } = await scene.get('/alerts/purchases');
    expect(text).toContain('is to be expected until Fri 6 Mar 2026, 00:00 (UTC)');
    expect(text).toContain('An incident began.');
    expect(text).not.toContain('The incident ended.');
    expect(text).toContain('The level from here on was accepted as the usual one.');
  });

  test('of an app tells since when it sends nothing', async () => {
    await scene.alerts.save({ ...newAppAlert('demo'), state: 'firing', stateSinceAt: NOW - HOUR });
    const { text, html } = await scene.get('/alerts/app:?app=demo');
    expect(text).toContain('No data from demo firing critical');
    expect(text).toContain('Since Thu 5 Mar 2026, 02:00 (UTC), 1 hour ago');
    expect(html).toContain('value="acknowledge"');
    expect(html).not.toContain('value="accept"');
  });

  test('of a rule that cannot be read does not say that it was removed', async () => {
    await scene.rules.save({ ...ruleSetOf(), version: 'newer', unreadable: ['gone'] });
    await scene.alerts.save(firing(ruleNamed('gone')));
    const { text } = await scene.get('/alerts/gone');
    expect(text).toContain('The rule cannot be read');
    expect(text).not.toContain('was removed');
  });

  test('of a rule that was removed says so', async () => {
    await scene.alerts.save(firing(ruleNamed('gone')));
    expect((await scene.get('/alerts/gone')).text).toContain('The rule was removed');
  });

  test('of a segment that never was is not found; of a whole with segments it is the rule', async () => {
    const missing = await scene.get('/alerts/unknown');
    expect(missing.status).toBe(404);
    const { status, headers } = await scene.get('/alerts/sign-ups');
    expect([status, headers.get('location')]).toEqual([303, '/rules/sign-ups']);
  });
});

describe('the list of alerts', () => {
  const list = async (query = '') => (await scene.get(`/alerts${query}`)).text;

  test('holds what fires or may, and not what is at rest', async () => {
    expect(await list()).toContain('Nothing. An alert is listed here');
    await scene.alerts.save(firing(purchases));
    await scene.alerts.save(alertOf(signUps, { segment: 'DE' }));
    await scene.alerts.save(alertOf(signUps, { segment: 'FR', state: 'pending', stateSinceAt: MONDAY }));
    const text = await list();
    expect(text).toContain('Purchases fell');
    expect(text).toContain('FR');
    expect(text).not.toContain('device_country DE');
  });

  test('is narrowed down to words, to what nobody has and to what may begin', async () => {
    await scene.alerts.save(firing(purchases, { acknowledged: { by: 'Anna', at: NOW, reason: '' } }));
    await scene.alerts.save(firing(signUps, { segment: 'DE' }));
    await scene.alerts.save(alertOf(signUps, { segment: 'FR', state: 'pending' }));
    expect(await list('?q=fell')).not.toContain('device_country');
    expect(await list('?who=nobody')).not.toContain('Purchases fell');
    expect(await list('?who=nobody')).toContain('device_country DE');
    expect(await list('?state=pending')).toContain('device_country FR');
    expect(await list('?state=pending')).not.toContain('device_country DE');
    expect(await list('?q=nothing')).toContain('Nothing of this kind is open');
  });

  test('says what is silenced', async () => {
    await scene.silences.save(silenceOf({ match: { segment: 'DE' } }));
    for (const segment of ['DE', 'FR']) await scene.alerts.save(firing(signUps, { segment }));
    expect((await list()).match(/Silenced by Anna/g)).toHaveLength(1);
  });
});
