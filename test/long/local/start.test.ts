import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { writeDemoApp } from '../../../local/data/demo/demo-app.ts';
import { DEMO } from '../../../local/demo-data.ts';
import { LAYOUT_VERSION } from '../../../shared/contract/tables.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import {
  deltawatch,
  type Folder,
  freePort,
  launchDeltawatch,
  RESTLESS_RULES,
  RULES,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';
import { get, inboxOf, inPhase, LIVE_MS, printed, type Started } from '../../local/killed-start.ts';

const secretsSchema = z.record(z.string(), z.string());

/** Writes a shorter demo shop into `data`, as an earlier start would leave it. */
async function writeShortDemoShop(data: string): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const until = today + 5 * DAY_MS;
  await writeDemoApp({ dir: data, app: DEMO, seed: 1, from: today - 20 * DAY_MS, until });
  const coverage = { until: new Date(until).toISOString(), layout: LAYOUT_VERSION };
  await writeFile(join(data, 'demo.coverage.json'), JSON.stringify(coverage));
}

/**
 * Starts the real binary until it is live, ends it and starts it again. test/soak/killed-start.test.ts waits for a
 * first start that writes the whole demo shop.
 */
describe('start', () => {
  let folder: Folder;
  let state: string;
  let data: string;
  let system: Started;
  const begin = async () => {
    const port = await freePort();
    const args = ['start', '--days', '1', '--port', `${port}`, '--state', state, '--rules', RULES];
    system = { ...launchDeltawatch(args), port };
  };
  beforeAll(async () => {
    folder = await temporaryFolder();
    state = join(folder.path, 'state');
    data = join(folder.path, 'data');
    await writeShortDemoShop(data);
    await begin();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('serves at once while it writes the demo shop, and can be ended', async () => {
    await inPhase(system, 'catching-up');
    await printed(system, 'Writing the demo shop 25%');
    system.kill('SIGINT');
    expect((await system.ended).code).toBe(0);
    expect(await readdir(join(state, 'data'))).toEqual([]);
  });

  test(
    'replays the past, then goes live',
    async () => {
      await cp(data, join(state, 'data'), { recursive: true });
      await begin();
      await inPhase(system, 'catching-up');
      // Does not poll meanwhile: each request would slow the replay.
      await printed(system, 'Now live');
      await inPhase(system, 'live');
      expect(
        system
          .printed()
          .split(/[\r\n]/)
          .filter((line) => line.length > 80),
      ).toEqual([]);
    },
    4 * LIVE_MS,
  );

  test.each([
    ['/', 'active rules'],
    ['/alerts', 'Alerts'],
    ['/slack', 'Messages that this machine kept'],
    ['/rules', 'checkout-rage-by-android-version'],
  ])('serves a page at %s', async (path, shown) => {
    const response = await get(system, path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(shown);
  });

  test('returns 401 without a valid key, and does not reveal which apps exist', async () => {
    const ask = async (key: string, app: string) => {
      const response = await fetch(`http://127.0.0.1:${system.port}/api/data-access/v1/user`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
        body: JSON.stringify({ app_id: app }),
      });
      return { status: response.status, body: await response.text() };
    };
    const file = join(state, 'secrets.json');
    const key = secretsSchema.parse(JSON.parse(await readFile(file, 'utf8')))['data-access-key'] ?? '';
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const wrongKey = await ask('wrong', 'demo');
    expect(wrongKey.status).toBe(401);
    expect(await ask('wrong', 'nothing')).toEqual(wrongKey);
    expect((await ask(key, 'nothing')).status).toBe(403);
    expect((await ask(key, 'demo')).status).toBe(200);
    expect(system.printed()).not.toContain(key);
  });

  test('rejects a message to the inbox from another origin', async () => {
    const before = inboxOf(state);
    const response = await fetch(`http://127.0.0.1:${system.port}/services/inbox`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Origin: 'https://evil.example' },
      body: JSON.stringify({ text: 'everything is fine' }),
    });
    expect([response.status, inboxOf(state)]).toEqual([403, before]);
  });

  test('a second start with the same state fails', async () => {
    const { code, stderr } = await deltawatch([
      'start',
      '--port',
      `${await freePort()}`,
      '--state',
      state,
      '--rules',
      RULES,
    ]);
    expect(code).toBe(1);
    expect(stderr.replaceAll('\n  ', ' ')).toMatch(
      /^error: a Deltawatch is already running in .*: stop it first, or use another folder with --state\n$/,
    );
  });

  test('accepts commands while it runs, and loads the rules they deploy', async () => {
    const args = ['apply', '--yes', '--json', '--as', 'ada', '--rules', RESTLESS_RULES, '--state', state];
    const { code, stdout } = await deltawatch(args);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { outcome: 'saved' }]);
    expect(await (await get(system, '/rules')).text()).toContain('sessions-by-platform');
  });

  test('exits with 0 on Ctrl-C, and the next start continues', async () => {
    const before = inboxOf(state);
    system.kill('SIGINT');
    expect((await system.ended).code).toBe(0);
    expect(existsSync(join(state, 'running.json'))).toBe(false);
    const server = createServer().listen(system.port, '127.0.0.1');
    await once(server, 'listening');
    server.close();

    await begin();
    await printed(system, 'Now live');
    await inPhase(system, 'live');
    expect(inboxOf(state).slice(0, before.length)).toEqual(before);
    expect(new Set(inboxOf(state)).size).toBe(inboxOf(state).length);
    expect(system.printed()).not.toContain('Writing the demo shop');
    system.kill('SIGTERM');
    expect((await system.ended).code).toBe(0);
  });
});
