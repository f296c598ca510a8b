import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { SEVERITIES, type Severity } from '../../../shared/rules/rule-schema.ts';

/** A filter of a list, with the name of its field in the address. */
export interface Filter<T> {
  name: string;
  label: string;
  input: 'words' | readonly string[];
  matches: (item: T, value: string) => boolean;
}

/** Longer values are cut off, as in the fields of the form. */
const LONGEST = 300;

/** Rows on one page of a list, within the size limit of a page. */
const ROWS = 50;

/** One page of a filtered list. */
export interface Listing<T> {
  rows: T[];
  /** The values given in the address, by the names of their filters. */
  chosen: Record<string, string>;
  /** The form of the filters, the table of the rows, and the links to other pages. */
  around: (table: Html) => Html;
}

/** The items that pass the filters of the query, in their order, a page at a time. `none`: what is said without items. */
export function listingOf<T>(
  items: T[],
  { page, ...query }: Record<string, string>,
  { path, filters, none }: { path: string; filters: Filter<T>[]; none: string },
): Listing<T> {
  const given = filters.map(({ name }) => [name, (query[name] ?? '').trim().slice(0, LONGEST)] as const);
  const chosen: Listing<T>['chosen'] = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const passed = passing(items, chosen, filters);
  const pages = Math.max(1, Math.ceil(passed.length / ROWS));
  const asked = /^\d{1,6}$/.test(page ?? '') ? Number(page) : 1;
  const shown = asked >= 1 && asked <= pages ? asked : 1;
  const noMatch = html`Nothing matches the filters. <a href="${path}">Show all</a>`;
  const empty = html`<p class="empty">${items.length === 0 ? none : noMatch}</p>`;
  return {
    rows: passed.slice((shown - 1) * ROWS, shown * ROWS),
    chosen,
    around: (table) =>
      html`${filters.length > 0 && filterForm(path, filters, chosen)}${passed.length === 0 ? empty : table}${pages > 1 && pager({ shown, pages, total: passed.length }, path, chosen)}`,
  };
}

/** The items that pass all `chosen` filters, in their order. */
export function passing<T>(
  items: T[],
  chosen: Readonly<Record<string, string | undefined>>,
  filters: Filter<T>[],
): T[] {
  const active = filters.filter(({ name }) => chosen[name] !== undefined);
  return items.filter((item) => active.every(({ name, matches }) => matches(item, chosen[name] ?? '')));
}

/** Links to the previous and the next page. */
function pager(
  { shown, pages, total }: Record<'shown' | 'pages' | 'total', number>,
  path: string,
  chosen: Record<string, string>,
): Html {
  const to = (page: number) => `${path}?${new URLSearchParams({ ...chosen, page: String(page) })}`;
  return html`<nav class="pager" aria-label="Pages">
${shown > 1 ? html`<a rel="prev" href="${to(shown - 1)}">Previous</a>` : html`<span class="quiet">Previous</span>`}
<span>Page ${shown} of ${pages}, ${total} total</span>
${shown < pages ? html`<a rel="next" href="${to(shown + 1)}">Next</a>` : html`<span class="quiet">Next</span>`}
</nav>`;
}

/** A filter by words that each must occur in one of the texts. Ignores case. */
export function wordsFilter<T>(label: string, textsOf: (item: T) => string[]): Filter<T> {
  const matches = (item: T, words: string) => {
    const all = textsOf(item).join('\n').toLowerCase();
    const each = words.toLowerCase().split(/\s+/);
    return each.every((word) => all.includes(word));
  };
  return { name: 'q', label, input: 'words', matches };
}

/** Whether an alert is in the chosen state. A flapping one is also in another. */
export function hasState(
  { state, flappingSinceAt }: Pick<Alert, 'state' | 'flappingSinceAt'>,
  chosen: string,
): boolean {
  return chosen === 'flapping' ? flappingSinceAt !== null : state === chosen;
}

/** What a rule, or the alert of one, is filtered by. */
export interface About {
  app: string;
  owner: string;
  severity: Severity;
}

/** Filters by app, owner and severity. Options are those of all `rules`. */
export function aboutFilters<T>(rules: About[], aboutOf: (item: T) => About): Filter<T>[] {
  const optionsOf = (name: 'app' | 'owner') => [...new Set(rules.map((rule) => rule[name]))].toSorted();
  const filterBy = (name: keyof About, label: string, input: readonly string[]): Filter<T> => ({
    ...{ name, label, input },
    matches: (item, value) => aboutOf(item)[name] === value,
  });
  return [
    filterBy('app', 'App', optionsOf('app')),
    filterBy('owner', 'Owner', optionsOf('owner')),
    filterBy('severity', 'Severity', SEVERITIES),
  ];
}

/** The form of the filters, folded on narrow screens until one is chosen. It keeps them in the address, and works without a script. */
function filterForm<T>(path: string, filters: Filter<T>[], chosen: Record<string, string>): Html {
  const isFiltered = Object.keys(chosen).length > 0;
  return html`<details class="fold"${isFiltered && html` open`}><summary>Filters</summary><form class="filters" role="search" action="${path}">
${filters.map((filter) => html`<label>${filter.label} ${inputOf(filter, chosen[filter.name] ?? '')}</label>`)}
<button>Filter</button>${isFiltered && html` <a href="${path}">Show all</a>`}
</form></details>`;
}

function inputOf<T>({ name, input }: Filter<T>, value: string): Html {
  if (input === 'words')
    return html`<input type="search" name="${name}" value="${value}" maxlength="${LONGEST}" autocomplete="off" spellcheck="false">`;
  const options = value === '' || input.includes(value) ? input : [value, ...input];
  return html`<select name="${name}"><option value="">any</option>${options.map(
    (option) => html`<option${option === value && html` selected`}>${option}</option>`,
  )}</select>`;
}
