import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoDataFor, requireApps, simulate } from '../../../local/simulate.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const SPAN = { from: MONDAY, to: MONDAY + 2 * DAY_MS, seed: 1 };

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

test('demoDataFor writes a span once, and again after an interruption', async () => {
  const cutOff = demoDataFor(SPAN, folder.path, () => {
    throw new Error('cut off');
  });
  await expect(cutOff).rejects.toThrow('cut off');
  const dir = await demoDataFor(SPAN, folder.path);
  const file = join(dir, 'demo.duckdb');
  const { size, ino, mtimeMs } = await stat(file);
  expect(size).toBeGreaterThan(0);
  expect(await demoDataFor(SPAN, folder.path)).toBe(dir);
  expect(await stat(file)).toMatchObject({ ino, mtimeMs });
});

test('simulate runs after the start up to the end, and reports progress', async () => {
  const rule = ruleNamed('views', {
    filters: [{ attribute: 'event_name', operator: 'equal', value: 'view_item' }],
    every: 'hour',
    fire: { difference: { above: 1 } },
    confidence: 0.5,
  });
  const dataDir = await demoDataFor(SPAN, folder.path);
  const done: number[] = [];
  const sent = [];
  for await (const each of simulate({
    ruleSet: ruleSetOf(rule),
    from: MONDAY + 4 * HOUR_MS,
    to: MONDAY + 10 * HOUR_MS,
    dataDir,
    onProgress: (at, total) => done.push(at / total),
  }))
    sent.push(each);
  expect(done).toEqual([1, 2, 3, 4, 5, 6].map((hour) => hour / 6));
  expect(sent.length).toBeGreaterThan(0);
  const first = new Date(MONDAY + 4 * HOUR_MS).toISOString();
  expect(sent.every(({ windowEnd }) => windowEnd >= first)).toBe(true);
});

test('requireApps names an app without data', async () => {
  await expect(requireApps(ruleSetOf(ruleNamed('a', { app: 'shop' })), folder.path)).rejects.toThrow(
    'has no data for the app "shop": import it with: deltawatch data import',
  );
});
