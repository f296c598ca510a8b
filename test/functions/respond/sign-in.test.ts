import { describe, expect, it } from 'vitest';
import type { RespondDeps } from '../../../functions/respond/respond.ts';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import { ADMIN } from '../../../shared/alerts/roles.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { type Desk, NOW, openDesk, URL_ROOT } from './desk.ts';

/** The complete commands that create a link for this stage, with a configuration and without one. */
const COMMAND = 'npx deltawatch open --stage staging';

const linkFor = async (desk: Desk, to = '/alerts/sales') =>
  `/sign-in/${await desk.sign('sign-in', { by: 'Anna', to })}`;

/** The cookie that a browser sends back. */
const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

async function signedIn(desk: Desk): Promise<string> {
  return cookieOf(await desk.post(await linkFor(desk)));
}

describe('signing in', () => {
  it('shows one button, and only the button starts a session', async () => {
    const desk = await openDesk();
    const path = await linkFor(desk);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const shown = await desk.request(path, { method });
      expect(shown.status).toBe(200);
      expect(shown.headers.get('set-cookie')).toBeNull();
      expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect(desk.writes).toEqual([]);
    const entered = await desk.post(path);
    expect(entered.status).toBe(303);
    expect(entered.headers.get('location')).toBe('/alerts/sales');
  });

  it('sets an HttpOnly, SameSite and Secure cookie', async () => {
    const desk = await openDesk();
    const [cookie] = (await desk.post(await linkFor(desk))).headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-session=ey[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('works once', async () => {
    const desk = await openDesk();
    const path = await linkFor(desk);
    const both = await Promise.all([desk.post(path), desk.post(path)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 410]);
    const again = [await desk.post(path), await desk.request(path)];
    expect(again.map(({ status }) => status)).toEqual([410, 410]);
    for (const response of again) expect(await response.clone().text()).toContain(COMMAND);
    expect(again[0]?.headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, (desk: Desk) => Promise<string>]>([
    [
      'expired',
      async (desk) => {
        const path = await linkFor(desk);
        desk.clock.advanceTo(NOW + 600_000);
        return path;
      },
    ],
    ['of another purpose', async (desk) => `/sign-in/${await desk.sign('session', { by: 'Anna' })}`],
    // The notify function has this key too.
    [
      'signed by the key of messages',
      async (desk) => `/sign-in/${await desk.signer.sign('sign-in', { by: 'Eve', to: '/' }, 'a')}`,
    ],
    ['not a token', async () => '/sign-in/a.b.c'],
  ])('is refused for a link that is %s', async (_, pathIn) => {
    const desk = await openDesk();
    const path = await pathIn(desk);
    for (const response of [await desk.request(path), await desk.post(path)]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.text()).toContain(COMMAND);
    }
    expect(desk.writes).toEqual([]);
  });

  it.each(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'redirects only to local paths: %s',
    async (to) => {
      const desk = await openDesk();
      expect((await desk.post(await linkFor(desk, to))).headers.get('location')).toBe('/');
    },
  );

  it('is refused from another site', async () => {
    const desk = await openDesk();
    const response = await desk.post(await linkFor(desk), {}, { Origin: 'https://evil.example' });
    expect(response.status).toBe(403);
    expect(desk.writes).toEqual([]);
  });

  // The page sends no referrer, so browsers send no origin with its form.
  it.each<[string, Record<string, string>, number]>([
    ['with Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-origin' }, 303],
    ['without Sec-Fetch-Site', {}, 303],
    ['with a cross-site form', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('by a browser %s (%j) responds with %i', async (_, headers, status) => {
    const desk = await openDesk();
    expect((await desk.post(await linkFor(desk), {}, { Origin: 'null', ...headers })).status).toBe(status);
  });
});

describe('the page', () => {
  const paths = ['/', '/rules', '/alerts/sales', '/silences', '/deliveries', '/health', '/nowhere'];

  it.each(paths)('asks visitors without a session to sign in: %s', async (path) => {
    const desk = await openDesk();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await desk.request(path, { method, headers: { Origin: URL_ROOT } });
      expect(response.status).toBe(401);
      const markup = await response.text();
      expect(markup).not.toContain('sales');
      if (method === 'HEAD') continue;
      expect(markup).toContain(`<code>${COMMAND}</code>`);
    }
  });

  it.each(['/alerts/sales', '/silences'])('does not ask for a verified name: %s', async (path) => {
    const desk = await openDesk();
    const Cookie = `${await signedIn(desk)}; name=Other name`;
    const markup = await (await desk.request(path, { headers: { Cookie } })).text();
    expect(markup).toMatch(/You (answer|add this silence) as <strong><bdi>Anna<\/bdi>/);
    expect(markup).not.toMatch(/Your name|Other name/);
  });

  it('opens with a session for twelve hours', async () => {
    const desk = await openDesk();
    const headers = { Cookie: await signedIn(desk) };
    const shown = await desk.request('/alerts/sales', { headers });
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toContain('no-store');
    desk.clock.advanceTo(NOW + 12 * HOUR_MS - 1000);
    expect((await desk.request('/', { headers })).status).toBe(200);
    desk.clock.advanceTo(NOW + 12 * HOUR_MS);
    expect((await desk.request('/', { headers })).status).toBe(401);
  });

  it.each<[string, (desk: Desk) => Promise<string>]>([
    [
      'of another key',
      async (desk) => signedLinks(async () => 'o'.repeat(43), desk.clock).sign('session', { by: 'Eve' }, 'a'),
    ],
    ['of the key that signs messages', (desk) => desk.signer.sign('session', { by: 'Eve' }, 'a')],
    ['of another purpose', (desk) => desk.sign('sign-in', { by: 'Eve', to: '/' })],
    ['that is not a token', async () => 'Eve'],
    ['that is empty', async () => ''],
  ])('refuses a session %s', async (_, tokenIn) => {
    const desk = await openDesk();
    const headers = { Cookie: `__Host-session=${await tokenIn(desk)}` };
    expect((await desk.request('/', { headers })).status).toBe(401);
  });

  it('refuses a cookie name that a subdomain could set', async () => {
    const desk = await openDesk();
    const headers = { Cookie: `session=${await desk.sign('session', { by: 'Eve' })}` };
    expect((await desk.request('/', { headers })).status).toBe(401);
  });

  it('shows no details of an error, which is logged', async () => {
    const silences = {
      ...inMemoryStores().silences,
      loadAll: () => Promise.reject(new Error('no such table')),
    };
    const desk = await openDesk({ silences });
    const response = await desk.request('/silences', { headers: { Cookie: await signedIn(desk) } });
    expect(response.status).toBe(500);
    const markup = await response.text();
    expect(markup).toContain('Request failed');
    expect(markup).not.toContain('no such table');
    expect(desk.logged).toMatchObject([
      { message: 'a request failed', fields: { error: expect.any(Error) } },
    ]);
  });

  it('has a form to sign out', async () => {
    const desk = await openDesk();
    const headers = { Cookie: await signedIn(desk) };
    expect(await (await desk.request('/', { headers })).text()).toContain('action="/sign-out"');
    const out = await desk.post('/sign-out', {}, headers);
    expect(out.headers.get('set-cookie')).toMatch(/^__Host-session=; Max-Age=0/);
  });

  it.each(['/assets/style.css', '/assets/icon.svg', '/assets/page.js', '/healthz'])(
    'serves %s without a session',
    async (path) => {
      const desk = await openDesk();
      expect((await desk.request(path)).status).toBe(200);
    },
  );
});

describe('behind an authorizer', () => {
  const desk = (name: string | undefined) =>
    openDesk({
      access: {
        kind: 'authorized',
        visitorOf: () => ({ name, grants: ADMIN }),
      } satisfies RespondDeps['access'],
    });

  it('a named user can enter, and answers under that name', async () => {
    const { request, post, stored } = await desk('anna@example.com');
    expect((await request('/')).status).toBe(200);
    await post('/alerts/answer', { rule: 'sales', answer: 'acknowledge', by: 'Other name' });
    expect((await stored()).acknowledged?.by).toBe('anna@example.com');
  });

  it.each([undefined, '', '\u200b'])('a request without a name is refused: %j', async (name) => {
    const { request, post, writes } = await desk(name);
    expect((await request('/')).status).toBe(401);
    expect((await post('/alerts/answer', { rule: 'sales', answer: 'accept', by: 'Eve' })).status).toBe(401);
    expect(writes).toEqual([]);
  });

  it('there are no sign-in links', async () => {
    const opened = await desk('anna@example.com');
    const response = await opened.post(await linkFor(opened));
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('on one machine', () => {
  const desk = () => openDesk({ access: { kind: 'open' }, publicUrl: 'http://127.0.0.1:4100' });

  it('no sign-in is needed', async () => {
    expect((await (await desk()).request('/')).status).toBe(200);
  });

  it('other host names are refused', async () => {
    const { app } = await desk();
    expect((await app.request('http://evil.example:4100/')).status).toBe(421);
    expect((await app.request('http://localhost:4100/')).status).toBe(200);
  });

  it('cookies work without HTTPS', async () => {
    const opened = await desk();
    const done = await opened.post('/alerts/answer', { rule: 'sales', answer: 'incident', by: 'Anna' });
    expect(done.headers.get('set-cookie')).toMatch(
      /^name=Anna; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });
});

it('a session outlives its link, but not its key', async () => {
  const desk = await openDesk();
  const cookie = await signedIn(desk);
  desk.clock.advanceTo(NOW + HOUR_MS);
  expect((await desk.request('/', { headers: { Cookie: cookie } })).status).toBe(200);
  const signer = signedLinks(async () => 'n'.repeat(43), desk.clock);
  const rotated = await openDesk({ access: { kind: 'session', command: 'npx deltawatch open', signer } });
  expect((await rotated.request('/', { headers: { Cookie: cookie } })).status).toBe(401);
});
