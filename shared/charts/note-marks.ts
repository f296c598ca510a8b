import type { Mark } from 'vega';
import type { Layout } from './chart-layout.ts';
import { atTime } from './coordinates.ts';
import type { ChartStyle } from './looks.ts';

/** A vertical line for each note, with its number above the plot. */
export function noteMarks({ plot }: Layout, { fontSize, fontFamily, colours }: ChartStyle): Mark[] {
  return [
    {
      type: 'rule',
      from: { data: 'notes' },
      encode: {
        enter: {
          x: atTime('at'),
          y: { value: plot.top - 2 },
          y2: { value: plot.bottom },
          stroke: { value: colours.text },
          strokeWidth: { value: 1.25 },
          strokeDash: { value: [2, 3] },
        },
      },
    },
    {
      type: 'text',
      from: { data: 'notes' },
      encode: {
        enter: {
          x: atTime('at'),
          y: { value: plot.top - 5 },
          text: { field: 'text' },
          align: { value: 'center' },
          font: { value: fontFamily },
          fontSize: { value: fontSize },
          fontWeight: { value: 'bold' },
          fill: { value: colours.text },
        },
      },
    },
  ];
}
