import { html, raw } from 'hono/html';

/** Markup whose inserted values are escaped. It can be inserted into other markup as it is. */
export type Html = ReturnType<typeof html>;
export type Cell = Html | string;

/** A sentence with `code` in backticks. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? code(part) : part))}`;

export const code = (text: string): Html => html`<code>${text}</code>`;

/** A heading with a link to itself, which shows on hover and on focus. */
export function heading(level: 2 | 3, id: string, content: Cell): Html {
  const mark = html`<a class="mark" href="#${id}" aria-label="Link to this section">#</a>`;
  return html`${raw(`<h${level} id="${id}">`)}${content} ${mark}${raw(`</h${level}>`)}`;
}

/** A table, shown as a list of labelled lines on a narrow screen. The first cell of a row is its header. */
export function table(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
): Html {
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${headings.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
<tbody>${rows.map(([name = '', ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell, at) => html`<td data-label="${headings[at + 1] ?? ''}"><span>${cell}</span></td>`)}</tr>`)}</tbody>
</table>`;
}

/** Preformatted text. It is focusable, so that wide lines can be scrolled with the keyboard. */
export const listing = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
