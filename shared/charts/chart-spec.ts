import type { Data, Spec } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { measureText } from '../messages/figure-text.ts';
import { ZoneClock } from '../time/zone-clock.ts';
import { lazy } from '../units/lazy.ts';
import { axesOf, scalesOf, timeRange, valueRange } from './chart-axes.ts';
import { legendOf } from './chart-legend.ts';
import { marksOf } from './chart-marks.ts';
import { breachRows, noteRows, pointRows, troubledSpans } from './chart-rows.ts';
import type { ChartStyle } from './looks.ts';
import { BOLD, cutBefore, cutTo, drawable } from './text-fit.ts';

const MARGIN = 14;

/** How much larger the letters of the title are. */
const TITLE = 1.35;

/** The part of the width that the plot takes, about. */
const PLOT = 0.85;

/** The least distance between two marks of notes, in pixels. */
const NOTES_APART = 28;

/** The chart as a Vega specification. It has no URLs, and user texts are data, never expressions. */
export function chartSpec(chart: Chart, style: ChartStyle): Spec {
  const { width, height, fontSize, fontFamily, isAlone, colours } = style;
  const padding = isAlone ? MARGIN : 2;
  const inside = { ...style, width: width - 2 * padding };
  const fitting = isAlone ? drawable : (text: string) => text;
  const clock = new ZoneClock(chart.calendar.zone);
  const local = (at: number) => clock.localOf(at);
  const { scales, legend } = legendOf(chart, inside, fitting);
  const labels = { labelFont: fontFamily, labelColor: colours.quiet };
  return {
    ...{ width, height, padding, autosize: { type: 'fit', contains: 'padding' } },
    config: {
      axis: { ...labels, titleFont: fontFamily, titleColor: colours.quiet, titleFontWeight: 'normal' },
      legend: { labelFont: fontFamily, labelColor: colours.text },
    },
    ...(isAlone && {
      title: {
        text: titleOf(chart, inside, fitting),
        ...{ anchor: 'start', font: fontFamily, fontSize: fontSize * TITLE, color: colours.text, limit: 0 },
        ...{ fontWeight: 'bold', aria: false },
      },
    }),
    data: dataOf(chart, style, local),
    scales: [...scalesOf(chart, local), ...scales],
    axes: axesOf(chart, cutTo(inside.width, timeTitle(chart), fontSize), style),
    legends: [legend],
    marks: marksOf(style),
  };
}

function titleOf(
  { title, part }: Chart,
  { width, fontSize }: ChartStyle,
  fitting: (text: string) => string,
): string {
  const end = part === null ? '' : `: ${fitting(part)}`;
  return cutBefore(end, width / BOLD, fitting(title), fontSize * TITLE);
}

function dataOf(chart: Chart, style: ChartStyle, local: (at: number) => number): Data[] {
  const [from, to] = timeRange(chart);
  const perPixel = (to - from) / (PLOT * style.width);
  const moved = <T extends { at: number }>(rows: T[]) => rows.map((row) => ({ ...row, at: local(row.at) }));
  const spans = <T extends { startAt: number; endAt: number }>(rows: T[]) =>
    rows.map(({ startAt, endAt }) => ({ startAt: local(startAt), endAt: local(endAt) }));
  const points = moved(pointRows(chart, valueRange(chart)[1]));
  return [
    { name: 'points', values: points },
    { name: 'lone', values: points.filter(({ isLone }) => isLone) },
    { name: 'troubles', values: spans(troubledSpans(chart)) },
    { name: 'breaches', values: moved(breachRows(chart)) },
    { name: 'notes', values: moved(noteRows(chart, NOTES_APART * perPixel)) },
    { name: 'ends', values: endRows(chart, style) },
  ];
}

const COMPACT = lazy(
  () => new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 }),
);

/** The last value and its expected value, to be written at the end of the line: "1.217B" for ten digits. */
function endRows({ points, breached, isShare }: Chart, { colours }: ChartStyle) {
  const { window, value: last, band } = points.at(-1) ?? points[0];
  if (last === null) return [];
  const isBreached = breached.some(({ endAt }) => endAt === window.endAt);
  const row = (value: number) => {
    const text = value >= 1e6 ? COMPACT().format(value) : measureText(value, isShare);
    return { value, last, text };
  };
  const colour = isBreached ? colours.bad : colours.accent;
  return [
    { ...row(last), isMeasured: true, colour },
    ...(typeof band?.expected === 'number'
      ? [{ ...row(band.expected), isMeasured: false, colour: colours.quiet }]
      : []),
  ];
}

/** "start of the hour (Europe/Berlin), 3 Feb to 2 Mar 2026". */
function timeTitle({ points, calendar }: Chart): string {
  const days = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    timeZone: calendar.zone,
  });
  const [first, last] = [points[0].window.startAt, (points.at(-1) ?? points[0]).window.startAt];
  const [from, to] = [days.format(first), days.format(last)];
  const span = from === to ? to : `${from.slice(-4) === to.slice(-4) ? from.slice(0, -5) : from} to ${to}`;
  return `start of the ${calendar.grain} (${calendar.zone}), ${span}`;
}
