import { html } from 'hono/html';
import type { LastWindow } from '../alerts/alert.ts';
import type { Html } from './html.ts';

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
