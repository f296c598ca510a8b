import { html } from 'hono/html';
import type { Html } from './html.ts';

export type Cell = Html | string | number;

/**
 * A table that becomes a list of labelled lines on narrow screens, or of short lines without labels if it is `dense`. The
 * first cell of a row is its header.
 */
export function table(
  caption: string,
  headings: string[],
  rows: Cell[][],
  dense?: 'alerts' | 'rules' | 'incidents',
): Html {
  return html`<table${dense && html` class="dense ${dense}"`}>
<caption>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, i) => cellOf(cell, headings[i] ?? '', i === 0))}</tr>`)}</tbody>
</table>`;
}

function cellOf(cell: Cell, label: string, isName: boolean): Html {
  return isName
    ? html`<th scope="row" data-label="${label}">${cell}</th>`
    : html`<td data-label="${label}"><span>${cell}</span></td>`;
}

/** A definition list, one pair on each line. */
export function facts(pairs: (readonly [label: Cell, text: Cell])[]): Html {
  return html`<dl class="facts">${pairs.map(([label, text]) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>`;
}
