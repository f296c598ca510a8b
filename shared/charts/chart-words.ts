import type { Chart } from '../messages/chart.ts';
import { altText } from '../messages/chart-text.ts';
import { measureText, momentText } from '../messages/figure-text.ts';
import { quoted } from '../text/quoted.ts';
import { drawnNotes } from './chart-rows.ts';
import { valueAxis } from './value-axis.ts';

/** Notes that the text names. */
const NAMED = 3;

/** The alternative text of a drawing: that of the chart, what its axis leaves out, and the notes. */
export function chartWords(chart: Chart): string {
  return [altText(chart), ...comparedSentence(chart), ...beyondSentence(chart), ...noteSentence(chart)].join(
    ' ',
  );
}

function comparedSentence({ compared, isShare }: Chart): string[] {
  if (!compared) return [];
  const last = compared.values.at(-1) ?? null;
  return [
    `Compared with ${quoted(compared.part)}: ${last === null ? 'no value' : measureText(last, isShare)}.`,
  ];
}

function beyondSentence(chart: Chart): string[] {
  const { beyond } = valueAxis(chart);
  if (!beyond) return [];
  const high = measureText(beyond.high, chart.isShare);
  return [`The expected range continues above the chart, up to ${high}.`];
}

function noteSentence(chart: Chart): string[] {
  const notes = drawnNotes(chart);
  if (notes.length === 0) return [];
  const last = notes
    .slice(-NAMED)
    .map(({ note: { text, at } }) => `${quoted(text)}, ${momentText(at, chart.calendar.zone)}`);
  const more = notes.length - last.length;
  return [`Notes: ${more > 0 ? `${more} earlier; ` : ''}${last.join('; ')}.`];
}
