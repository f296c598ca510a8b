import { expect, test } from 'vitest';
import { openFigures } from '../../../cli/options/figures.ts';
import { configSchema } from '../../../shared/config/config.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const need = {
  ruleSet: ruleSetOf(ruleNamed('a', { app: 'shop' })),
  from: MONDAY,
  to: MONDAY + DAY_MS,
  clock: new ManualClock(MONDAY + DAY_MS),
};

test('openFigures says what to do without a source', async () => {
  await using folder = await temporaryFolder();
  await expect(openFigures({}, need)).rejects.toThrow(
    'there is no data for the app "shop" in .deltawatch/data: import it with "deltawatch data import", use',
  );
  await expect(openFigures({ data: folder.path }, need)).rejects.toThrow(
    `there is no data for the app "shop" in ${folder.path}`,
  );
  const config = configSchema.parse({ figures: { service: 'https://data.example.com' } });
  const project = { dir: folder.path, file: undefined, config };
  await expect(openFigures({ project }, need)).rejects.toThrow(
    'figures of deltawatch.config.ts needs apiKey',
  );
});
