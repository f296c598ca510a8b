import { expect, test } from 'vitest';
import { loadTicked, saveTicked, tickedAt } from '../../local/catch-up.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { MONDAY } from '../fixtures/builders.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

test('tickedAt stores a time just before the tick, so that the tick runs again', async () => {
  await using folder = await temporaryFolder();
  expect(await loadTicked(folder.path)).toEqual(new Map());
  const ticked = tickedAt(new Map([['searches', MONDAY]]), ['sales'], MONDAY + HOUR_MS);
  await saveTicked(folder.path, ticked);
  const kept = [...(await loadTicked(folder.path))];
  expect(kept).toEqual([
    ['searches', MONDAY],
    ['sales', MONDAY + HOUR_MS - 1],
  ]);
});
