import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { SEVERITIES, type Severity } from '../../../shared/rules/rule-schema.ts';
import { counted } from '../../../shared/text/counted.ts';

/** A filter of a list, with the name of its field in the address. */
export interface Filter<T> {
  name: string;
  label: string;
  input: 'words' | 'date' | readonly string[];
  matches: (item: T, value: string) => boolean;
}

/** The values given in the address, by the names of their filters. */
export type Chosen = Record<string, string>;

/** Longer values are cut off, as in the fields of the form. */
const LONGEST = 300;
/** With more options, a text field takes less of the page. */
const MOST_OPTIONS = 100;

export function chosenIn<T>(query: Record<string, string>, filters: Filter<T>[]): Chosen {
  const given = filters.map(({ name }) => [name, (query[name] ?? '').trim().slice(0, LONGEST)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The items that pass all filters, in their order. */
export function filtered<T>(items: T[], filters: Filter<T>[], chosen: Chosen): T[] {
  const active = activeIn(filters, chosen);
  return items.filter((item) => active.every(({ matches, value }) => matches(item, value)));
}

function activeIn<T>(filters: Filter<T>[], chosen: Chosen): (Filter<T> & { value: string })[] {
  return filters.flatMap((filter) => {
    const value = chosen[filter.name];
    return value === undefined ? [] : [{ ...filter, value }];
  });
}

/** A filter by words that each must occur in one of the texts. Ignores case. */
export function wordsFilter<T>(label: string, textsOf: (item: T) => string[]): Filter<T> {
  return { name: 'q', label, input: 'words', matches: (item, words) => isAbout(textsOf(item), words) };
}

function isAbout(texts: string[], words: string): boolean {
  const all = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
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

/** Filters by days. A span of dates such as "2026-03-04" matches if one of its days is within the chosen ones. */
export function dateFilters<T>(spanOf: (item: T) => { from: string; to: string }): Filter<T>[] {
  const isDate = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value);
  return [
    {
      ...{ name: 'from', label: 'From', input: 'date' },
      matches: (item, date) => isDate(date) && spanOf(item).to >= date,
    },
    {
      ...{ name: 'to', label: 'To', input: 'date' },
      matches: (item, date) => isDate(date) && spanOf(item).from <= date,
    },
  ];
}

/** The form of the filters. It keeps them in the address, and works without a script. */
export function filterForm<T>(path: string, filters: Filter<T>[], chosen: Chosen): Html {
  return html`<form class="filters" role="search" action="${path}">
${filters.map((filter) => html`<label>${filter.label} ${inputOf(filter, chosen[filter.name] ?? '')}</label>`)}
<button>Filter</button>${Object.keys(chosen).length > 0 && html` <a href="${path}">Show all</a>`}
</form>`;
}

function inputOf<T>({ name, input }: Filter<T>, value: string): Html {
  if (input === 'date') return html`<input type="date" name="${name}" value="${value}">`;
  if (input === 'words')
    return html`<input type="search" name="${name}" value="${value}" maxlength="${LONGEST}" autocomplete="off" spellcheck="false">`;
  if (input.length > MOST_OPTIONS)
    return html`<input name="${name}" value="${value}" maxlength="${LONGEST}" autocomplete="off" spellcheck="false">`;
  const options = value === '' || input.includes(value) ? input : [value, ...input];
  return html`<select name="${name}"><option value="">any</option>${options.map(
    (option) => html`<option${option === value && html` selected`}>${option}</option>`,
  )}</select>`;
}

/** That nothing matches, with a link for each filter whose removal would show something. */
export function noMatch<T>(
  { items, filters, chosen }: { items: T[]; filters: Filter<T>[]; chosen: Chosen },
  path: string,
  noun: string,
): Html {
  const active = activeIn(filters, chosen);
  const removals = active.flatMap(({ name, label }) => {
    const { [name]: _, ...others } = chosen;
    const count = filtered(items, filters, others).length;
    return count === 0 ? [] : [{ word: wordFor(name, label), count, href: addressOf(path, others) }];
  });
  const given = active.map(({ name, label, value }) => `${wordFor(name, label)} ${value}`).join(', ');
  return html`<div class="empty"><p>No ${noun} matches <bdi>${given}</bdi>.</p>
${
  removals.length === 0
    ? html`<p>Removing one filter is not enough. <a href="${path}">Show all</a></p>`
    : html`<ul>${removals.map(({ word, count, href }) => html`<li><a href="${href}">Remove ${word}</a> <span class="quiet">(${counted(count, noun)})</span></li>`)}</ul>`
}</div>`;
}

function wordFor(name: string, label: string): string {
  return name === 'q' ? 'words' : label.toLowerCase();
}

function addressOf(path: string, chosen: Chosen): string {
  const query = String(new URLSearchParams(chosen));
  return query === '' ? path : `${path}?${query}`;
}
