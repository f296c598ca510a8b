import type { Mark } from 'vega';
import { BAND_OPACITY, type ChartStyle, LIMIT_WIDTH } from './looks.ts';

/** Between the end of the line and its figure. */
const END_GAP = 9;

type Channels = Record<string, unknown>;

/** A mark for each row of `data`. A channel is a constant, or an object of Vega's encoding. */
function mark(type: Mark['type'], data: string, channels: Channels): Mark {
  const enter = Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => {
      const isConstant = typeof channel !== 'object' || Array.isArray(channel);
      return [name, isConstant ? { value: channel } : channel];
    }),
  );
  // The chart has one description as a whole. Otherwise, screen readers read out its parts.
  return { type, from: { data }, aria: false, encode: { enter } } as Mark;
}

/** A position on a scale, to a tenth of a pixel: more digits would double the size of a month of hours. */
const at = (scale: 'x' | 'y', field: string, shift = 0) => ({
  signal: `round(10 * scale('${scale}', datum.${field})) / 10 + ${shift}`,
});
const BOTTOM = { signal: 'height' };

/** In drawing order: notes, times that breached, expectations, values, and texts. */
export function marksOf({ fontSize, fontFamily, colours }: ChartStyle): Mark[] {
  const { accent, bad, ground, quiet, text } = colours;
  const letters = { font: fontFamily, fontSize, text: { field: 'text' } };
  const note = { x: at('x', 'at'), stroke: text, strokeWidth: 1.25, strokeDash: [2, 3] };
  const limit = { x: at('x', 'at'), stroke: bad, strokeWidth: LIMIT_WIDTH };
  const value = { x: at('x', 'at'), y: at('y', 'value') };
  return [
    mark('rule', 'notes', { ...note, y: -2, y2: BOTTOM }),
    mark('text', 'notes', {
      ...{ ...letters, x: at('x', 'at'), y: -5, align: 'center', fontWeight: 'bold', fill: text },
    }),
    mark('rect', 'troubles', {
      ...{
        x: at('x', 'startAt', -4),
        x2: at('x', 'endAt', 4),
        y: 0,
        y2: BOTTOM,
        fill: bad,
        fillOpacity: 0.12,
      },
    }),
    mark('area', 'points', {
      ...{ x: at('x', 'at'), y: at('y', 'high'), y2: at('y', 'low'), defined: { field: 'hasRange' } },
      ...{ fill: accent, fillOpacity: BAND_OPACITY },
    }),
    mark('line', 'points', {
      ...{ x: at('x', 'at'), y: at('y', 'expected'), defined: { field: 'hasExpected' } },
      ...{ stroke: quiet, strokeWidth: 1.25, strokeDash: [4, 3] },
    }),
    mark('line', 'points', { ...limit, y: at('y', 'low'), defined: { field: 'hasLow' } }),
    mark('line', 'points', { ...limit, y: at('y', 'high'), defined: { field: 'hasHigh' } }),
    mark('line', 'points', {
      ...{ ...value, defined: { field: 'hasValue' }, stroke: accent, strokeWidth: 2 },
      ...{ strokeJoin: 'round', strokeCap: 'round' },
    }),
    mark('symbol', 'lone', { ...value, size: 26, fill: accent }),
    mark('symbol', 'breaches', {
      ...{ ...value, shape: 'diamond', size: { field: 'size' }, fill: bad, stroke: ground, strokeWidth: 1.5 },
    }),
    mark('text', 'ends', {
      ...{ ...letters, x: { signal: `width + ${END_GAP}` }, y: at('y', 'value'), baseline: 'middle' },
      text: { signal: hiddenIfNear(fontSize * 1.2) },
      fontWeight: { signal: `datum.isMeasured ? 'bold' : 'normal'` },
      fill: { field: 'colour' },
    }),
  ];
}

/** The expected value is written beside the last one only if the two texts do not overlap. */
function hiddenIfNear(least: number): string {
  const distance = `abs(scale('y', datum.value) - scale('y', datum.last))`;
  return `datum.isMeasured || ${distance} >= ${least} ? datum.text : ''`;
}
