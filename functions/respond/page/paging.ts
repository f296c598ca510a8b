import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';

/** Rows on one page of a list, within the size limit of a page. */
const ROWS = 100;

/** One page of a list. */
export interface Paged<T> {
  rows: T[];
  /** From 1. */
  page: number;
  pages: number;
  total: number;
}

/** The requested page, such as "2". The first page if the number is invalid. */
export function paged<T>(all: T[], asked: string | undefined, size = ROWS): Paged<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const wanted = /^\d{1,6}$/.test(asked ?? '') ? Number(asked) : 1;
  const page = wanted >= 1 && wanted <= pages ? wanted : 1;
  return { rows: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/** Links to the previous and the next page, with the rest of the query. Empty for a single page. */
export function pager(
  { page, pages, total }: Paged<unknown>,
  path: string,
  query: Record<string, string>,
): Html {
  if (pages === 1) return html``;
  const to = (number: number) => `${path}?${new URLSearchParams({ ...query, page: String(number) })}`;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">Previous</a>` : html`<span class="quiet">Previous</span>`}
<span>Page ${page} of ${pages}, ${total} total</span>
${page < pages ? html`<a rel="next" href="${to(page + 1)}">Next</a>` : html`<span class="quiet">Next</span>`}
</nav>`;
}
