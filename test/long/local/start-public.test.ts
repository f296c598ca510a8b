import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addLocalSecret } from '../../../local/secrets.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import {
  deltawatch,
  eventually,
  freePort,
  launchDeltawatch,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';
import { writeOwnShop } from '../../fixtures/own-shop.ts';
import { SECRET, signed } from '../../functions/respond/slack-signature.ts';

const PUBLIC = 'https://alerts.example.com';
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

test('a public page requires a sign-in link of "deltawatch open"', async () => {
  await using folder = await temporaryFolder();
  const busyAt = TODAY - 2 * DAY_MS;
  const { rules, state } = await writeOwnShop(folder.path, {
    ...{ firstAt: TODAY - 4 * DAY_MS, lastAt: Date.now(), busyAt },
  });
  await addLocalSecret(join(state, 'secrets.json'), 'slack-signing-secret', SECRET);
  const port = await freePort();
  const options = ['--rules', rules, '--state', state, '--port', `${port}`, '--host', '0.0.0.0'];
  const open = await deltawatch(['start', ...options]);
  expect(open.stderr).toContain('error: --host 0.0.0.0 requires --public');
  expect(open.code).toBe(2);

  await using system = launchDeltawatch(['start', ...options, '--public', `${PUBLIC}/`]);
  await eventually('being live', () => system.printed().includes('Now live') || undefined);
  expect(system.printed()).toContain(`Deltawatch is at ${PUBLIC}\n`);
  const root = `http://127.0.0.1:${port}`;
  const statusOf = async (path: string) => (await fetch(root + path)).status;
  const paths = ['/healthz', '/', '/slack', '/api/data-access/v1/event', '/v2/events', '/api/v1/alerts'];
  expect(await Promise.all(paths.map(statusOf))).toEqual([200, 401, 401, 401, 401, 401]);

  expect(await (await fetch(root)).text()).toContain(`<code>npx deltawatch open --state ${state}</code>`);
  const { stdout } = await deltawatch(['open', '--state', state, '--as', 'Anna', '--to', '/slack']);
  expect(stdout).toMatch(/^https:\/\/alerts\.example\.com\/sign-in\/[\w.-]+\n$/);
  const link = new URL(stdout.trim());
  const signedIn = await fetch(root + link.pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: PUBLIC },
  });
  expect(signedIn.status).toBe(303);
  const [session = ''] = signedIn.headers.getSetCookie();
  expect(session).toMatch(/^__Host-session=.*; HttpOnly; Secure/);
  const inbox = await fetch(`${root}/slack`, { headers: { Cookie: session.split(';')[0] ?? '' } });
  expect(inbox.status).toBe(200);
  expect(await inbox.text()).toContain(`${PUBLIC}/a/`);

  const token = await deltawatch(['keys', 'create', '--alerts', 'read', '--state', state]);
  const headers = { Authorization: `Bearer ${token.stdout.trim()}` };
  const listed = await fetch(`${root}/api/v1/rules`, { headers });
  expect(await listed.json()).toMatchObject({ data: [{ health: 'ok' }, { health: 'ok' }], unreadable: [] });
  const note = { method: 'POST', headers, body: JSON.stringify({ text: 'release 7.22' }) };
  expect((await fetch(`${root}/api/v1/notes`, note)).status).toBe(403);
  expect((await fetch(`${root}/slack`, { headers })).status).toBe(401);

  const body = new URLSearchParams({ text: 'list', user_id: 'U1', trigger_id: '1.2' }).toString();
  const command = async (at: number) => {
    const signature = signed(body, { at });
    return fetch(`${root}/slack/commands`, { method: 'POST', headers: signature, body });
  };
  expect((await command(Date.now() - DAY_MS)).status).toBe(401);
  expect(await (await command(Date.now())).json()).toMatchObject({ response_type: 'ephemeral' });
  system.kill('SIGINT');
  expect((await system.ended).code).toBe(0);
});
