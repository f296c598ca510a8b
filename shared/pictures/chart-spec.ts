import type { Data, Mark, Spec } from 'vega';
import type { Chart } from '../alerting/chart.ts';
import { axisMarks } from './axis-marks.ts';
import { END_GAP, type Layout, layoutOf, TITLE } from './chart-layout.ts';
import { pointRows, shownBreaches, troubledSpans } from './chart-rows.ts';
import { atTime, atValue } from './coordinates.ts';
import { keyMarks } from './key-marks.ts';
import { BAND_OPACITY, type Look } from './looks.ts';

/** The chart as a Vega specification. It names no address, and what people wrote is data in it, never an expression. */
export function chartSpec(chart: Chart, look: Look): Spec {
  const layout = layoutOf(chart, look);
  const { plot, times, values } = layout;
  const linear = { type: 'linear', zero: false, nice: false } as const;
  const marks = [
    ...(look.isAlone ? standingAlone(layout, look) : []),
    ...axisMarks(layout, look),
    ...troubleMarks(layout, look),
    ...expectation(look),
    ...measured(layout, look),
    ...keyMarks(layout.keys, look),
  ];
  return {
    ...{ width: look.width, height: look.height, padding: 0, autosize: 'none' },
    data: dataOf(chart, layout),
    scales: [
      { ...linear, name: 'x', domain: times, range: [plot.left, plot.right] },
      { ...linear, name: 'y', domain: values, range: [plot.bottom, plot.top] },
    ],
    // The drawing says what it is as a whole: its parts would be read out one by one.
    marks: marks.map((mark) => ({ ...mark, aria: false })),
  };
}

/** How far apart two breached points are drawn at least, in pixels. */
const APART = 9;

function dataOf(chart: Chart, layout: Layout): Data[] {
  const { plot, times, values } = layout;
  const points = pointRows(chart, values);
  const apart = ((times[1] - times[0]) * APART) / (plot.right - plot.left);
  return [
    { name: 'points', values: points },
    { name: 'lone', values: points.filter(({ isLone }) => isLone) },
    { name: 'troubles', values: troubledSpans(chart) },
    { name: 'breaches', values: shownBreaches(chart, apart) },
    { name: 'ends', values: layout.ends },
    { name: 'times', values: layout.timeTicks },
    { name: 'values', values: layout.valueTicks },
  ];
}

function standingAlone({ title }: Layout, { width, height, fontSize, fontFamily, colours }: Look): Mark[] {
  return [
    {
      type: 'rect',
      encode: {
        enter: {
          width: { value: width },
          height: { value: height },
          fill: { value: colours.ground },
          stroke: { value: colours.line },
          strokeWidth: { value: 2 },
        },
      },
    },
    {
      type: 'text',
      encode: {
        enter: {
          x: { value: 14 },
          y: { value: 14 + fontSize * 1.1 },
          text: { value: title },
          font: { value: fontFamily },
          fontSize: { value: fontSize * TITLE },
          fontWeight: { value: 'bold' },
          fill: { value: colours.text },
        },
      },
    },
  ];
}

/** The time that breached or fired, over the whole height and at least so wide that it is seen. */
function troubleMarks({ plot }: Layout, { colours }: Look): Mark[] {
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
  ];
}

function expectation({ colours }: Look): Mark[] {
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
function measured({ plot }: Layout, { fontSize, fontFamily, colours }: Look): Mark[] {
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
