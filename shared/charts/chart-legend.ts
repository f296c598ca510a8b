import type { Legend, Scale } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { drawnNotes } from './chart-rows.ts';
import { BAND_OPACITY, type ChartStyle } from './looks.ts';
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

/** The legend, and the scales that give each entry its look. It has as many columns as fit. */
export function legendOf(
  chart: Chart,
  { width, fontSize, colours }: ChartStyle,
  fitting: (text: string) => string,
): { scales: Scale[]; legend: Legend } {
  const room = width - AXIS_EMS * fontSize;
  const entries = entriesOf(chart, colours).map((entry) => ({
    ...entry,
    text: cutTo(room - SAMPLE - AFTER_SAMPLE, fitting(entry.text), fontSize),
  }));
  const domain = entries.map((_, i) => i);
  const scale = <T>(name: string, range: T[]): Scale => ({ name, type: 'ordinal', domain, range }) as Scale;
  return {
    scales: [
      scale(
        'keyText',
        entries.map(({ text }) => text),
      ),
      scale(
        'keyPath',
        entries.map(({ path }) => path),
      ),
      scale(
        'keyStroke',
        entries.map(({ stroke = 'transparent' }) => stroke),
      ),
      scale(
        'keyWidth',
        entries.map(({ strokeWidth = 0 }) => strokeWidth),
      ),
      scale(
        'keyDash',
        entries.map(({ strokeDash = [] }) => strokeDash),
      ),
      scale(
        'keyFill',
        entries.map(({ fill = 'transparent' }) => fill),
      ),
      scale(
        'keyOpacity',
        entries.map(({ opacity = 1 }) => opacity),
      ),
    ],
    legend: {
      ...{ shape: 'keyPath', stroke: 'keyStroke', strokeWidth: 'keyWidth', strokeDash: 'keyDash' },
      ...{ fill: 'keyFill', opacity: 'keyOpacity' },
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
      encode: { labels: { update: { text: { scale: 'keyText', field: 'value' } } } },
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

function entriesOf(chart: Chart, { accent, quiet, text, bad }: ChartStyle['colours']): Entry[] {
  const { unit, calendar, points, breached } = chart;
  const [drawn, ...others] = drawnNotes(chart);
  const bands = points.flatMap(({ band }) => band ?? []);
  const hasRange = bands.some(({ low, high }) => low !== null || high !== null);
  return [
    { text: `${unit}, each ${calendar.grain}`, path: LINE, stroke: accent, strokeWidth: 2.5 },
    ...(bands.length > 0
      ? [{ text: 'expected', path: LINE, stroke: quiet, strokeWidth: 1.25, strokeDash: [4, 3] }]
      : []),
    ...(hasRange
      ? [
          {
            text: 'expected range',
            path: 'M-1,-0.7L1,-0.7L1,0.7L-1,0.7Z',
            fill: accent,
            opacity: BAND_OPACITY,
          },
        ]
      : []),
    ...(breached.length > 0 ? [{ text: 'breached', path: 'M0,-0.6L0.5,0L0,0.6L-0.5,0Z', fill: bad }] : []),
    ...(drawn
      ? [
          {
            text: others.length === 0 ? drawn.note.text : 'notes',
            ...{ path: 'M0,-0.8L0,0.8', stroke: text, strokeWidth: 1.25, strokeDash: [2, 3] },
          },
        ]
      : []),
  ];
}
