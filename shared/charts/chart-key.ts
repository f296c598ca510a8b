import type { Chart } from '../messages/chart.ts';
import { drawnNotes } from './chart-rows.ts';
import { cutTo, widthOf } from './text-fit.ts';

/** An entry of the legend, with the positions of its sample and text in pixels. */
export interface Key {
  mark: 'line' | 'expected' | 'band' | 'breached' | 'labelled' | 'note' | 'compared';
  text: string;
  x: number;
  /** The middle of its row. */
  y: number;
}

interface Room {
  left: number;
  width: number;
  /** Height of a row. */
  row: number;
  fontSize: number;
  fitting: (text: string) => string;
}

/** Width of a sample, and the space before and after its text. */
export const SAMPLE = 18;
const AFTER_SAMPLE = 6;
const BETWEEN = 14;

export const TEXT_AT = SAMPLE + AFTER_SAMPLE;

/** The legend of the chart, in as few rows as possible. The first entry names the measure, of any length. */
export function keyRows(
  chart: Chart,
  { left, width, row, fontSize, fitting }: Room,
): { keys: Key[]; rows: number } {
  const keys: Key[] = [];
  let [x, y] = [left, row / 2];
  for (const { mark, text } of wanted(chart)) {
    const fitted = cutTo(width - TEXT_AT, fitting(text), fontSize);
    const taken = TEXT_AT + widthOf(fitted, fontSize);
    if (x > left && x + taken > left + width) [x, y] = [left, y + row];
    keys.push({ mark, text: fitted, x: Math.round(x), y });
    x += taken + BETWEEN;
  }
  return { keys, rows: Math.round(y / row + 0.5) };
}

function wanted(chart: Chart): Pick<Key, 'mark' | 'text'>[] {
  const { part, unit, calendar, points, breached, compared, labelled = [] } = chart;
  const [drawn, ...others] = drawnNotes(chart);
  const bands = points.flatMap(({ band }) => band ?? []);
  return [
    { mark: 'line', text: `${compared ? `${part}: ` : ''}${unit}, each ${calendar.grain}` },
    ...(compared ? [{ mark: 'compared' as const, text: compared.part }] : []),
    ...(bands.length > 0 ? [{ mark: 'expected' as const, text: 'expected' }] : []),
    ...(bands.some(({ low, high }) => low !== null || high !== null)
      ? [{ mark: 'band' as const, text: 'expected range' }]
      : []),
    ...(breached.length > 0 ? [{ mark: 'breached' as const, text: 'breached' }] : []),
    ...(labelled.length > 0 ? [{ mark: 'labelled' as const, text: 'known incident' }] : []),
    ...(drawn ? [{ mark: 'note' as const, text: others.length === 0 ? drawn.note.text : 'notes' }] : []),
  ];
}
