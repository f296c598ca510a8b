import { beforeEach, describe, expect, test } from 'vitest';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import { EFFECTS, effectOf, LABELS } from '../../../../shared/messages/answer-text.ts';
import { alertPath } from '../../../../shared/messages/page-paths.ts';
import { rowKeysOf, seriesOf } from '../../../../shared/readings/series.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, dayAt, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, NOW, notificationOf, type Scene, silenceOf } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell', runbook: 'https://example.com/runbook' });
const signUps = ruleNamed('sign-ups', {
  title: `Sign-ups ${HOSTILE}`,
  group_by: 'device_country',
  zone: 'Europe/Berlin',
});
const bought = ruleNamed('bought', {
  filters: [],
  metric: undefined,
  ratio: { of: 'purchase', to: 'view_item' },
});

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps, bought));
});

describe('one alert', () => {
  test('shows its figures, start, drivers and runbook', async () => {
    await scene.alerts.save(firing(purchases));
    const { text, html } = await scene.get('/alerts/purchases');
    expect(text).toMatch(/100 → 40 events -60% on Wed 4 Mar 2026 \(UTC\)/);
    expect(text).toContain('Since Wed 4 Mar 2026, 00:00 (UTC), 1 day ago. Not acknowledged.');
    expect(text).toContain(
      'Drivers Platform android explains 92% of the fall; before, it had 45% of the events.',
    );
    expect(html).toContain('href="https://example.com/runbook"');
    expect(text).toContain(
      'Last evaluation breached 40 compared with 100 (-60%) crosses the threshold (change below -30%)',
    );
    expect(html).toContain('href="/silences?rule=purchases#add"');
  });

  test('shows the figures of a ratio in the same unit everywhere', async () => {
    await scene.alerts.save(firing(bought));
    const { text } = await scene.get('/alerts/bought');
    expect(text).toContain('Last evaluation breached 4,000% compared with 10,000% (-60%)');
  });

  test('lists the notes of its app by number, with a form to add one', async () => {
    await scene.alerts.save(firing(purchases));
    const first = dayAt(2);
    await scene.readings.save({
      family: seriesOf(purchases).family,
      window: first,
      readAt: NOW,
      isAlone: true,
      eventNames: ['purchase'],
      keys: rowKeysOf([purchases]),
      rows: [{ eventName: 'purchase', current: { event_count: 40 } }],
    });
    const note = { app: purchases.app, by: 'Anna' };
    await scene.notes.save({ ...note, id: 'a', text: `release ${HOSTILE}`, at: first.startAt });
    await scene.notes.save({ ...note, id: 'b', text: 'price test', at: NOW - HOUR_MS });
    await scene.notes.save({
      ...note,
      id: 'd',
      text: 'iOS 7.22 reached 5%',
      by: 'data',
      at: NOW - 2 * HOUR_MS,
    });
    await scene.notes.save({ ...note, id: 'c', text: 'elsewhere', app: 'bank', at: NOW - HOUR_MS });
    const { html, text } = await scene.get('/alerts/purchases');
    expect(text).toMatch(
      /Notes price test Thu 5 Mar 2026, 02:00 \(UTC\).*, by Anna, app demo iOS 7.22 reached 5% .*, from the data, app demo release <script>/,
    );
    expect(html).toContain('<ol class="notes" reversed start="3">');
    expect(html).not.toMatch(/<script>alert|elsewhere/);
    expect(html).toContain('<input type="hidden" name="back" value="/alerts/purchases">');
  });

  test('links the id of its rule to its line in the repository', async () => {
    await scene.alerts.save(firing(purchases));
    await scene.alerts.save(alertOf(signUps, { segment: 'DE' }));
    const link = 'https://github.com/acme/rules/blob/main/a%22b.yaml#L12';
    await scene.rules.saveSourceLinks({ purchases: link });
    for (const path of ['/alerts/purchases', '/rules/purchases'])
      expect((await scene.get(path)).html).toContain(
        `<a href="${link}" rel="noreferrer"><code>purchases</code></a>`,
      );
    for (const path of ['/alerts/sign-ups?segment=DE', '/rules/sign-ups'])
      expect((await scene.get(path)).html).toContain(' <code>sign-ups</code></p>');
  });

  test('does not load all open alerts', async () => {
    scene.alerts.loadOpen = () => Promise.reject(new Error('too many to load'));
    await scene.alerts.save(firing(purchases));
    for (const path of ['/alerts/purchases', '/rules/purchases', '/deliveries'])
      expect((await scene.get(path)).status, path).toBe(200);
  });

  test('shows its timeline, newest first', async () => {
    const fired = { transition: 'fired' as const, windowEndAt: NOW - 3 * HOUR_MS };
    const standing = NOW - 3 * HOUR_MS;
    await scene.alerts.save(
      firing(purchases, {
        sent: [
          { ...fired, channel: 'team', sentAt: NOW - 2 * HOUR_MS },
          { ...fired, channel: 'oncall', sentAt: NOW - 2 * HOUR_MS + 1 },
          { ...fired, channel: 'lead', sentAt: NOW - 1.5 * HOUR_MS },
        ],
        answers: [
          {
            answer: 'acknowledge',
            by: HOSTILE,
            at: NOW - HOUR_MS,
            reason: HOSTILE,
            firedWindowEndAt: standing,
            link: null,
          },
        ],
        pending: {
          a: notificationOf({
            ...{ transition: 'acknowledged', channel: 'pager', since: NOW - HOUR_MS / 2 },
            reason: { code: 'acknowledged', by: 'Anna', note: HOSTILE },
          }),
        },
        pendingAt: NOW,
      }),
    );
    const { text, html } = await scene.get('/alerts/purchases');
    const steps = [
      `acknowledged Pending for pager: acknowledged by Anna: ${HOSTILE}`,
      `${HOSTILE} answered “Acknowledge”: ${HOSTILE}`,
      'fired Sent to lead.',
      'fired Sent to team, oncall.',
      'The window that ended at this time breached.',
    ];
    const places = steps.map((step) => text.indexOf(step));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(html).not.toContain('<script>');
  });

  test('offers each answer with its effect on the current fire', async () => {
    await scene.alerts.save(firing(signUps, { segment: HOSTILE }));
    const { html, text } = await scene.get(alertPath({ ruleId: 'sign-ups', segment: HOSTILE }), {
      Cookie: 'name=Anna',
    });
    const form = html.match(/<form class="answer.*?<\/form>/s)?.[0] ?? '';
    expect(form).toContain('method="post" action="/alerts/answer"');
    expect(form).toContain('name="rule" value="sign-ups"');
    expect(form).toContain('name="segment" value="&lt;script&gt;');
    expect(form).toContain(`name="fired" value="${NOW - 3 * HOUR_MS}"`);
    expect(form).toContain('name="by" value="Anna"');
    for (const label of Object.values(LABELS)) expect(form).toContain(label);
    expect(text).toContain(EFFECTS.accept);
    expect(text).toContain(effectOf('holiday', NOW - 3 * HOUR_MS, signUps));
    expect(html).not.toContain('<script>');
    expect(text).toContain('(Europe/Berlin)');
    expect(text).not.toContain('(UTC)');
  });

  test('offers no answers after it has resolved, and no second acknowledgement', async () => {
    await scene.alerts.save(alertOf(purchases));
    expect((await scene.get('/alerts/purchases')).html).not.toContain('<form class="answer');
    const acknowledged = { by: 'Anna', at: NOW, reason: '' };
    await scene.alerts.save(firing(purchases, { acknowledged, revision: 1 }));
    const { html } = await scene.get('/alerts/purchases');
    expect(html).toContain('value="snooze-1h"');
    expect(html).not.toContain('value="acknowledge"');
  });

  test('links to its answers only if there are any', async () => {
    await scene.alerts.save(firing(purchases));
    expect((await scene.get('/alerts/purchases')).html).toContain('href="#answer"');
    // It flaps, and is normal at the moment.
    await scene.alerts.save(alertOf(purchases, { flappingSinceAt: NOW - DAY_MS, revision: 1 }));
    expect((await scene.get('/alerts/purchases')).html).not.toContain('href="#answer"');
  });

  test('lets the Enter key only acknowledge', async () => {
    const first = async () =>
      (await scene.get('/alerts/purchases')).html.match(/<form class="answer.*?(<button[^>]*>)/s)?.[1];
    await scene.alerts.save(firing(purchases));
    expect(await first()).toContain('value="acknowledge"');
    const acknowledged = { by: 'Anna', at: NOW, reason: '' };
    await scene.alerts.save(firing(purchases, { acknowledged, revision: 1 }));
    expect(await first()).toBe('<button disabled hidden>');
  });

  test('shows the end of an excuse, and no future events', async () => {
    const excusedUntilAt = NOW + 21 * HOUR_MS;
    const incidents = [{ startAt: NOW - 27 * HOUR_MS, endAt: excusedUntilAt }];
    await scene.alerts.save(alertOf(purchases, { excusedUntilAt, incidents, levelSinceAt: MONDAY }));
    const { text } = await scene.get('/alerts/purchases');
    expect(text).toContain('Marked as expected until Fri 6 Mar 2026, 00:00 (UTC)');
    expect(text).toContain('Incident started.');
    expect(text).not.toContain('Incident ended.');
    expect(text).toContain('Rebaselined: this level is the baseline from here on.');
  });

  test('of an app shows since when it has no data', async () => {
    await scene.alerts.save({ ...newAppAlert('demo'), state: 'firing', stateSinceAt: NOW - HOUR_MS });
    const { text, html } = await scene.get('/alerts/app:?app=demo');
    expect(text).toContain('No data from demo firing critical');
    expect(text).toContain('Since Thu 5 Mar 2026, 02:00 (UTC), 1 hour ago');
    expect(html).toContain('value="acknowledge"');
    expect(html).not.toContain('value="accept"');
  });

  test('of a rule that cannot be read does not call it removed', async () => {
    scene.rules.loadCurrent = async () => ({ ...ruleSetOf(), version: 'newer', unreadable: ['gone'] });
    await scene.alerts.save(firing(ruleNamed('gone')));
    const { text } = await scene.get('/alerts/gone');
    expect(text).toContain('The rule cannot be read');
    expect(text).not.toContain('was removed');
  });

  test('of a rule that was removed says so', async () => {
    await scene.alerts.save(firing(ruleNamed('gone')));
    expect((await scene.get('/alerts/gone')).text).toContain('The rule was removed');
  });

  test('of an unknown rule is not found, and of a rule with segments redirects to the rule', async () => {
    const missing = await scene.get('/alerts/unknown');
    expect(missing.status).toBe(404);
    const { status, headers } = await scene.get('/alerts/sign-ups');
    expect([status, headers.get('location')]).toEqual([303, '/rules/sign-ups']);
  });
});

describe('the list of alerts', () => {
  const list = async (query = '') => (await scene.get(`/alerts${query}`)).text;

  test('contains firing and pending alerts, but no normal ones', async () => {
    expect(await list()).toContain('No open alerts. An alert appears here');
    await scene.alerts.save(firing(purchases));
    await scene.alerts.save(alertOf(signUps, { segment: 'DE' }));
    await scene.alerts.save(alertOf(signUps, { segment: 'FR', state: 'pending', stateSinceAt: MONDAY }));
    const text = await list();
    expect(text).toContain('Purchases fell');
    expect(text).toContain('FR');
    expect(text).not.toContain('device_country DE');
  });

  test('can be filtered by words, acknowledgement and state', async () => {
    await scene.alerts.save(firing(purchases, { acknowledged: { by: 'Anna', at: NOW, reason: '' } }));
    await scene.alerts.save(firing(signUps, { segment: 'DE' }));
    await scene.alerts.save(alertOf(signUps, { segment: 'FR', state: 'pending' }));
    expect(await list('?q=fell')).not.toContain('device_country');
    expect(await list('?ack=no')).not.toContain('Purchases fell');
    expect(await list('?ack=no')).toContain('device_country DE');
    expect(await list('?state=pending')).toContain('device_country FR');
    expect(await list('?state=pending')).not.toContain('device_country DE');
    expect(await list('?q=nothing')).toContain('Nothing matches the filters');
  });

  test('shows which alerts are silenced', async () => {
    await scene.silences.save(silenceOf({ match: { segment: 'DE' } }));
    for (const segment of ['DE', 'FR']) await scene.alerts.save(firing(signUps, { segment }));
    expect((await list()).match(/Silenced by Anna/g)).toHaveLength(1);
  });
});
