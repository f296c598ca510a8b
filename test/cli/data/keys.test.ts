import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keysCommand } from '../../../cli/data/keys.ts';
import { keysIn } from '../../../functions/data-access/apps/key-file.ts';
import { hashOf } from '../../../shared/access/api-key.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { openEmulatedTable } from '../../fixtures/dynamodb.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';
import { onRunning } from '../operated.ts';

const NOW = Date.UTC(2026, 2, 20, 9, 30);

let dir: string;
let clock: ManualClock;
let printed: string[];
let said: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'keys-command-'));
  clock = new ManualClock(NOW);
  [printed, said] = [[], []];
  vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(...text.split('\n')));
  vi.spyOn(console, 'error').mockImplementation((text: string) => said.push(...text.split('\n')));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

const runAt = (place: string[], ...args: string[]) =>
  keysCommand(clock).parseAsync([...args, ...place], { from: 'user' });
const run = (...args: string[]) => runAt(['--data', dir], ...args);

async function created(...args: string[]): Promise<{ text: string; id: string }> {
  printed = [];
  await run('create', '--app', 'shop', ...args);
  const [text = ''] = printed;
  printed = [];
  return { text, id: hashOf(text).slice(0, 12) };
}

describe('keys create', () => {
  it('prints only the key, and stores its hash and apps', async () => {
    await run(
      'create',
      '--app',
      'shop',
      '--app',
      'blog',
      '--app',
      'shop',
      '--name',
      'ci',
      '--expires',
      '90d',
    );
    expect(printed).toEqual([expect.stringMatching(/^dwk_[\w-]{43}$/)]);
    const [text = ''] = printed;
    expect(await keysIn(dir).find(hashOf(text))).toMatchObject({
      name: 'ci',
      apps: ['shop', 'blog'],
      createdAt: NOW,
      expiresAt: NOW + 90 * DAY_MS,
    });
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'utf8')));
    expect(files.join()).not.toContain(text);
    expect(said.join('\n')).toContain('X-Api-Key: <key>');
    expect(said.join('\n')).not.toContain(text);
  });

  it('names the file that it cannot write, as a full disk does not', async () => {
    await mkdir(join(dir, 'keys.json'));
    await expect(run('create', '--app', 'shop')).rejects.toMatchObject({ path: join(dir, 'keys.json') });
  });

  it('takes a date with --expires; without it the key never expires', async () => {
    const { text } = await created('--expires', '2026-12-31');
    expect((await keysIn(dir).find(hashOf(text)))?.expiresAt).toBe(Date.UTC(2026, 11, 31));
    expect((await keysIn(dir).find(hashOf((await created()).text)))?.expiresAt).toBeUndefined();
  });

  it.each([
    ['an invalid app id', ['--app', '../shop']],
    ['an expiry in the past', ['--app', 'shop', '--expires', '2026-03-01']],
    ['an expiry that is not a date', ['--app', 'shop', '--expires', 'soon']],
    ['a folder and a table', ['--app', 'shop', '--table', 't']],
  ])('reports wrong usage for %s', async (_, args) => {
    await expect(run('create', ...args)).rejects.toMatchObject({ name: 'CommanderError' });
    expect(await readdir(dir)).toEqual([]);
  });
});

describe('keys list', () => {
  it('says where tokens are when there is no API key', async () => {
    await run('list');
    expect(printed).toEqual(['No API keys. Tokens for alerts: keys list --alerts']);
  });

  it('prints a table in 80 columns, oldest key first, without hashes', async () => {
    const old = await created('--name', 'of a very long name indeed', '--expires', '2d');
    await clock.sleep(DAY_MS);
    const { text, id } = await created(...Array.from({ length: 12 }, (_, i) => ['--app', `app-${i}`]).flat());
    await keysIn(dir).noteUse({ id, sha256: hashOf(text), apps: [] }, clock.now());
    await run('revoke', id);
    await clock.sleep(DAY_MS);
    printed = [];
    await run('list');
    expect(printed.slice(0, 6)).toEqual([
      'ID            STATE    CREATED     EXPIRES     LAST USED   NAME          APPS',
      `${old.id}  expired  2026-03-20  2026-03-22  never       of a very     shop`,
      '                                                           long name',
      '                                                           indeed',
      `${id}  revoked  2026-03-21  never       2026-03-21  -             shop,`,
      '                                                                         app-0,',
    ]);
    expect(printed.every((line) => line.length <= 80)).toBe(true);
  });

  it('prints a JSON line per key with --json', async () => {
    const { text, id } = await created('--name', 'ci');
    await run('list', '--json');
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      {
        id,
        name: 'ci',
        apps: ['shop'],
        state: 'good',
        createdAt: new Date(NOW).toISOString(),
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      },
    ]);
    expect(printed.join()).not.toContain(hashOf(text));
  });
});

describe('keys revoke', () => {
  it('keeps the time of the first revocation', async () => {
    const { id } = await created();
    await run('revoke', id);
    await clock.sleep(DAY_MS);
    await run('revoke', id);
    expect(printed[0]).toBe(`Revoked key ${id}.`);
    expect(await keysIn(dir).list()).toMatchObject([{ revokedAt: NOW }]);
  });

  it('fails for an unknown key', async () => {
    await expect(run('revoke', 'nobody')).rejects.toMatchObject({ name: 'ConfigError' });
  });

  it('says what to do if another process is changing the keys', async () => {
    const { id } = await created();
    await writeFile(join(dir, 'keys.writing'), '4711');
    await expect(run('revoke', id)).rejects.toThrow(
      /process 4711 is changing the keys.*delete .*keys\.writing/,
    );
  });
});

it('keys --table stores keys in DynamoDB', async () => {
  const table = await openEmulatedTable(clock);
  await using port = await portOf(table.socketPath);
  vi.stubEnv('AWS_ENDPOINT_URL', port.url);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  try {
    const place = ['--table', table.name];
    await runAt(place, 'create', '--app', 'shop');
    const id = hashOf(printed[0] ?? '').slice(0, 12);
    await runAt(place, 'revoke', id);
    await runAt(place, 'list');
    expect(printed.slice(1).join('\n')).toMatch(new RegExp(`Revoked key ${id}.\n.*\n${id} .* revoked`));
  } finally {
    await table.close();
  }
});

describe('tokens of the interface of alerts', () => {
  const running = onRunning();
  const keys = (...args: string[]) => running.run(keysCommand(running.clock), ...args);

  it('are created, listed and revoked in the installation, not in the data', async () => {
    const text = await keys('create', '--alerts', 'answer', '--name', 'robot');
    const id = hashOf(text).slice(0, 12);
    expect(running.said()).toContain(`Token ${id} may read and answer alerts.`);
    expect(running.said()).not.toContain(text);
    expect(await keys('list', '--alerts')).toMatch(new RegExp(`SCOPE\\s+${id}  good .* robot +answer`));
    expect(JSON.parse(await keys('list', '--alerts', '--json'))).toMatchObject({
      id,
      scope: 'answer',
      apps: [],
    });
    expect(await keys('revoke', id, '--alerts')).toBe(`Revoked key ${id}.`);
    expect(await keys('list', '--alerts')).toContain(`${id}  revoked`);
    await expect(keys('revoke', 'gone', '--alerts')).rejects.toThrow('there is no key gone');
    await running.clock.sleep(DAY_MS);
    await keys('revoke', id, '--alerts');
    const kinds = (await running.stores().audit.load({ atMost: 9 })).map(({ kind, on }) => [kind, on]);
    expect(kinds.toSorted()).toEqual([
      ['token-created', id],
      ['token-revoked', id],
    ]);
  });

  it('can be for some apps', async () => {
    await keys('create', '--alerts', 'read', '--app', 'shop', '--app', 'web');
    expect(running.said()).toContain('may read alerts of shop, web.');
    expect(await keys('list', '--alerts')).toMatch(/read:\s+shop, web/);
    expect(JSON.parse(await keys('list', '--alerts', '--json'))).toMatchObject({ apps: ['shop', 'web'] });
  });

  it.each([
    ['no kind', ['create'], 'give --app for a key of the data, or --alerts for a token'],
    ['an unknown scope', ['create', '--alerts', 'admin'], 'Allowed choices are read, answer'],
    ['a folder of data', ['list', '--alerts', '--data', 'x'], 'cannot be used with option'],
    ['a stage without tokens', ['list', '--stage', 'production'], '--stage requires --alerts'],
  ])('refuse %s', async (_, args, message) => {
    const command = keysCommand(running.clock);
    for (const each of [command, ...command.commands])
      each.exitOverride().configureOutput({ writeErr: () => {} });
    await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
  });
});
