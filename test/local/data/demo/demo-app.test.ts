import { expect, test } from 'vitest';
import { writeDemoApp } from '../../../../local/data/demo/demo-app.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { MONDAY } from '../../../fixtures/builders.ts';
import { temporaryFolder } from '../../../fixtures/deltawatch.ts';

test('writeDemoApp reports the sorting after all days are written', async () => {
  await using folder = await temporaryFolder();
  const steps: string[] = [];
  await writeDemoApp({
    ...{ dir: folder.path, app: 'demo', seed: 1, from: MONDAY, until: MONDAY + DAY_MS },
    onProgress: ({ step, days, ofDays }) => steps.push(`${step} ${days}/${ofDays}`),
  });
  expect(steps.at(0)).toBe('Writing the demo shop 1/1');
  expect(steps.at(-1)).toBe('Sorting the demo shop 1/1');
});
