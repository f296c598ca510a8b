import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  deltawatch,
  eventually,
  type Folder,
  freePort,
  launch,
  launchDeltawatch,
  RESTLESS_RULES,
  RULES,
  type Running,
  temporaryFolder,
} from '../fixtures/deltawatch.ts';

const DAY = 86_400_000;
/** Writing the shop takes ten seconds of a machine that has nothing else to do. */
const LIVE_MS = 150_000;

const healthSchema = z.object({ ok: z.literal(true), progress: z.object({ phase: z.string() }) });
const secretsSchema = z.record(z.string(), z.string());

type Started = Running & { port: number };

function get({ port }: Started, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`);
}

/** Settles once the system says it is in this phase; rejects with what it printed if it ends before. */
function inPhase(system: Started, wanted: string): Promise<unknown> {
  const isThere = async () => {
    const { progress } = healthSchema.parse(await (await get(system, '/healthz')).json());
    return progress.phase === wanted || undefined;
  };
  const reached = eventually(`being ${wanted}`, isThere, LIVE_MS);
  return Promise.race([reached, system.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
}

function inboxOf(state: string): string[] {
  const file = join(state, 'slack-inbox.ndjson');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** One process of the real binary from its first start to live, then ended and started again. */
describe('start', () => {
  let folder: Folder;
  let state: string;
  let system: Started;
  const begin = async () => {
    const port = await freePort();
    const args = ['start', '--days', '2', '--port', `${port}`, '--state', state, '--rules', RULES];
    system = { ...launchDeltawatch(args), port };
  };
  beforeAll(async () => {
    folder = await temporaryFolder();
    state = join(folder.path, 'state');
    await begin();
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test(
    'is there at once, goes through the past, and is live',
    async () => {
      await inPhase(system, 'catching-up');
      // Not asked meanwhile: each answer takes from the time of what is waited for.
      await eventually('the line', () => system.printed().includes('Now live') || undefined, LIVE_MS);
      await inPhase(system, 'live');
    },
    4 * LIVE_MS,
  );

  test.each([
    ['/', 'rules in force'],
    ['/alerts', 'Alerts'],
    ['/slack', 'What the channels were sent'],
    ['/rules', 'checkout-rage-by-android-version'],
  ])('has a page at %s', async (path, shown) => {
    const response = await get(system, path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(shown);
  });

  test('lets nobody without its key read the data, and does not say what was wrong', async () => {
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

  test('takes no message for its inbox from outside', async () => {
    const before = inboxOf(state);
    const response = await fetch(`http://127.0.0.1:${system.port}/services/inbox`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Origin: 'https://evil.example' },
      body: JSON.stringify({ text: 'everything is fine' }),
    });
    expect([response.status, inboxOf(state)]).toEqual([403, before]);
  });

  test('is alone with its port: another is told in a sentence and writes nothing', async () => {
    const other = join(folder.path, 'other');
    const { code, stdout, stderr } = await deltawatch([
      'start',
      '--port',
      `${system.port}`,
      '--state',
      other,
      '--rules',
      RULES,
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: port ${system.port} is taken; choose another with --port\n`,
    });
    expect(existsSync(other)).toBe(false);
  });

  test('is alone with its state', async () => {
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
      /^error: a Deltawatch runs in .* already: end it first, or choose another folder with --state\n$/,
    );
  });

  test('lets commands in while it runs, and takes up what they put in force', async () => {
    const args = ['apply', '--yes', '--json', '--as', 'ada', '--rules', RESTLESS_RULES, '--state', state];
    const { code, stdout } = await deltawatch(args);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { outcome: 'saved' }]);
    expect(await (await get(system, '/rules')).text()).toContain('sessions-by-platform');
  });

  test('ends with 0 on Ctrl-C, leaves nothing behind, and goes on where it stopped', async () => {
    const before = inboxOf(state);
    system.kill('SIGINT');
    expect((await system.ended).code).toBe(0);
    expect(existsSync(join(state, 'running.json'))).toBe(false);
    const server = createServer().listen(system.port, '127.0.0.1');
    await once(server, 'listening');
    server.close();

    await begin();
    await inPhase(system, 'live');
    expect(inboxOf(state).slice(0, before.length)).toEqual(before);
    expect(new Set(inboxOf(state)).size).toBe(inboxOf(state).length);
    expect(system.printed()).not.toContain('Writing the demo shop');
    system.kill('SIGTERM');
    expect((await system.ended).code).toBe(0);
  });

  test(
    'killed at any moment and started again, has told what it would have told undisturbed',
    async () => {
      const now = Math.floor(Date.now() / DAY) * DAY;
      const [undisturbed, killed] = [join(folder.path, 'undisturbed'), join(folder.path, 'killed')];
      for (const each of [undisturbed, killed])
        await cp(join(state, 'data'), join(each, 'data'), { recursive: true });

      const expected = await told(undisturbed, now, []);
      const actual = await told(killed, now, [
        ['SIGKILL', messages(killed, 1)],
        ['SIGKILL', messages(killed, 1)],
        ['SIGKILL', ticks(killed, 3)],
        ['SIGINT', ticks(killed, 2)],
        ['SIGKILL', messages(killed, 2)],
      ]);
      expect(expected.size).toBeGreaterThan(10);
      expect(actual).toEqual(expected);
    },
    4 * LIVE_MS,
  );
});

type Moment = () => () => true | undefined;

/** When this many more messages have come in. */
function messages(state: string, more: number): Moment {
  return () => {
    const before = inboxOf(state).length;
    return () => inboxOf(state).length >= before + more || undefined;
  };
}

/** When this many more ticks were run. */
function ticks(state: string, more: number): Moment {
  return () => {
    const file = join(state, 'ticks.json');
    const version = () => (existsSync(file) ? statSync(file).ino : 0);
    let [seen, changes] = [version(), 0];
    return () => {
      if (version() !== seen) changes += 1;
      seen = version();
      return changes >= more || undefined;
    };
  };
}

/** Everything the inbox was told by a system that goes through the past, ended at these moments. */
async function told(state: string, now: number, ends: [NodeJS.Signals, Moment][]): Promise<Set<string>> {
  for (const [signal, moment] of ends) {
    const isNow = moment();
    await using system = await startAt(state, now);
    await eventually('the moment', isNow);
    system.kill(signal);
    expect((await system.ended).code).toBe(signal === 'SIGKILL' ? null : 0);
    expect(system.printed()).not.toContain('Now live');
  }
  await using system = await startAt(state, now);
  await inPhase(system, 'live');
  return new Set(inboxOf(state).flatMap((line) => [...itemsOf(line)]));
}

async function startAt(state: string, now: number): Promise<Started> {
  const port = await freePort();
  const program = fileURLToPath(new URL('./start-at.ts', import.meta.url));
  return { ...launch(process.execPath, [program, state, `${port}`, `${now}`]), port };
}

const messageSchema = z.object({
  blocks: z.array(z.looseObject({ type: z.string(), text: z.looseObject({ text: z.string() }).optional() })),
});

/**
 * Each alert that a message tells of, by its headline and the day it is about: in how many messages they come may
 * differ, and with them how much is said of each.
 */
function* itemsOf(line: string): Generator<string> {
  const { blocks } = messageSchema.parse(JSON.parse(line));
  const texts = blocks.flatMap(({ text }) => text?.text ?? []);
  const dayIn = (text = '') => / on (\w{3} \d+ \w{3} \d{4})/.exec(text)?.[1] ?? '';
  const several = texts.flatMap((text) => {
    const [, headline, rest] = /^\S+ \*(.+)\*\n(.*)/.exec(text) ?? [];
    return headline === undefined ? [] : [`${headline}, ${dayIn(rest)}`];
  });
  if (several.length > 0) yield* several;
  else yield `${texts[0]?.replace(/^\S+ /, '')}, ${dayIn(texts[1])}`;
}
