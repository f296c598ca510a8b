import fc from 'fast-check';
import { html } from 'hono/html';
import { beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../functions/respond/api/endpoints.ts';
import { KEY_BYTES, mintKey } from '../../../shared/access/api-key.ts';
import type { AlertKey } from '../../../shared/alerts/alert.ts';
import { newAppAlert } from '../../../shared/alerts/app-alert.ts';
import type { Grant } from '../../../shared/alerts/roles.ts';
import { notificationKey } from '../../../shared/notifications/notification-key.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Call, clientOf } from './api/client.ts';
import { type Desk, firing, NOW, openDesk, RULE, URL_ROOT } from './desk.ts';
import { deliveryOf, notificationOf, silenceOf } from './page/scene.ts';

// Everything of the app "vault" has this word, in a title, an id, a segment, a name or a text.
const HIDDEN = /vault/i;

const SECRET = ruleNamed('vault-orders', { app: 'vault', title: 'Vault orders', group_by: 'device_country' });
const OTHER = ruleNamed('views', { app: 'web', title: 'Views' });

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  const { rules, alerts, silences, notes, deliveries, runs } = desk;
  await rules.save({ ...ruleSetOf(RULE, OTHER, SECRET), version: 'next' });
  await alerts.save(alertOf(OTHER, { ...firing(OTHER), revision: 0 }));
  const pending = { of: notificationOf({ channel: 'vault-team' }) };
  await alerts.save(firing(SECRET, { segment: 'Vault 7', pending, pendingAt: NOW }));
  await alerts.save({ ...newAppAlert('vault'), state: 'firing', stateSinceAt: NOW - HOUR_MS });
  await silences.save(silenceOf({ id: 'hidden', match: { app: 'vault' }, by: 'Vera Vault' }));
  await silences.save(silenceOf({ id: 'by-rule', match: { rule: 'vault-*' }, reason: 'vault move' }));
  await silences.save(silenceOf({ id: 'of-all', match: { severity: 'warning' }, reason: 'a freeze' }));
  for (const app of ['vault', 'demo', null])
    await notes.save({ id: `${app}`, text: `release of ${app}`, app, at: NOW - HOUR_MS, by: 'Ben' });
  const about = notificationOf({ windowEndAt: NOW });
  const keyOf = (ruleId: string, segment: string | null = null) =>
    notificationKey({ ruleId, segment }, about);
  for (const keys of [[keyOf('vault-orders', 'Vault 7')], [keyOf('sales'), keyOf('vault-orders')]])
    await deliveries.save(deliveryOf({ title: 'Vault orders down', alerts: keys.length, keys }));
  await deliveries.save(deliveryOf({ title: 'Vault digest', alerts: 0, keys: [] }));
  await deliveries.save(deliveryOf({ title: 'Sales down 60%', keys: [keyOf('sales')] }));
  const tick = { id: 'daily@2026', scheduledAt: NOW, batches: ['vault-0'] };
  await runs.saveTick(tick);
  const window = { startAt: NOW - 2 * HOUR_MS, endAt: NOW - HOUR_MS };
  const moved = { window, value: 40, baseline: 100, change: -0.6, band: null };
  await runs.saveMoves(tick.id, 'vault-0', [
    { ruleId: 'vault-orders', segment: 'Vault 7', ...moved },
    { ruleId: 'sales', segment: null, ...moved },
  ]);
  await desk.audit.save({ at: NOW, by: 'Vera Vault', how: 'cli', kind: 'note-added', on: 'x', app: 'vault' });
});

const cookieOf = async (grant?: Grant) =>
  `__Host-session=${await desk.sign('session', { by: 'Anna', grant })}`;

let seed = 0;
async function tokenOf(scope: 'read' | 'answer', apps: string[]): Promise<string> {
  seed += 1;
  const { text, key } = mintKey(new Uint8Array(KEY_BYTES).fill(seed), { apps, scope, name: 'robot' });
  await desk.keys.create(key);
  return text;
}

const keyOfSecret: AlertKey = { ruleId: 'vault-orders', segment: 'Vault 7' };
const PAGES = [
  ...['/', '/alerts', '/rules', '/timeline', '/silences', '/deliveries', '/health', '/audit', '/nowhere'],
  ...['/rules/sales', '/alerts/sales', '/alerts/views', '/rules/views'],
];

describe('an app that a visitor may not see', () => {
  it.each(PAGES)('is on %s for an admin only, if at all', async (path) => {
    const Cookie = await cookieOf({ role: 'read', apps: ['demo'] });
    expect(await (await desk.request(path, { headers: { Cookie } })).text()).not.toMatch(HIDDEN);
  });

  it('is what these pages show to an admin', async () => {
    const Cookie = await cookieOf();
    for (const path of PAGES.slice(0, 8))
      expect(await (await desk.request(path, { headers: { Cookie } })).text(), path).toMatch(HIDDEN);
  });

  it.each([
    '/rules/vault-orders',
    '/alerts/vault-orders?segment=Vault+7',
    '/alerts/app:?app=vault',
    '/alerts/vault-orders/events?segment=Vault+7&figure=1',
  ])('is not found at %s, like one that does not exist', async (path) => {
    const Cookie = await cookieOf({ role: 'answer', apps: ['demo'] });
    const hidden = await desk.request(path, { headers: { Cookie } });
    const missing = await desk.request(path.replaceAll(/vault/gi, 'gone'), { headers: { Cookie } });
    expect([hidden.status, await hidden.text()]).toEqual([404, await missing.text()]);
  });

  it('is in no answer to any question to any page', async () => {
    const Cookie = await cookieOf({ role: 'answer', apps: ['demo', 'web'] });
    const word = fc.constantFrom('demo', 'web', 'sales', 'firing', 'critical', '1', '2', '7', 'yes', '');
    const name = fc.constantFrom(
      'q',
      'app',
      'owner',
      'severity',
      'state',
      'ack',
      'page',
      'rule',
      'segment',
      'until',
    );
    const query = fc.array(fc.tuple(name, word), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PAGES), query, async (path, given) => {
        const url = `${path}?${new URLSearchParams(given)}`;
        expect(await (await desk.request(url, { headers: { Cookie } })).text()).not.toMatch(HIDDEN);
      }),
      { numRuns: 150 },
    );
  });

  it.each(ENDPOINTS.filter(({ method }) => method === 'get').map(({ name }) => name))(
    'is not in the answer of %s to a token of another app',
    async (name) => {
      const call = clientOf((path, init) => desk.app.request(`${URL_ROOT}${path}`, init));
      const id = idOf({ ruleId: 'sales', segment: null });
      const ask: Call = {
        token: await tokenOf('read', ['demo']),
        ...(name === 'getAlert' && { id }),
        ...(name === 'getSeries' && { id: 'vault-orders' }),
      };
      const { text, status } = await call(name, ask);
      expect(text).not.toMatch(HIDDEN);
      expect(status).toBe({ listAudit: 403, getSeries: 404 }[name] ?? 200);
    },
  );

  it('is not in the metrics for a token of another app', async () => {
    const metrics = async (token: string) =>
      (await desk.request('/api/v1/metrics', { headers: { Authorization: `Bearer ${token}` } })).text();
    expect(await metrics(await tokenOf('read', ['demo']))).not.toMatch(HIDDEN);
    expect(await metrics(await tokenOf('read', []))).toMatch(HIDDEN);
  });

  it('is not on additional pages either, such as the inbox of Slack', async () => {
    const view = () => ({ title: 'Inbox', body: html`<p>All messages</p>` });
    const other = await openDesk({ sections: [{ path: '/slack', name: 'Inbox', view }] });
    const show = async (grant?: Grant) => {
      const Cookie = `__Host-session=${await other.sign('session', { by: 'Anna', grant })}`;
      const shown = await other.request('/slack', { headers: { Cookie } });
      return [shown.status, (await shown.text()).includes('>Inbox<')];
    };
    expect(await show()).toEqual([200, true]);
    expect(await show({ role: 'read', apps: ['demo'] })).toEqual([404, false]);
  });

  it('still shows what concerns the visitor', async () => {
    const Cookie = await cookieOf({ role: 'read', apps: ['demo'] });
    const show = async (path: string) => (await desk.request(path, { headers: { Cookie } })).text();
    expect(await show('/alerts')).toContain('Sales');
    expect(await show('/silences')).toContain('a freeze');
    expect(await show('/deliveries')).toContain('Sales down 60%');
    expect(await show('/timeline')).toContain('release of demo');
    expect(await show('/timeline')).toContain('release of null');
  });

  it('may be that of a rule that cannot be read, which is said without its id', async () => {
    const rules: Desk['rules'] = {
      ...desk.rules,
      loadCurrent: async (wanted) => {
        const found = await desk.rules.loadCurrent(wanted);
        return found && { ...found, unreadable: ['vault-broken'] };
      },
    };
    const other = await openDesk({ ...desk, rules });
    const Cookie = `__Host-session=${await other.sign('session', { by: 'Anna', grant: { role: 'read', apps: ['demo'] } })}`;
    const text = await (await other.request('/health', { headers: { Cookie } })).text();
    expect(text).toContain('Cannot be read');
    expect(text).not.toMatch(HIDDEN);
  });
});

const idOf = ({ ruleId, segment }: AlertKey) =>
  Buffer.from(JSON.stringify([ruleId, segment])).toString('base64url');

/** What changes something on the page, for an app and its rule. */
const ACTS = {
  answer: (_: string, rule: string) => ['/alerts/answer', { rule, answer: 'incident' }] as const,
  answers: (_: string, rule: string) =>
    ['/alerts/answers', { alert: `rule=${rule}`, answer: 'incident' }] as const,
  note: (app: string, rule: string) =>
    ['/notes', { text: 'done', app, minutes_ago: '0', back: `/rules/${rule}` }] as const,
  silence: (app: string) => ['/silences', { app, hours: '1', reason: 'x' }] as const,
  'silence of a rule': (_: string, rule: string) => ['/silences', { rule, hours: '1', reason: 'x' }] as const,
  'silence of all apps': () => ['/silences', { severity: 'critical', hours: '1', reason: 'x' }] as const,
  'silence of a pattern': (app: string) =>
    ['/silences', { app: `${app}*`, hours: '1', reason: 'x' }] as const,
} satisfies Record<string, (app: string, rule: string) => readonly [string, Record<string, string>]>;

const ALL = Object.keys(ACTS);
const OWN = ['answer', 'answers', 'note', 'silence', 'silence of a rule'];

describe('what a role may do', () => {
  it.each<[string, Grant | undefined, string[], string[]]>([
    ['without a grant', undefined, ALL, ALL],
    ['admin', { role: 'admin' }, ALL, ALL],
    ['answer in all apps', { role: 'answer' }, ALL, ALL],
    ['answer in demo', { role: 'answer', apps: ['demo'] }, OWN, []],
    ['answer in demo and web', { role: 'answer', apps: ['demo', 'web'] }, OWN, OWN],
    ['read', { role: 'read' }, [], []],
    ['read in demo', { role: 'read', apps: ['demo'] }, [], []],
  ])('%s', async (_, grant, inDemo, inWeb) => {
    const Cookie = await cookieOf(grant);
    const done = async (app: string, rule: string) => {
      const acts: string[] = [];
      for (const [name, act] of Object.entries(ACTS)) {
        const before = (await desk.audit.load({ atMost: 500 })).length;
        const [path, form] = act(app, rule);
        const response = await desk.post(path, form, { Cookie });
        const isDone = (await desk.audit.load({ atMost: 500 })).length > before;
        if (isDone) acts.push(name);
        else expect([200, 303, 403]).toContain(response.status);
        desk.clock.advanceTo(desk.clock.now() + 1);
      }
      return acts;
    };
    expect(await done('demo', 'sales')).toEqual(inDemo);
    expect(await done('web', 'views')).toEqual(inWeb);
  });

  it('says what would be right if a silence is about other apps', async () => {
    const Cookie = await cookieOf({ role: 'answer', apps: ['demo'] });
    const [path, form] = ACTS['silence of all apps']();
    const refused = await desk.post(path, form, { Cookie });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain(
      'name one of the apps that you may change (demo), or a rule of them',
    );
  });

  it('forms are shown only to those who may use them', async () => {
    const page = async (path: string, grant: Grant) =>
      (await desk.request(path, { headers: { Cookie: await cookieOf(grant) } })).text();
    for (const path of ['/alerts/sales', '/alerts', '/silences']) {
      expect(
        (await page(path, { role: 'answer', apps: ['demo'] })).replace('action="/sign-out"', ''),
        path,
      ).toContain('method="post" action');
      const seen = (await page(path, { role: 'read' })).replace('action="/sign-out"', '');
      expect(seen, path).not.toContain('method="post" action');
      expect(seen, path).not.toContain('type="checkbox" name="alert"');
    }
  });

  it('an end of a silence needs the role in its app', async () => {
    const end = async (id: string, grant: Grant) =>
      desk.post('/silences/expire', { id }, { Cookie: await cookieOf(grant) });
    await desk.silences.save(silenceOf({ id: 'own', match: { app: 'demo' } }));
    expect((await end('of-all', { role: 'answer', apps: ['demo'] })).status).toBe(403);
    await end('hidden', { role: 'answer', apps: ['demo'] });
    await end('own', { role: 'read', apps: ['demo'] });
    await end('own', { role: 'answer', apps: ['demo'] });
    const ended = (await desk.silences.loadAll()).filter(({ untilAt }) => untilAt <= NOW);
    expect(ended.map(({ id }) => id)).toEqual(['own']);
  });

  it('the audit log is for admins', async () => {
    const statuses: [Grant | undefined, number][] = [
      [undefined, 200],
      [{ role: 'answer' }, 404],
      [{ role: 'read', apps: ['demo'] }, 404],
    ];
    for (const [grant, status] of statuses) {
      const headers = { Cookie: await cookieOf(grant) };
      expect((await desk.request('/audit', { headers })).status).toBe(status);
      expect((await (await desk.request('/health', { headers })).text()).includes('/audit')).toBe(
        status === 200,
      );
    }
  });
});

describe('a token for some apps', () => {
  const call = (...args: Parameters<ReturnType<typeof clientOf>>) =>
    clientOf((path, init) => desk.app.request(`${URL_ROOT}${path}`, init))(...args);

  it('answers and silences in them alone', async () => {
    const token = await tokenOf('answer', ['demo']);
    const answer = (key: AlertKey) =>
      call('answerAlert', { token, id: idOf(key), body: { answer: 'incident' } });
    expect((await answer({ ruleId: 'sales', segment: null })).status).toBe(200);
    expect((await answer(keyOfSecret)).status).toBe(404);
    const silence = (about: object) => call('addSilence', { token, body: { ...about, hours: 1 } });
    expect((await silence({ app: 'demo' })).status).toBe(200);
    expect((await silence({ rule: 'sales', segment: 'DE' })).status).toBe(200);
    expect((await silence({ app: 'vault' })).status).toBe(403);
    expect((await silence({ severity: 'critical' })).status).toBe(403);
    expect((await call('addNote', { token, body: { text: 'x', app: 'demo' } })).status).toBe(200);
    expect((await call('addNote', { token, body: { text: 'x' } })).status).toBe(403);
    expect((await call('endSilence', { token, id: 'hidden' })).status).toBe(404);
  });
});

describe('sign-in groups', () => {
  const roles = {
    claim: 'cognito:groups',
    groups: [
      { group: 'oncall', role: 'answer' as const, apps: ['demo'] },
      { group: 'everyone', role: 'read' as const, apps: ['web'] },
      { group: 'owners', role: 'admin' as const },
    ],
  };
  const ask = async (claims: object | undefined, path: string, headers: Record<string, string> = {}) => {
    const { authorizedVisitor } = await import('../../../functions/respond/authorized-name.ts');
    const access = {
      kind: 'authorized' as const,
      visitorOf: (c: { env: unknown }) => authorizedVisitor(c.env, roles),
    };
    const { app } = await openDesk({ ...desk, access });
    const env = claims && { requestContext: { authorizer: { jwt: { claims } } } };
    const response = await app.request(`${URL_ROOT}${path}`, { headers }, env);
    return { status: response.status, text: await response.text() };
  };

  it.each<[string, string, ...[string, number][]]>([
    ['one group', '[oncall]', ['/rules/sales', 200], ['/rules/views', 404]],
    ['two groups', '[oncall everyone]', ['/rules/sales', 200], ['/rules/views', 200]],
    ['one text', 'oncall', ['/rules/sales', 200], ['/audit', 404]],
    ['an admin', '[x owners]', ['/audit', 200], ['/rules/vault-orders', 200]],
  ])('%s', async (_, groups, ...asked) => {
    for (const [path, status] of asked)
      expect((await ask({ sub: 'anna', 'cognito:groups': groups }, path)).status, path).toBe(status);
  });

  it.each([
    ['no claim', {}, 'no group'],
    ['another claim', { groups: '[owners]' }, 'no group'],
    ['an unknown group', { 'cognito:groups': '[sales]' }, 'the groups <bdi>sales</bdi>'],
    ['a part of a group', { 'cognito:groups': '[owner]' }, 'None has a role here'],
    ['no text', { 'cognito:groups': ['owners'] }, 'no group'],
    ['a hostile group', { 'cognito:groups': '[<script>]' }, '&lt;script&gt;'],
  ])('%s has no role, and says which groups came in and whom to ask', async (_, claims, said) => {
    const { status, text } = await ask({ sub: 'anna', ...claims }, '/alerts');
    expect(status).toBe(403);
    expect(text).toContain(said);
    expect(text).toContain('The claim <code>cognito:groups</code>');
    expect(text).toContain('Ask the person who deploys Deltawatch');
    expect(text).not.toContain('Sales');
  });

  it.each([
    [
      'a header',
      { Authorization: `Bearer x.${Buffer.from('{"cognito:groups":["owners"]}').toString('base64url')}.x` },
    ],
    ['a cookie', { Cookie: '__Host-session=forged; name=owners' }],
  ])('a claim in %s counts for nothing', async (_, headers) => {
    expect((await ask(undefined, '/alerts', headers)).status).toBe(401);
    expect((await ask({ sub: 'anna' }, '/alerts', headers)).status).toBe(403);
  });

  it('a session with a changed grant is refused', async () => {
    const token = await desk.sign('session', { by: 'Anna', grant: { role: 'read' } });
    const [head, body = '', signature] = token.split('.');
    const forged = Buffer.from(body, 'base64url').toString().replace('"read"', '"admin"');
    const Cookie = `__Host-session=${head}.${Buffer.from(forged).toString('base64url')}.${signature}`;
    expect((await desk.request('/alerts', { headers: { Cookie } })).status).toBe(401);
  });

  it('a sign-in link passes its role on to the session', async () => {
    const link = await desk.sign('sign-in', { by: 'Anna', to: '/', grant: { role: 'read', apps: ['web'] } });
    const entered = await desk.post(`/sign-in/${link}`);
    const [Cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    expect((await desk.request('/rules/views', { headers: { Cookie } })).status).toBe(200);
    expect((await desk.request('/rules/sales', { headers: { Cookie } })).status).toBe(404);
  });
});
