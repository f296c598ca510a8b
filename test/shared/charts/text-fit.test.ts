import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-wasm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { pngOf } from '../../../shared/charts/png.ts';
import { cutBefore, cutTo, drawable, widthOf } from '../../../shared/charts/text-fit.ts';
import { chartNamed } from '../../fixtures/charts.ts';

const { resolve } = createRequire(import.meta.url);
let fontBuffers: Uint8Array[];
beforeAll(async () => {
  // A process can load the renderer only once, and pngOf loads it.
  await pngOf(chartNamed('Any'));
  fontBuffers = [await readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))];
});

/** The width as rendered in the shipped font, at 100 pixels. */
function drawnWidth(text: string): number {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="100" font-family="DejaVu Sans" font-size="100">${text}</text></svg>`;
  return new Resvg(svg, { font: { fontBuffers } }).getBBox()?.width ?? 0;
}

describe('widthOf', () => {
  test.each([
    'rage gestures per session, each day',
    'Rage gestures on Checkout by Android version',
    'PURCHASES AND REFUNDS',
    'events, each hour',
    '1,234,567.89%',
    'start of the day (Europe/Berlin), 24 Sept to 18 Nov 2026',
    'Заказы и возвраты',
    'checkout_completed per begin_checkout',
  ])('is between 0.97 and 1.25 of the rendered width: %s', (text) => {
    const part = widthOf(text, 100) / drawnWidth(text);
    expect(part).toBeGreaterThan(0.97);
    expect(part).toBeLessThan(1.25);
  });
});

test('cutTo returns a beginning of the text that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 20, max: 400 }), (text, width) => {
      const cut = cutTo(width, text, 13);
      expect(widthOf(cut, 13)).toBeLessThanOrEqual(width);
      expect(text.replace(/\s+/g, ' ').trim().startsWith(cut.replace(/…$/, ''))).toBe(true);
    }),
  );
});

test('cutBefore cuts the text before the suffix', () => {
  expect(cutBefore(': FR', 100, 'Purchases of a long name', 13)).toMatch(/^Purc.*…: FR$/);
  expect(cutBefore('', 400, 'Purchases', 13)).toBe('Purchases');
});

test.each([
  ['Ünïcode, ελληνικά, русский, עברית, عربى', 'Ünïcode, ελληνικά, русский, עברית, عربى'],
  ['5 → 6 · 100% #1 a_b', '5 → 6 · 100% #1 a_b'],
  ['注文 in 日本', '… in …'],
  ['👍🏽 done 👩‍👩‍👧 🇩🇪', '… done … …'],
])('drawable replaces only characters without a glyph: %s', (text, shown) => {
  expect(drawable(text)).toBe(shown);
});
