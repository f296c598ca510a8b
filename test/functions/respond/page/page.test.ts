import { beforeEach, describe, expect, test } from 'vitest';
import { createPage } from '../../../../functions/respond/page/page.ts';
import type { Progress } from '../../../../functions/respond/page/progress.ts';
import type { InboxMessage } from '../../../../local/inbox/slack-inbox.ts';
import { saidIn, slackView } from '../../../../local/inbox/slack-view.ts';
import type { Debt } from '../../../../shared/alerting/alert.ts';
import { newAppAlert } from '../../../../shared/alerting/app-alert.ts';
import type { Rule } from '../../../../shared/alerting/rule.ts';
import { rowKeysOf, seriesOf } from '../../../../shared/alerting/series.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import {
  inMemoryAlertStore,
  inMemoryReadingStore,
  inMemoryRuleStore,
} from '../../../fakes/in-memory-stores.ts';
import {
  alertOf,
  breached,
  DAY,
  dayAt,
  evaluationOf,
  HOUR,
  MONDAY,
  ruleNamed,
  ruleSetOf,
} from '../../../fixtures/builders.ts';

const NOW = MONDAY + 3 * DAY + 3 * HOUR;
const purchases = ruleNamed('purchases', { title: 'Purchases fell', runbook: 'javascript:alert(1)' });
const signUps = ruleNamed('sign-ups', { title: 'Sign-ups moved', group_by: 'device_country' });

let stores: ReturnType<typeof emptyStores>;
let messages: InboxMessage[];
let progress: Progress;

function emptyStores() {
  return { rules: inMemoryRuleStore(), alerts: inMemoryAlertStore(), readings: inMemoryReadingStore() };
}

beforeEach(() => {
  stores = emptyStores();
  messages = [];
  progress = { phase: 'live' };
});

const inbox = { list: () => messages };

async function get(path: string): Promise<{ status: number; html: string; text: string }> {
  const page = createPage({
    ...stores,
    said: () => saidIn(inbox),
    progress: () => progress,
    clock: new ManualClock(NOW),
    sections: [{ path: '/slack', name: 'Slack', view: () => slackView(messages, NOW) }],
  });
  const response = await page.request(path);
  const html = await response.text();
  return { status: response.status, html, text: readable(html) };
}

/** What a person reads of the markup. */
function readable(html: string): string {
  return html
    .replace(/<head>.*?<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .replaceAll(' ,', ',');
}

/** `rule`, firing since yesterday's window. */
function firing(rule: Rule, segment: string | null = null) {
  const last = breached(2);
  const { baselineWindow, origin, baseline } = last;
  const fired = {
    windowEndAt: last.window.endAt,
    firstEndAt: last.window.endAt,
    baselineWindow,
    origin,
    baseline,
    direction: 'down' as const,
    gap: null,
  };
  return alertOf(rule, { segment, state: 'firing', stateSinceAt: last.window.endAt, fired, last });
}

function debtOf(overrides: Partial<Debt>): Debt {
  return {
    transition: 'fired',
    channel: 'team',
    route: 'default',
    tick: 'daily',
    windowEndAt: MONDAY,
    since: MONDAY,
    reason: 'outside the bounds',
    evaluation: null,
    firedWindowEndAt: null,
    firstRead: null,
    drivers: [],
    dueAt: NOW,
    attempts: 0,
    ...overrides,
  };
}

describe('the overview', () => {
  test('says what will come where nothing was deployed', async () => {
    const { text } = await get('/');
    expect(text).toContain('Nothing to tell yet');
    expect(text).toContain('No rules are deployed');
  });

  test('names the next look of rules that were never judged', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    expect((await get('/')).text).toContain('Fri 6 Mar 2026, 01:00 (UTC), in 22 hours');
  });

  test('shows an open alert with its figures, its segment and since when', async () => {
    await stores.rules.save(ruleSetOf(signUps));
    await stores.alerts.save(alertOf(signUps));
    await stores.alerts.save(firing(signUps, 'DE'));
    const { text } = await get('/');
    expect(text).toContain('1 alert open');
    expect(text).toMatch(/firing warning Sign-ups moved device_country DE 100 → 40 events -60\s%/);
    expect(text).toContain('Since Thu 5 Mar 2026, 00:00 (UTC), 3 hours ago');
  });

  test('puts the largest change first', async () => {
    await stores.rules.save(ruleSetOf(purchases, signUps));
    await stores.alerts.save(firing(purchases));
    const small = { ...firing(signUps, 'DE'), last: { ...breached(2), change: -0.4 } };
    const isNew = { ...firing(signUps, 'FR'), last: { ...breached(2), change: null } };
    for (const alert of [small, isNew]) await stores.alerts.save(alert);
    const { text } = await get('/');
    const places = ['new, from 0', '-60', '-40'].map((change) => text.indexOf(change));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test('says first which app sends no data', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    await stores.alerts.save(alertOf(purchases));
    await stores.alerts.save({ ...newAppAlert('demo'), state: 'firing' });
    expect((await get('/')).text).toContain('No data from demo');
  });

  test('shows an alert that flaps as such, whatever it fires or ends', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    await stores.alerts.save({ ...firing(purchases), state: 'normal', fired: null, flappingSinceAt: MONDAY });
    for (const path of ['/', '/alerts', `/rules/${purchases.id}`])
      expect((await get(path)).text).toMatch(/\bflapping\b/);
  });

  test('never calls it well while a rule cannot be checked', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    const reason = `the service was silent at ${new Date(MONDAY).toISOString()}`;
    const health = { kind: 'failing', since: MONDAY, through: NOW, reason, streak: 3, told: false } as const;
    await stores.alerts.save(alertOf(purchases, { health }));
    const { text } = await get('/');
    expect(text).toContain('1 rule cannot be checked');
    expect(text).toContain('the service was silent at Mon 2 Mar 2026, 00:00 (UTC)');
    expect(text).not.toContain('Nothing is wrong');
  });

  test('lists what is owed, of removed rules too', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    const gone = ruleNamed('gone');
    const owed = { a: debtOf({ attempts: 2, dueAt: NOW + 4 * 60_000 }) };
    await stores.alerts.save(alertOf(gone, { owed, owedAt: NOW }));
    expect((await get('/')).text).toMatch(/gone fired team 2 Thu 5 Mar 2026, 03:04 \(UTC\), in 4 minutes/);
  });

  test('looks again by itself only while the past is caught up with', async () => {
    expect((await get('/')).html).not.toContain('http-equiv="refresh"');
    progress = { phase: 'catching-up', step: 'Checking the last 14 days', done: 7, total: 14 };
    const { html, text } = await get('/');
    expect(html).toContain('http-equiv="refresh"');
    expect(text).toContain('Checking the last 14 days 50 %');
    expect((await get('/rules')).html).not.toContain('http-equiv="refresh"');
  });
});

describe('one rule', () => {
  test('is put in words, with the gates of its last evaluation', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    const gates = [
      { gate: 'fresh', passed: true, detail: 'the source has data past the end of the window', figures: {} },
      { gate: 'threshold', passed: false, detail: '100 against 100 is within the bounds', figures: {} },
    ] as const;
    await stores.alerts.save(alertOf(purchases, { last: evaluationOf(2, { gates: [...gates] }) }));
    const { text } = await get('/rules/purchases');
    expect(text).toContain('event_name is "purchase"');
    expect(text).toContain('every day at 01:00 (UTC)');
    expect(text).toContain('change below -30 %');
    expect(text).toContain('team (route default)');
    expect(text).toMatch(/Fresh data ✓ yes .* Outside the bounds ✗ no 100 against 100/);
  });

  test('has its last windows drawn, the breached one marked', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    await stores.alerts.save(firing(purchases));
    for (const [day, count] of [90, 100, 40].entries())
      await stores.readings.save({
        family: seriesOf(purchases).family,
        window: dayAt(day),
        readAt: NOW,
        eventNames: ['purchase'],
        keys: rowKeysOf([purchases]),
        rows: [{ eventName: 'purchase', current: { event_count: count }, previous: { event_count: 80 } }],
      });
    const { html, text } = await get('/rules/purchases');
    expect(html.match(/<path class="line" d="([^"]+)"/)?.[1]?.split('L')).toHaveLength(4);
    expect(html.match(/<circle class="breached"/g)).toHaveLength(1);
    expect(text).toContain('start of the day (UTC)');
    expect(text).toContain('Wed 4 Mar 2026 (UTC) 40 breached');
  });

  test('shows the segment that is asked for, whatever its name', async () => {
    await stores.rules.save(ruleSetOf(signUps));
    await stores.alerts.save(firing(signUps, '<script>alert(1)</script>'));
    await stores.alerts.save(alertOf(signUps, { segment: 'a&b="c"' }));
    const { html, text } = await get(`/rules/sign-ups?${new URLSearchParams({ segment: 'a&b="c"' })}`);
    expect(text).toContain('The last windows of device_country a&amp;b="c"');
    expect(text).toContain('<script>alert(1)</script>');
    expect(html).not.toContain('<script');
    expect(html).toContain('?segment=%3Cscript%3Ealert%281%29%3C%2Fscript%3E"');
  });

  test('links no runbook that is not of the web', async () => {
    await stores.rules.save(ruleSetOf(purchases));
    expect((await get('/rules/purchases')).html).not.toContain('href="javascript:');
  });

  test.each(['/rules/unknown', '/rules/sign-ups?segment=nowhere', '/unknown'])(
    '%s is not found, in the same dress',
    async (path) => {
      await stores.rules.save(ruleSetOf(signUps));
      const { status, text } = await get(path);
      expect(status).toBe(404);
      expect(text).toContain('Deltawatch Overview Rules Alerts Slack Not found');
    },
  );
});

test('lists alerts that are open or were spoken of in the last week', async () => {
  const [old, recovered] = [ruleNamed('old'), ruleNamed('recovered')];
  await stores.rules.save(ruleSetOf(purchases, old, recovered));
  await stores.alerts.save(firing(purchases));
  const told = (sentAt: number) => [
    { transition: 'recovered' as const, channel: 'team', windowEndAt: sentAt, sentAt },
  ];
  await stores.alerts.save(alertOf(old, { announced: told(NOW - 8 * DAY) }));
  await stores.alerts.save(alertOf(recovered, { announced: told(NOW - HOUR) }));
  const { text } = await get('/alerts');
  expect(text).toContain('Purchases fell');
  expect(text).toContain('recovered in team, 1 hour ago');
  expect(text).not.toContain('The rule old');
  expect((await get('/rules')).text).toContain('The rule old');
});

test('shows messages as Slack would', async () => {
  const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text });
  messages = [
    {
      channel: 'shop',
      receivedAt: NOW - HOUR,
      text: 'fallback',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Purchases *fell*' } },
        { type: 'section', text: mrkdwn('*&lt;script&gt;* :bell:'), fields: [mrkdwn('*Now*\n12 events')] },
        { type: 'divider' },
        { type: 'context', elements: [mrkdwn('see <https://example.com/?a=1&amp;b=2|the runbook>')] },
      ],
    },
  ];
  const { html, text } = await get('/slack');
  expect(html).toContain('<h2>Purchases *fell*</h2>');
  expect(html).toContain('<strong>&lt;script&gt;</strong> :bell:');
  expect(html).toContain('<strong>Now</strong><br>12 events');
  expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2" rel="noreferrer">the runbook</a>');
  expect(text).toContain('#shop Thu 5 Mar 2026, 02:00 (UTC)');
  expect(text).not.toContain('fallback');
});

describe('health', () => {
  test('tells how far the system is', async () => {
    progress = { phase: 'catching-up', step: 'Checking', done: 1, total: 2 };
    const { status, html } = await get('/health');
    expect([status, JSON.parse(html)]).toEqual([200, { ok: true, progress }]);
  });

  test('is bad where nothing can be read', async () => {
    stores.rules.loadCurrent = () => Promise.reject(new Error('the table is gone'));
    expect((await get('/health')).status).toBe(503);
  });
});

test('asks nothing of any other host', async () => {
  const page = createPage({
    ...stores,
    said: () => [],
    progress: () => progress,
    clock: new ManualClock(NOW),
  });
  const response = await page.request('/');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
  const html = await response.text();
  const linked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? '');
  for (const target of linked.filter((each) => /\.(css|svg)$/.test(each)))
    expect((await page.request(target)).status).toBe(200);
  expect(linked.filter((target) => !/^[/#]/.test(target))).toEqual([]);
});
