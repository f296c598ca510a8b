import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadTicked, saveTicked, tickedAt } from '../../local/catch-up-progress.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { MONDAY } from '../fixtures/builders.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

test('tickedAt stores a time just before the tick, so that the tick runs again', async () => {
  await using folder = await temporaryFolder();
  expect(await loadTicked(folder.path, ['sales'])).toEqual(new Map());
  const ticked = tickedAt(new Map([['searches', MONDAY]]), ['sales'], MONDAY + HOUR_MS);
  await saveTicked(folder.path, ticked);
  const kept = [...(await loadTicked(folder.path, ['sales']))];
  expect(kept).toEqual([
    ['searches', MONDAY],
    ['sales', MONDAY + HOUR_MS - 1],
  ]);
});

test('loadTicked applies the single time of an older version to every rule', async () => {
  await using folder = await temporaryFolder();
  const text = JSON.stringify({ tickedThrough: new Date(MONDAY).toISOString() });
  await writeFile(join(folder.path, 'ticks.json'), text);
  expect([...(await loadTicked(folder.path, ['sales', 'searches']))]).toEqual([
    ['sales', MONDAY],
    ['searches', MONDAY],
  ]);
});
