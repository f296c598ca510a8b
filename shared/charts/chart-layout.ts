import type { Chart } from '../messages/chart.ts';
import { measureText } from '../messages/figure-text.ts';
import { type Key, keyRows } from './chart-key.ts';
import { drawnNotes } from './chart-rows.ts';
import type { ChartStyle } from './looks.ts';
import { cutBefore, cutTo, drawable, widthOf } from './text-fit.ts';
import { type TimeTick, timeTicks } from './time-ticks.ts';
import { beyondText, valueAxis } from './value-axis.ts';
import { valueTickTexts } from './value-ticks.ts';

/** The positions of all parts of a chart, in pixels from its upper left corner. */
export interface Layout {
  /** The part that the line is drawn in. */
  plot: { left: number; right: number; top: number; bottom: number };
  times: [number, number];
  values: [number, number];
  timeTicks: TimeTick[];
  valueTicks: { value: number; text: string }[];
  /** Labels at the end of the line: the last value and, if it is far enough away, the expected one. */
  ends: { value: number; text: string; isMeasured: boolean; isBreached: boolean }[];
  /** The label of an expected range that continues above the plot. */
  beyond: { text: string; x: number; y: number } | null;
  title: string;
  timeTitle: string;
  keys: Key[];
}

/** Space around the whole, between rows, and between a line and its letters. */
const MARGIN = 14;
const GAP = 8;

/** Between the end of the line and its figure. */
export const END_GAP = 9;

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** Room for the date below a tick, in sizes of a letter. */
const TICK_EMS = 4.2;

/** How much larger the letters of the title are. */
export const TITLE = 1.35;

/** How much wider bold letters are. */
const BOLD = 1.12;

export function layoutOf(chart: Chart, style: ChartStyle): Layout {
  const { width, height, fontSize, isAlone } = style;
  const margin = isAlone ? MARGIN : 2;
  const row = Math.round(fontSize * 1.55);
  const { ticks, range: values, beyond } = valueAxis(chart);
  const texts = valueTickTexts(ticks, chart.isShare);
  const left = Math.round(margin + GAP + Math.max(...texts.map((text) => widthOf(text, fontSize))));
  const ends = endsOf(chart);
  const right = Math.round(
    width - margin - END_GAP - Math.max(0, ...ends.map(({ text }) => widthOf(text, fontSize) * BOLD)),
  );
  const fitting = isAlone ? drawable : (text: string) => text;
  const keys = keyRows(chart, { left: margin, width: width - 2 * margin, row, fontSize, fitting });
  const top = margin + (isAlone ? Math.round(row * 1.35) : 0);
  const numbers = drawnNotes(chart).length > 0 ? fontSize : 0;
  const plot = { left, right, top: top + keys.rows * row + GAP + numbers, bottom: height - margin - 2 * row };
  const times = timeSpan(chart);
  const most = Math.max(2, Math.floor((right - left) / (TICK_EMS * fontSize)));
  return {
    ...{ plot, times, values },
    beyond:
      beyond &&
      beyondLabel(beyondText(beyond.high, chart.isShare), beyond.startAt, { plot, times }, fontSize),
    ends: apart(ends, ((values[1] - values[0]) * fontSize * 1.2) / (plot.bottom - plot.top)),
    timeTicks: timeTicks(times, chart.calendar, most),
    valueTicks: ticks.map((value, i) => ({ value, text: texts[i] ?? '' })),
    title: cutBefore(
      chart.part === null ? '' : `: ${fitting(chart.part)}`,
      (width - 2 * margin) / BOLD,
      fitting(chart.title),
      fontSize * TITLE,
    ),
    timeTitle: cutTo(width - 2 * margin, timeTitle(chart), fontSize),
    keys: keys.keys.map((key) => ({ ...key, y: key.y + top })),
  };
}

/** Below the arrow at `at`, moved sideways as far as the plot requires. The line is always lower. */
function beyondLabel(
  text: string,
  at: number,
  { plot, times }: Pick<Layout, 'plot' | 'times'>,
  fontSize: number,
): NonNullable<Layout['beyond']> {
  const half = widthOf(text, fontSize) / 2;
  const x = plot.left + ((at - times[0]) / (times[1] - times[0])) * (plot.right - plot.left);
  const within = Math.min(Math.max(x, plot.left + half), plot.right - half);
  return { text, x: Math.round(within), y: Math.round(plot.top + fontSize * 1.6) };
}

function endsOf({ points, breached, isShare }: Chart): Layout['ends'] {
  const { window, value, band } = points.at(-1) ?? points[0];
  if (value === null) return [];
  const isBreached = breached.some(({ endAt }) => endAt === window.endAt);
  const measured = { value, text: endText(value, isShare), isMeasured: true, isBreached };
  if (!band) return [measured];
  const text = endText(band.expected, isShare);
  return [measured, { value: band.expected, text, isMeasured: false, isBreached: false }];
}

/** A short text of the value: "1.217B" for ten digits. */
function endText(value: number, isShare: boolean): string {
  return value >= 1e6 ? COMPACT.format(value) : measureText(value, isShare);
}

/** The first label, and those at least `least` away from it, so that labels do not overlap. */
function apart(ends: Layout['ends'], least: number): Layout['ends'] {
  return ends.filter(({ value }, i) => i === 0 || Math.abs(value - (ends[0]?.value ?? 0)) >= least);
}

/** From the start of the first window to that of the last. A single window is at the end, beside its label. */
function timeSpan({ points }: Chart): [number, number] {
  const [first, last] = [points[0].window, (points.at(-1) ?? points[0]).window];
  if (last.startAt > first.startAt) return [first.startAt, last.startAt];
  const length = first.endAt - first.startAt;
  return [first.startAt - length, first.startAt];
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
