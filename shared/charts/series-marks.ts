import type { Mark } from 'vega';
import { END_GAP, type Layout } from './chart-layout.ts';
import { atTime, atValue } from './coordinates.ts';
import { BAND_OPACITY, type ChartStyle } from './looks.ts';

/** Height of the bar above known incidents. */
const LABEL_HEIGHT = 5;

/** The middle of an arrow, below the upper edge. */
const ARROW = 6;

/** In drawing order: breached times, then expectations, then values. */
export function seriesMarks(layout: Layout, style: ChartStyle): Mark[] {
  return [
    ...troubleMarks(layout, style),
    ...expectation(style),
    ...beyondMarks(layout, style),
    comparedMark(style),
    ...measured(layout, style),
  ];
}

/** Times that breached or fired, over the full height and with a minimum width. Known incidents are a bar above. */
function troubleMarks({ plot }: Layout, { colours }: ChartStyle): Mark[] {
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

function expectation({ colours }: ChartStyle): Mark[] {
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

/** Arrows where the expected range continues above the plot, and its highest limit in words. */
function beyondMarks({ plot, beyond }: Layout, { fontSize, fontFamily, colours }: ChartStyle): Mark[] {
  if (!beyond) return [];
  const letters = {
    font: { value: fontFamily },
    fontSize: { value: fontSize },
    fill: { value: colours.quiet },
  };
  return [
    {
      type: 'symbol',
      from: { data: 'beyond' },
      encode: {
        enter: {
          x: atTime('at'),
          y: { value: plot.top + ARROW },
          shape: { value: 'triangle-up' },
          size: { value: 60 },
          fill: { value: colours.accent },
        },
      },
    },
    {
      type: 'text',
      encode: {
        enter: {
          ...letters,
          x: { value: beyond.x },
          y: { value: beyond.y },
          align: { value: 'center' },
          baseline: { value: 'middle' },
          text: { value: beyond.text },
        },
      },
    },
  ];
}

/** The values of the compared segment, with gaps for missing ones. */
function comparedMark({ colours }: ChartStyle): Mark {
  return {
    type: 'line',
    from: { data: 'points' },
    encode: {
      enter: {
        x: atTime('at'),
        y: atValue('compared'),
        defined: { field: 'hasCompared' },
        stroke: { value: colours.text },
        strokeWidth: { value: 1.5 },
        strokeDash: { value: [7, 2] },
      },
    },
  };
}

/** The values, with gaps for missing ones, and the label of the last one. */
function measured({ plot }: Layout, { fontSize, fontFamily, colours }: ChartStyle): Mark[] {
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
