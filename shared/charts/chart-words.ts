import type { Chart } from '../messages/chart.ts';
import { altText } from '../messages/chart-text.ts';
import { measureText, momentText } from '../messages/figure-text.ts';
import { quoted } from '../text/quoted.ts';
import { rangeBeyond } from './chart-axes.ts';
import { drawnNotes } from './chart-rows.ts';

/** Notes that the text names. */
const NAMED = 3;

/** The alternative text of a drawing: that of the chart, what its axis leaves out, and the notes. */
export function chartWords(chart: Chart): string {
  return [altText(chart), ...beyondSentence(chart), ...noteSentence(chart)].join(' ');
}

function beyondSentence(chart: Chart): string[] {
  const beyond = rangeBeyond(chart);
  if (!beyond) return [];
  return [`The expected range continues above the chart, up to ${measureText(beyond.high, chart.isShare)}.`];
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
