import type { Mark } from 'vega';
import { END_GAP, type Layout } from './chart-layout.ts';
import { atTime, atValue } from './coordinates.ts';
import { BAND_OPACITY, type EvaluatedRun } from './looks.ts';

/** Of the bar over what people know of. */
const LABEL_HEIGHT = 5;

/** What the series did, above what was expected of it, above what it led to. */
export function seriesMarks(layout: Layout, look: EvaluatedRun): Mark[] {
  return [...troubleMarks(layout, look), ...expectation(look), ...measured(layout, look)];
}

/** The time that breached or fired, over the whole height and at least so wide that it is seen; that of a known incident above. */
function troubleMarks({ plot }: Layout, { colours }: EvaluatedRun): Mark[] {
  return [
    {
      type: 'rect',
      from: { data: 'troubles' },
      encode: {
        enter: {
          x: atTime('startAt', -4),
          x2: atTime('endAt', 4),
          y: { value: plot.top },
          y2: { value: plot.bottom },
          fill: { value: colours.bad },
          fillOpacity: { value: 0.12 },
        },
      },
    },
    {
      type: 'rect',
      from: { data: 'labels' },
      encode: {
        enter: {
          x: atTime('startAt', -2),
          x2: atTime('endAt', 2),
          y: { value: plot.top },
          y2: { value: plot.top + LABEL_HEIGHT },
          fill: { value: colours.text },
        },
      },
    },
  ];
}

function expectation({ colours }: EvaluatedRun): Mark[] {
  return [
    {
      type: 'area',
      from: { data: 'points' },
      encode: {
        enter: {
          x: atTime('at'),
          y: atValue('high'),
          y2: atValue('low'),
          defined: { field: 'hasBand' },
          fill: { value: colours.accent },
          fillOpacity: { value: BAND_OPACITY },
        },
      },
    },
    {
      type: 'line',
      from: { data: 'points' },
      encode: {
        enter: {
          x: atTime('at'),
          y: atValue('expected'),
          defined: { field: 'hasBand' },
          stroke: { value: colours.quiet },
          strokeWidth: { value: 1.25 },
          strokeDash: { value: [4, 3] },
        },
      },
    },
  ];
}

/** The figures, with gaps where there are none, and what was found of the last one in words beside it. */
function measured({ plot }: Layout, { fontSize, fontFamily, colours }: EvaluatedRun): Mark[] {
  return [
    {
      type: 'line',
      from: { data: 'points' },
      encode: {
        enter: {
          x: atTime('at'),
          y: atValue('value'),
          defined: { field: 'hasValue' },
          stroke: { value: colours.accent },
          strokeWidth: { value: 2 },
          strokeJoin: { value: 'round' },
          strokeCap: { value: 'round' },
        },
      },
    },
    {
      type: 'symbol',
      from: { data: 'lone' },
      encode: {
        enter: {
          x: atTime('at'),
          y: atValue('value'),
          size: { value: 26 },
          fill: { value: colours.accent },
        },
      },
    },
    {
      type: 'symbol',
      from: { data: 'breaches' },
      encode: {
        enter: {
          x: atTime('at'),
          y: atValue('value'),
          shape: { value: 'diamond' },
          size: { value: 90 },
          fill: { value: colours.bad },
          stroke: { value: colours.ground },
          strokeWidth: { value: 1.5 },
        },
      },
    },
    {
      type: 'text',
      from: { data: 'ends' },
      encode: {
        enter: {
          x: { value: plot.right + END_GAP },
          y: atValue('value'),
          text: { field: 'text' },
          baseline: { value: 'middle' },
          font: { value: fontFamily },
          fontSize: { value: fontSize },
          fontWeight: { signal: `datum.isMeasured ? 'bold' : 'normal'` },
          fill: {
            signal: `datum.isBreached ? '${colours.bad}' : datum.isMeasured ? '${colours.accent}' : '${colours.quiet}'`,
          },
        },
      },
    },
  ];
}
