import type { Mark } from 'vega';
import type { Layout } from './chart-layout.ts';
import { atTime, atValue } from './coordinates.ts';
import type { ChartStyle } from './looks.ts';

/** Both axes with ticks, and the title of the time axis. The unit of values is in the legend. */
export function axisMarks(
  { plot, timeTitle }: Layout,
  { width, fontSize, fontFamily, colours }: ChartStyle,
): Mark[] {
  const letters = {
    font: { value: fontFamily },
    fontSize: { value: fontSize },
    fill: { value: colours.quiet },
  };
  const line = { stroke: { value: colours.line }, strokeWidth: { value: 1 } };
  return [
    {
      type: 'rule',
      from: { data: 'values' },
      encode: {
        enter: { x: { value: plot.left }, x2: { value: plot.right }, y: atValue('value'), ...line },
      },
    },
    {
      type: 'text',
      from: { data: 'values' },
      encode: {
        enter: {
          ...letters,
          x: { value: plot.left - 8 },
          y: atValue('value'),
          align: { value: 'right' },
          baseline: { value: 'middle' },
          text: { field: 'text' },
        },
      },
    },
    {
      type: 'rule',
      from: { data: 'times' },
      encode: {
        enter: {
          x: atTime('at'),
          y: { value: plot.bottom },
          y2: { value: plot.bottom + 5 },
          stroke: { value: colours.quiet },
        },
      },
    },
    {
      type: 'text',
      from: { data: 'times' },
      encode: {
        enter: {
          ...letters,
          x: atTime('at'),
          y: { value: plot.bottom + fontSize * 1.5 },
          align: { value: 'center' },
          text: { field: 'text' },
        },
      },
    },
    {
      type: 'text',
      encode: {
        enter: {
          ...letters,
          x: { value: width / 2 },
          y: { value: plot.bottom + fontSize * 3 },
          align: { value: 'center' },
          text: { value: timeTitle },
        },
      },
    },
  ];
}
