import { html } from 'hono/html';
import type { Alert, LastWindow } from '../../../shared/alerts/alert.ts';
import { amountText, valueText } from '../../../shared/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { counted } from '../../../shared/text/counted.ts';
import { segmentText, shownValue } from './alert-parts.ts';

type Shown = Pick<Alert, 'segment' | 'lastWindows' | 'largestSegment'>;

/** The last windows of an alert as a small line. Empty for composite rules, and before two windows have a value. */
export function spark(alert: Shown, rule: Rule | undefined): Html | '' {
  if (!rule || rule.members) return '';
  return sparkline(alert.lastWindows, sparkText(alert, rule));
}

/** The small line, its last value, and the segment that it is about. */
export function sparkCell(alert: Shown, rule: Rule): Html | string {
  const line = spark(alert, rule);
  if (line === '' || rule.members) return '–';
  const segment = segmentOf(alert);
  const last = shownValue(alert.lastWindows.at(-1)?.value ?? null, rule);
  return html`${line}<span class="figure">${last}</span>${segment !== null && html` <span class="quiet"><bdi>${segmentText(segment)}</bdi></span>`}`;
}

/** "DE, last 24 days: 205 to 1,051, last 205 events, 2 breached". */
export function sparkText(alert: Shown, rule: FigureRule): string {
  const { lastWindows } = alert;
  const values = lastWindows.flatMap(({ value }) => value ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => valueText(value, rule));
  const segment = segmentOf(alert);
  const breaches = lastWindows.filter(({ verdict }) => verdict === 'breached').length;
  const span = `last ${counted(lastWindows.length, rule.window)}`;
  const last = amountText(lastWindows.at(-1)?.value ?? null, rule);
  return [
    ...(segment === null ? [] : [segmentText(segment)]),
    `${span}: ${low} to ${high}`,
    `last ${last}`,
    ...(breaches > 0 ? [`${breaches} breached`] : []),
  ].join(', ');
}

/** The segment that the windows are about: of a whole rule, its largest. */
function segmentOf({ segment, largestSegment }: Shown): string | null {
  return segment ?? largestSegment ?? null;
}

const WIDTH = 96;
const HEIGHT = 24;
/** Room for half a dot and half a line. */
const EDGE = 3;
/** A change of less than this share of the largest value does not fill the height, so that noise stays small. */
const SMALLEST_SPAN = 0.2;

/** A line in the colour of the text, with gaps where values are missing. Empty for fewer than two values. */
export function sparkline(windows: LastWindow[], label: string): Html | '' {
  const at = placesOf(windows);
  if (at.filter((place) => place !== null).length < 2) return '';
  const dots = at.filter((place, i) => place !== null && windows[i]?.verdict === 'breached');
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><path d="${lineThrough(at)}"/>${dots.map(
    (dot) => html`<circle cx="${dot?.x}" cy="${dot?.y}" r="2.5"/>`,
  )}</svg>`;
}

type Place = { x: number; y: number } | null;

function placesOf(windows: LastWindow[]): Place[] {
  const values = windows.flatMap(({ value }) => value ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(high - low, SMALLEST_SPAN * Math.max(Math.abs(low), Math.abs(high))) || 1;
  const bottom = (low + high - span) / 2;
  const step = (WIDTH - 2 * EDGE) / Math.max(1, windows.length - 1);
  return windows.map(({ value }, i) => {
    if (value === null) return null;
    const y = HEIGHT - EDGE - ((value - bottom) / span) * (HEIGHT - 2 * EDGE);
    return { x: Math.round(EDGE + i * step), y: Math.round(y * 10) / 10 };
  });
}

/** A path that starts again after each gap. A value between two gaps is a line of no length, which is drawn round. */
function lineThrough(places: Place[]): string {
  return places
    .map((place, i) => {
      if (!place) return '';
      const { x, y } = place;
      const [before, after] = [places[i - 1], places[i + 1]];
      return before ? `L${x} ${y}` : `M${x} ${y}${after ? '' : 'h0'}`;
    })
    .join('');
}
