import { html, raw } from 'hono/html';

/** Markup whose inserted values are escaped; nests in other markup as it is. */
export type Html = ReturnType<typeof html>;
export type Cell = Html | string;

/** A sentence in which `code` stands in backticks. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;

export const code = (text: string): Html => html`<code>${text}</code>`;

/** A heading that can be linked to, by a mark that shows when one points at it or tabs to it. */
export function heading(level: 2 | 3 | 4, id: string, content: Cell): Html {
  const mark = html`<a class="mark" href="#${id}" aria-label="Link to this part">#</a>`;
  return html`${raw(`<h${level} id="${id}">`)}${content} ${mark}${raw(`</h${level}>`)}`;
}

/** A table that becomes a list of labelled lines where it is narrow. The first cell of a row names it. */
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

/** Lines as they stand; one that is too wide is scrolled, also by keyboard. */
export const listing = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;

const WIDTH = 92;

/** JSON with whatever fits into a line in one. */
export function compactJson(value: unknown, indent = ''): string {
  const line = spaced(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((each) => compactJson(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${compactJson(each, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
