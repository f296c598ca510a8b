import { expect, test } from 'vitest';
import { currentReadings } from '../../../local/replay/current-readings.ts';
import { inMemoryReadingStore } from '../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { aSnapshot } from '../../contracts/samples.ts';

test('readings are loaded from the kept ones once, and saved there too', async () => {
  const kept = inMemoryReadingStore();
  const [first, next] = [
    aSnapshot(),
    aSnapshot({ keys: ['session_count'], readAt: aSnapshot().readAt + HOUR_MS }),
  ];
  const { family, window } = first;
  const ever = { fromEndAt: 0, throughEndAt: window.endAt };
  await kept.save(first);
  const readings = currentReadings(kept);
  expect(await readings.load(family, ever)).toEqual([first]);
  await readings.save(next);
  expect(await readings.load(family, ever)).toHaveLength(2);
  expect(await kept.load(family, ever)).toHaveLength(2);
  kept.load = () => Promise.reject(new Error('loaded again'));
  expect(await readings.load(family, ever)).toHaveLength(2);
  expect(await currentReadings().load(family, ever)).toEqual([]);
});
