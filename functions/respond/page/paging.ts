import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';

/** Rows on one page of a list: what fits in the size that a page may have. */
const ROWS = 100;

/** A part of a list that is too long for one page. */
export interface Paged<T> {
  rows: T[];
  /** From 1. */
  page: number;
  pages: number;
  total: number;
}

/** The part that the query asks for: "2"; the first for anything that is no page of it. */
export function paged<T>(all: T[], asked: string | undefined, size = ROWS): Paged<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const wanted = /^\d{1,6}$/.test(asked ?? '') ? Number(asked) : 1;
  const page = wanted >= 1 && wanted <= pages ? wanted : 1;
  return { rows: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/** Links to the page before and the one after, with the rest of the query; nothing where all is shown. */
export function pager(
  { page, pages, total }: Paged<unknown>,
  path: string,
  query: Record<string, string>,
  key = 'page',
): Html {
  if (pages === 1) return html``;
  const to = (number: number) => `${path}?${new URLSearchParams({ ...query, [key]: String(number) })}`;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">Before</a>` : html`<span class="quiet">Before</span>`}
<span>Page ${page} of ${pages}, ${total} in all</span>
${page < pages ? html`<a rel="next" href="${to(page + 1)}">Next</a>` : html`<span class="quiet">Next</span>`}
</nav>`;
}

/** A box that narrows a list down, on the server: it works without a script. */
export function searchBox(path: string, words: string, label: string): Html {
  return html`<form class="search" role="search" action="${path}">
<label>${label} <input type="search" name="q" value="${words}" autocomplete="off" spellcheck="false"></label>
<button>Find</button>${words !== '' && html` <a href="${path}">Show all</a>`}
</form>`;
}

/** Whether each of the words occurs in one of the texts, in any case. */
export function isAbout(texts: string[], words: string): boolean {
  const all = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
