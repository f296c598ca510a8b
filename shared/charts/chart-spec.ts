import type { Data, Mark, Spec } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { axisMarks } from './axis-marks.ts';
import { type Layout, layoutOf, TITLE } from './chart-layout.ts';
import {
  beyondRows,
  labelledSpans,
  noteRows,
  pointRows,
  shownBreaches,
  troubledSpans,
} from './chart-rows.ts';
import { keyMarks } from './key-marks.ts';
import type { ChartStyle } from './looks.ts';
import { noteMarks } from './note-marks.ts';
import { seriesMarks } from './series-marks.ts';

/** The chart as a Vega specification. It has no URLs, and user texts are data, never expressions. */
export function chartSpec(chart: Chart, style: ChartStyle): Spec {
  const layout = layoutOf(chart, style);
  const { plot, times, values } = layout;
  const linear = { type: 'linear', zero: false, nice: false } as const;
  const marks = [
    ...(style.isAlone ? standalone(layout, style) : []),
    ...axisMarks(layout, style),
    ...noteMarks(layout, style),
    ...seriesMarks(layout, style),
    ...keyMarks(layout.keys, style),
  ];
  return {
    ...{ width: style.width, height: style.height, padding: 0, autosize: 'none' },
    data: dataOf(chart, layout),
    scales: [
      { ...linear, name: 'x', domain: times, range: [plot.left, plot.right] },
      { ...linear, name: 'y', domain: values, range: [plot.bottom, plot.top] },
    ],
    // The chart has one description as a whole. Otherwise, screen readers read out its parts.
    marks: marks.map((mark) => ({ ...mark, aria: false })),
  };
}

/** The least distance between two breached points, in pixels. */
const APART = 9;

/** The least distance between two arrows at the upper edge, in pixels. */
const ARROWS_APART = 30;

/** The least distance between two marks of notes, in pixels. */
const NOTES_APART = 28;

function dataOf(chart: Chart, layout: Layout): Data[] {
  const { plot, times, values } = layout;
  const points = pointRows(chart, values);
  const perPixel = (times[1] - times[0]) / (plot.right - plot.left);
  return [
    { name: 'points', values: points },
    { name: 'lone', values: points.filter(({ isLone }) => isLone) },
    { name: 'troubles', values: troubledSpans(chart) },
    { name: 'labels', values: labelledSpans(chart, times) },
    { name: 'breaches', values: shownBreaches(chart, APART * perPixel) },
    { name: 'beyond', values: beyondRows(chart, values[1], ARROWS_APART * perPixel) },
    { name: 'notes', values: noteRows(chart, NOTES_APART * perPixel) },
    { name: 'ends', values: layout.ends },
    { name: 'times', values: layout.timeTicks },
    { name: 'values', values: layout.valueTicks },
  ];
}

function standalone({ title }: Layout, { width, height, fontSize, fontFamily, colours }: ChartStyle): Mark[] {
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
