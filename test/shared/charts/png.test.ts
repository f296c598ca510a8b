import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pngOf } from '../../../shared/charts/png.ts';
import { pngFile } from '../../../shared/charts/png-file.ts';
import { chartNamed } from '../../fixtures/charts.ts';

/** The size of a PNG and its rows without filter bytes, three bytes per pixel. */
function parsed(png: Buffer) {
  const idatAt = png.indexOf('IDAT');
  const idat = png.subarray(idatAt + 4, idatAt + 4 + png.readUInt32BE(idatAt - 4));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const raw = inflateSync(idat);
  const rows = Array.from({ length: height }, (_, y) =>
    raw.subarray(y * (3 * width + 1) + 1, (y + 1) * (3 * width + 1)),
  );
  return { width, height, rows };
}

test('pngFile keeps the pixels unchanged', () => {
  const pixels = Uint8Array.from([1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255]);
  const png = pngFile(pixels, 2, 2);
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(parsed(png).rows.map((row) => [...row])).toEqual([
    [1, 2, 3, 4, 5, 6],
    [7, 8, 9, 10, 11, 12],
  ]);
});

test('pngOf draws 1200 × 680 pixels with text on white, under 100 KB', async () => {
  const png = Buffer.from(await pngOf(chartNamed('Purchases fell')));
  const { width, height, rows } = parsed(png);
  expect([width, height]).toEqual([1200, 680]);
  expect(png.length).toBeLessThan(100_000);
  expect([...(rows[340]?.subarray(12, 15) ?? [])]).toEqual([255, 255, 255]);
  // Only the title lies between the edge and the legend.
  const dark = rows
    .slice(20, 70)
    .flatMap((row) => [...row])
    .filter((channel) => channel < 60);
  expect(dark.length).toBeGreaterThan(1000);
});

test('pngOf draws the same image in concurrent calls', async () => {
  const chart = chartNamed('Purchases');
  const [first, ...others] = await Promise.all([pngOf(chart), pngOf(chart), pngOf(chart)]);
  expect(others).toEqual([first, first]);
});
