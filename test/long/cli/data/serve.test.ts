import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  deltawatch,
  eventually,
  freePort,
  launchDeltawatch,
  type Running,
  temporaryFolder,
} from '../../../fixtures/deltawatch.ts';
import { session, writeData } from '../../../functions/data-access/sample-app.ts';

const USERS = '/api/data-access/v1/user';
const pageSchema = z.object({ pagination: z.object({ next_cursor: z.string() }) });

async function folderWithShop() {
  const folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  await mkdir(data);
  await writeFile(join(data, 'shop.json'), '{"id":"shop","name":"Shop"}');
  const recorded_at = new Date(Date.now() - 3_600_000).toISOString();
  const sessions = Array.from({ length: 3 }, () => session({ recorded_at }));
  await writeData(join(data, 'shop.duckdb'), { sessions });
  return folder;
}

const serve = (folder: string, port: number, ...more: string[]) =>
  launchDeltawatch(['serve', '--data', 'data', '--port', String(port), ...more], folder);

/** Waits until the service answers /health. */
const healthOf = (port: number) =>
  eventually('the service', async () => (await fetch(`http://127.0.0.1:${port}/health`)).json());

async function stopped(running: Running) {
  running.kill('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter(Boolean);
  return { requests: lines.map((line): unknown => JSON.parse(line)), stderr, stdout };
}

describe('deltawatch serve', () => {
  test('accepts new keys, logs no keys, and continues cursors after a restart', async () => {
    await using folder = await folderWithShop();
    const port = await freePort();
    let key = '';
    const users = (body: object) =>
      fetch(`http://127.0.0.1:${port}${USERS}`, {
        method: 'POST',
        headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ app_id: 'shop', page_size: 1, ...body }),
      });

    await using first = serve(folder.path, port);
    expect(await healthOf(port)).toMatchObject({
      status: 'unavailable',
      problem: expect.stringContaining('no API key'),
    });
    const made = await deltawatch(['keys', 'create', '--data', 'data', '--app', 'shop'], folder.path);
    key = made.stdout.trim();
    expect(await healthOf(port)).toEqual({ status: 'ok' });
    const keys = join(folder.path, 'data/keys.json');
    const good = await readFile(keys);
    await writeFile(keys, good.subarray(0, 20));
    expect(await healthOf(port)).toEqual({
      status: 'unavailable',
      problem: 'keys.json cannot be read or has an invalid format',
    });
    await writeFile(keys, good);
    await writeFile(join(folder.path, 'data/keys.used.json'), '{}x');
    expect(await healthOf(port)).toEqual({ status: 'ok' });
    await rm(join(folder.path, 'data/keys.used.json'));
    const page = pageSchema.parse(await (await users({})).json());
    await fetch(`http://127.0.0.1:${port}/v2/event?appid=shop&apikey=${key}`);
    const { requests, stderr, stdout } = await stopped(first);
    expect(stderr).toContain(`The data access service is at http://127.0.0.1:${port}`);
    expect(stderr).toContain('data holds 1 app: shop');
    expect(stderr).toContain('note: there is no API key yet');
    expect(stdout + stderr).not.toContain(key);
    expect(requests).toContainEqual(
      expect.objectContaining({ message: 'request', path: USERS, status: 200, appId: 'shop', rows: 1 }),
    );

    await using second = serve(folder.path, port);
    await healthOf(port);
    const next = await users({ cursor: page.pagination.next_cursor });
    expect(next.status).toBe(200);
    expect((await stat(join(folder.path, 'data/service.secrets.json'))).mode & 0o777).toBe(0o600);
    await stopped(second);
  });

  test('chooses a free port for --port 0, and prints it', async () => {
    await using folder = await folderWithShop();
    await using served = serve(folder.path, 0);
    const printed = () => /service is at http:\/\/127\.0\.0\.1:(\d+)/.exec(served.printed())?.[1];
    expect(await healthOf(Number(await eventually('the port', printed)))).toMatchObject({
      status: 'unavailable',
    });
    await stopped(served);
  });

  test.each([
    [['--data', 'nowhere'], 'there is no folder nowhere'],
    [['--data', '.', '--cors', '*'], '"*" is not an origin'],
  ])('rejects %j in one sentence', async (args, said) => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await deltawatch(['serve', ...args], folder.path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]*(\n {2}[^\n]*)*\n$/);
    expect(stderr).toContain(said);
  });
});
