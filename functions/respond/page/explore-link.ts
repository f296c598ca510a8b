import { html } from 'hono/html';
import type { Filter } from '../../../shared/contract/filters.ts';
import { OTHERS } from '../../../shared/contract/grouping.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import { groupsOf } from '../../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { segmentValues } from '../../../shared/text/segment-name.ts';

export const EXPLORE = '/explore';
/** The numbers of its filters. */
export const EXPLORE_FILTERS = [1, 2, 3];

/**
 * The page that tries other bounds on the figure of a rule, or of one of its segments. `undefined` for figures that its form
 * cannot name.
 */
function exploreLink(rule: Rule | undefined, segment: string | null): string | undefined {
  const watched = rule?.members ? undefined : rule && watchedBy(rule);
  const own = rule && segmentFilters(rule, segment);
  if (!rule || !watched || !own) return undefined;
  const filters = [...watched.filters, ...own];
  if (filters.length > EXPLORE_FILTERS.length) return undefined;
  const { below, above } = rule.fire?.change ?? {};
  const change = below ?? above;
  const query = new URLSearchParams({
    ...{ app: rule.app, watch: watched.watch, grain: rule.window === 'hour' ? 'hour' : 'day' },
    ...(change !== undefined && { change: `${Math.round(change * 100)}%` }),
    ...(segment === null && { group: groupsOf(rule).map(nameOf).join(', ') }),
  });
  filters.forEach((filter, i) => {
    query.set(`attribute${i + 1}`, nameOf(filter));
    query.set(`operator${i + 1}`, filter.operator);
    query.set(`value${i + 1}`, [filter.value].flat().join(', '));
  });
  return `${EXPLORE}?${query}`;
}

/** The link, where the page explores. */
export function exploreTag(rule: Rule | undefined, segment: string | null, viewer: Viewer): Html | undefined {
  const link = viewer.explores ? exploreLink(rule, segment) : undefined;
  return link === undefined ? undefined : html` · <a href="${link}">Explore</a>`;
}

/** The figure as the form names it: an event, two of them, or a metric. */
function watchedBy({ metric, ratio, funnel, formula, filters }: FigureRule) {
  if (funnel || formula || filters.some(({ operator }) => operator === 'between_dates')) return undefined;
  const sides = ratio && [ratio.of, ratio.to].filter((side) => typeof side === 'string');
  if (sides) return sides.length < 2 ? undefined : { watch: sides.join(' / '), filters };
  const event = filters.find(({ attribute, operator }) => attribute === 'event_name' && operator === 'equal');
  if (metric === 'event_count' && event)
    return { watch: String(event.value), filters: filters.filter((each) => each !== event) };
  return typeof metric === 'string' ? { watch: metric, filters } : undefined;
}

/** What selects the rows of a segment. `undefined` if no filter can: for the sum of the others, and without a value. */
export function segmentFilters(rule: Rule, segment: string | null): Filter[] | undefined {
  if (segment === null) return [];
  const groups = groupsOf(rule);
  const values = groups.length > 1 ? segmentValues(segment) : [segment];
  if (segment === OTHERS || values.includes('')) return undefined;
  return groups.map((group, i) => ({ ...group, operator: 'equal', value: values[i] ?? '' }));
}

function nameOf({ attribute, property_name }: Pick<Filter, 'attribute' | 'property_name'>): string {
  return property_name === undefined ? attribute : `${attribute}:${property_name}`;
}
