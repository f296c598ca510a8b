import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import { facts } from '../../../shared/pages/table.ts';

/** What `browser/keys.js` does. */
export const SHORTCUTS = [
  ['j, k', 'next or previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the alert'],
  ['a', 'go to "Acknowledge"; Enter confirms'],
  ['/', 'filter'],
  ['g o, g a, g r, g t', 'go to the overview, alerts, rules or timeline'],
  ['?', 'these shortcuts, and their switch'],
] as const;

export function shortcutsDialog(): Html {
  return html`<button type="button" id="show-shortcuts" class="scripted">Keyboard shortcuts</button>
<dialog id="shortcuts" aria-labelledby="shortcuts-name"><h2 id="shortcuts-name">Keyboard shortcuts</h2>
${facts(SHORTCUTS.map(([keys, does]) => [html`<kbd>${keys}</kbd>`, does]))}
<form method="dialog"><p><label><input type="checkbox" id="shortcuts-on" checked> Shortcuts are on</label></p><button>Close</button></form></dialog>`;
}
