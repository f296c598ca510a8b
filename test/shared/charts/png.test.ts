import { expect, test } from 'vitest';
import { pngOf } from '../../../shared/charts/png.ts';
import { chartNamed } from '../../fixtures/charts.ts';

test('pngOf draws 1200 × 680 pixels in under 100 KB, the same in concurrent calls', async () => {
  const chart = chartNamed('Purchases fell');
  const drawn = (await Promise.all([pngOf(chart), pngOf(chart), pngOf(chart)])).map((each) =>
    Buffer.from(each),
  );
  const [png = Buffer.alloc(0), ...others] = drawn;
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 680]);
  expect(png.length).toBeLessThan(100_000);
  expect(others).toEqual([png, png]);
});
