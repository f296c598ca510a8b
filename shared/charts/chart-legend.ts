import type { Legend, Scale } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { firesText, measureText } from '../messages/figure-text.ts';
import { valueRange } from './chart-axes.ts';
import { drawnNotes } from './chart-rows.ts';
import { BAND_OPACITY, type ChartStyle, LIMIT_WIDTH } from './looks.ts';
import { cutTo, widthOf } from './text-fit.ts';

/** The width of a sample, and the space after it and between two entries, in pixels. */
const SAMPLE = 18;
const AFTER_SAMPLE = 6;
const BETWEEN = 14;

/** The width of the axis of values, left of the legend, in sizes of a letter. */
const AXIS_EMS = 4;

/** An entry of the legend: its text and the look of its sample. The path is in a square from -1 to 1. */
interface Entry {
  text: string;
  path: string;
  stroke?: string;
  strokeWidth?: number;
  strokeDash?: number[];
  fill?: string;
  opacity?: number;
}

const PLAIN = { stroke: 'transparent', strokeWidth: 0, strokeDash: [], fill: 'transparent', opacity: 1 };

/** The legend, and the scales that give each entry its look. It has as many columns as fit. */
export function legendOf(
  chart: Chart,
  { width, fontSize, colours }: ChartStyle,
  fitting: (text: string) => string,
): { scales: Scale[]; legend: Legend } {
  const room = width - AXIS_EMS * fontSize;
  const entries = entriesOf(chart, colours).map((entry) => ({
    ...{ ...PLAIN, ...entry },
    text: cutTo(room - SAMPLE - AFTER_SAMPLE, fitting(entry.text), fontSize),
  }));
  const domain = entries.map((_, i) => i);
  const scale = (name: keyof Entry): Scale =>
    ({ name, type: 'ordinal', domain, range: entries.map((entry) => entry[name]) }) as Scale;
  return {
    scales: [
      ...[scale('text'), scale('path'), scale('stroke'), scale('strokeWidth'), scale('strokeDash')],
      ...[scale('fill'), scale('opacity')],
    ],
    legend: {
      ...{ shape: 'path', stroke: 'stroke', strokeWidth: 'strokeWidth', strokeDash: 'strokeDash' },
      ...{ fill: 'fill', opacity: 'opacity' },
      ...{ orient: 'top', direction: 'horizontal', columns: columnsFor(entries, room, fontSize) },
      ...{
        symbolSize: SAMPLE ** 2,
        labelOffset: AFTER_SAMPLE,
        columnPadding: BETWEEN,
        rowPadding: 2,
        offset: drawnNotes(chart).length > 0 ? 8 + fontSize : 8,
      },
      labelFontSize: fontSize,
      labelLimit: 0,
      encode: { labels: { update: { text: { scale: 'text', field: 'value' } } } },
      aria: false,
    },
  };
}

/** The most columns of equal entries whose widths add up to at most `width`. */
function columnsFor(entries: Entry[], width: number, fontSize: number): number {
  const taken = entries.map(({ text }) => SAMPLE + AFTER_SAMPLE + BETWEEN + widthOf(text, fontSize));
  for (let columns = entries.length; columns > 1; columns--) {
    const widths = Array.from({ length: columns }, (_, column) =>
      Math.max(...taken.filter((_, i) => i % columns === column)),
    );
    if (widths.reduce((sum, each) => sum + each, 0) <= width + BETWEEN) return columns;
  }
  return 1;
}

const LINE = 'M-1,0L1,0';
const BOX = 'M-1,-0.7L1,-0.7L1,0.7L-1,0.7Z';
const DIAMOND = 'M0,-0.6L0.5,0L0,0.6L-0.5,0Z';

function entriesOf(chart: Chart, { accent, quiet, text, bad }: ChartStyle['colours']): Entry[] {
  const { unit, calendar, points, breached } = chart;
  const [drawn, ...others] = drawnNotes(chart);
  const bands = points.flatMap(({ band }) => band ?? []);
  const [, top] = valueRange(chart);
  const isCut = bands.some(({ high }) => (high ?? 0) > top);
  const hasLimits = bands.some(({ low, high }) => low !== null || high !== null);
  const entries: (Entry | false | undefined)[] = [
    { text: `${unit}, each ${calendar.grain}`, path: LINE, stroke: accent, strokeWidth: 2.5 },
    bands.some(({ expected }) => expected !== null) && {
      ...{ text: chart.expected, path: LINE, stroke: quiet, strokeWidth: 1.25, strokeDash: [4, 3] },
    },
    hasLimits &&
      (chart.isModelled
        ? {
            text: `expected range${isCut ? ', cut at the top' : ''}`,
            path: BOX,
            fill: accent,
            opacity: BAND_OPACITY,
          }
        : { text: limitsText(chart), path: LINE, stroke: bad, strokeWidth: LIMIT_WIDTH }),
    breached.length > 0 && { text: 'breached', path: DIAMOND, fill: bad },
    drawn && {
      text: others.length === 0 ? drawn.note.text : 'notes',
      ...{ path: 'M0,-0.8L0,0.8', stroke: text, strokeWidth: 1.25, strokeDash: [2, 3] },
    },
  ];
  return entries.filter((entry) => entry !== false && entry !== undefined);
}

/** "fires above 8"; without the figure if it differs from window to window. */
function limitsText({ points, isShare }: Chart): string {
  const sideOf = (side: 'low' | 'high') => [...new Set(points.flatMap(({ band }) => band?.[side] ?? []))];
  const [lows, highs] = [sideOf('low'), sideOf('high')];
  const isFixed = lows.length < 2 && highs.length < 2;
  return firesText({ low: lows[0] ?? null, high: highs[0] ?? null }, (limit) =>
    isFixed ? measureText(limit, isShare) : '',
  );
}
