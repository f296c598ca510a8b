import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { publishOnChange } from '../../../../local/data/publish/publish-on-change.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../../../shared/runtime/errors.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'watch-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function importOnce() {
  await writeFile(join(dir, 'new'), '');
  await rename(join(dir, 'new'), join(dir, 'shop.duckdb'));
}

/** Runs the watch with these outcomes; stops it with the last one. */
async function watchWith(outcomes: readonly (() => Promise<void>)[]) {
  const stop = new AbortController();
  const logged: string[] = [];
  const left = [...outcomes];
  const logger = { info: () => {}, warn: () => {}, error: (message: string) => logged.push(message) };
  const publish = vi.fn(async () => {
    const outcome = left.shift();
    if (left.length === 0) stop.abort();
    await outcome?.();
  });
  const dataFile = join(dir, 'shop.duckdb');
  const ended = publishOnChange({ dataFile, publish, signal: stop.signal, logger, lookMs: 1, retryMs: 2 });
  await ended;
  return { calls: publish.mock.calls.length, logged };
}

test('an import during a publication causes another one', async () => {
  await importOnce();
  expect(await watchWith([importOnce, importOnce, async () => {}])).toEqual({ calls: 3, logged: [] });
});

test.each([
  new UpstreamError('S3 cannot be reached', { retryable: true }),
  new ConflictError('another process is publishing shop'),
])('after $name it tries again', async (error) => {
  await importOnce();
  const failing = () => Promise.reject(error);
  expect(await watchWith([failing, failing, async () => {}])).toEqual({
    calls: 3,
    logged: Array(2).fill('publishing failed; retrying in 0.002 s'),
  });
});

test.each([
  new UpstreamError('S3 refused: AccessDenied', { retryable: false }),
  new ConfigError('App shop has no data'),
])('it ends with $message', async (error) => {
  await expect(watchWith([() => Promise.reject(error), async () => {}])).rejects.toBe(error);
});
