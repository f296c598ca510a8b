import type { Axis, Scale } from 'vega';
import type { Chart } from '../messages/chart.ts';
import type { ChartStyle } from './looks.ts';

/** The most height of the plot, relative to all values and expectations: a range or bound may be far above. */
const MOST_OF_BAND = { range: 1.6, bound: 2.5 };

/** If all values are above this share of the largest one, the axis does not start at 0. */
const LEAST_OF_MOST = 0.75;

/** Room above the highest point, as a share of the plot. */
const HEADROOM = 0.04;

/** The width of one label of the time axis, in sizes of a letter. */
const TICK_EMS = 4.6;

/** The text of a tick on an axis of large values: "25K", "1.2B". */
const LARGE = `replace(upper(format(datum.value, '~s')), 'G', 'B')`;

/** The lowest and the highest value of the axis. It starts at 0, unless the line would look flat. */
export function valueRange({ points, isModelled }: Chart): [number, number] {
  const bands = points.flatMap(({ band }) => band ?? []);
  const drawn = [
    ...points.flatMap(({ value }) => value ?? []),
    ...bands.flatMap(({ expected }) => expected ?? []),
  ];
  const most = Math.max(...drawn);
  const top = most * MOST_OF_BAND[isModelled ? 'range' : 'bound'];
  const highs = bands.flatMap(({ high }) =>
    high === null || (high > top && !isModelled) ? [] : Math.min(high, top),
  );
  const highest = Math.max(most, ...highs);
  const lowest = Math.min(...drawn, ...bands.flatMap(({ low }) => low ?? []));
  const from = lowest > LEAST_OF_MOST * highest && highest > lowest ? lowest : 0;
  const to = highest > from ? highest : from + 1;
  return [from, to + HEADROOM * (to - from)];
}

/** From the start of the first window to that of the last. A single window is at the end, beside its label. */
export function timeRange({ points }: Chart): [number, number] {
  const [first, last] = [points[0].window, (points.at(-1) ?? points[0]).window];
  if (last.startAt > first.startAt) return [first.startAt, last.startAt];
  return [first.startAt - (first.endAt - first.startAt), first.startAt];
}

/** `local`: the local time in the zone of the chart, so that ticks are at local midnights. */
export function scalesOf(chart: Chart, local: (at: number) => number): Scale[] {
  return [
    { name: 'x', type: 'utc', domain: timeRange(chart).map(local), range: 'width' },
    // Clamped: a limit of the expected range can be above the axis.
    {
      ...{ name: 'y', type: 'linear', domain: valueRange(chart), range: 'height' },
      ...{ clamp: true, zero: false, nice: false },
    },
  ];
}

export function axesOf(chart: Chart, title: string, { width, fontSize, colours }: ChartStyle): Axis[] {
  const { isShare, calendar, points } = chart;
  const room = Math.floor(width / (TICK_EMS * fontSize));
  const isLong = calendar.grain === 'week' || calendar.grain === 'month';
  const day = '%-d %b';
  const letters = { labelFontSize: fontSize, titleFontSize: fontSize, domain: false, aria: false };
  return [
    {
      ...letters,
      ...{ orient: 'left', scale: 'y', tickCount: 5, grid: true, gridColor: colours.line, ticks: false },
      labelPadding: 8,
      ...(isShare && { format: '%' }),
      ...(valueRange(chart)[1] >= 1e4 && { encode: { labels: { update: { text: { signal: LARGE } } } } }),
    },
    {
      ...letters,
      ...{ orient: 'bottom', scale: 'x', title, tickColor: colours.quiet, labelOverlap: true },
      // Without hours between days.
      tickCount: calendar.grain === 'hour' ? room : Math.max(1, Math.min(room, points.length - 1)),
      formatType: 'utc',
      format: {
        ...{ hours: '%H:%M', minutes: '%H:%M', date: day, day, week: day },
        ...(isLong ? { month: '%b', quarter: '%b', year: '%b %Y' } : { month: day, quarter: day, year: day }),
      },
    },
  ];
}
