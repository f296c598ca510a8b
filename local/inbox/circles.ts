import { html } from 'hono/html';
import type { Html } from '../../shared/pages/html.ts';

/** The colours that Slack gives to the circles of severities. */
const COLOURS = new Map([
  ['🔴', '#dd2e44'],
  ['🟠', '#f4900c'],
  ['🔵', '#55acee'],
]);

/** Escapes a text and draws its circles as Slack does, because some machines have no font with emoji. */
export function withCircles(text: string): Html {
  return html`${text.split(/(🔴|🟠|🔵)/u).map((part) => {
    const colour = COLOURS.get(part);
    return colour === undefined ? part : circle(part, colour);
  })}`;
}

function circle(name: string, colour: string): Html {
  return html`<svg role="img" aria-label="${name}" viewBox="0 0 16 16" width="14" height="14"><circle cx="8" cy="8" r="8" fill="${colour}"/></svg>`;
}
