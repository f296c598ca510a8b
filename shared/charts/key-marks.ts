import type { Mark } from 'vega';
import { type Key, SAMPLE, TEXT_AT } from './chart-key.ts';
import { BAND_OPACITY, type ChartStyle } from './looks.ts';

/** A sample of each mark with its words. */
export function keyMarks(keys: Key[], style: ChartStyle): Mark[] {
  return keys.flatMap((key) => [sampleOf(key, style), wordsOf(key, style)]);
}

function wordsOf({ text, x, y }: Key, { fontSize, fontFamily, colours }: ChartStyle): Mark {
  return {
    type: 'text',
    encode: {
      enter: {
        x: { value: x + TEXT_AT },
        y: { value: y },
        text: { value: text },
        baseline: { value: 'middle' },
        font: { value: fontFamily },
        fontSize: { value: fontSize },
        fill: { value: colours.text },
      },
    },
  };
}

function sampleOf({ mark, x, y }: Key, { colours }: ChartStyle): Mark {
  const line = { x: { value: x }, x2: { value: x + SAMPLE }, y: { value: y } };
  const block = { ...line, y: { value: y - 6 }, y2: { value: y + 6 } };
  switch (mark) {
    case 'line':
      return {
        type: 'rule',
        encode: { enter: { ...line, stroke: { value: colours.accent }, strokeWidth: { value: 2.5 } } },
      };
    case 'expected':
      return {
        type: 'rule',
        encode: {
          enter: {
            ...line,
            stroke: { value: colours.quiet },
            strokeWidth: { value: 1.25 },
            strokeDash: { value: [4, 3] },
          },
        },
      };
    case 'band':
      return {
        type: 'rect',
        encode: {
          enter: { ...block, fill: { value: colours.accent }, fillOpacity: { value: BAND_OPACITY } },
        },
      };
    case 'labelled':
      return {
        type: 'rect',
        encode: {
          enter: { ...line, y: { value: y - 2 }, y2: { value: y + 3 }, fill: { value: colours.text } },
        },
      };
    case 'compared':
      return {
        type: 'rule',
        encode: {
          enter: {
            ...line,
            stroke: { value: colours.text },
            strokeWidth: { value: 1.5 },
            strokeDash: { value: [7, 2] },
          },
        },
      };
    case 'note':
      return {
        type: 'rule',
        encode: {
          enter: {
            x: { value: x + SAMPLE / 2 },
            y: { value: y - 7 },
            y2: { value: y + 7 },
            stroke: { value: colours.text },
            strokeWidth: { value: 1.25 },
            strokeDash: { value: [2, 3] },
          },
        },
      };
    case 'breached':
      return {
        type: 'symbol',
        encode: {
          enter: {
            x: { value: x + SAMPLE / 2 },
            y: { value: y },
            shape: { value: 'diamond' },
            size: { value: 90 },
            fill: { value: colours.bad },
          },
        },
      };
  }
}
