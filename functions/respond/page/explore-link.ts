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
  if (!rule || rule.members) return undefined;
  const { watch, filters } = watchedBy(rule);
  const own = segment === null ? [] : segmentFilters(rule, segment);
  const all = [...filters, ...own];
  if (watch === undefined || all.length > EXPLORE_FILTERS.length) return undefined;
  const { below, above = below } = rule.fire?.change ?? {};
  const query = new URLSearchParams({
    ...{ app: rule.app, watch, grain: rule.window === 'hour' ? 'hour' : 'day' },
    ...(above !== undefined && { change: `${Math.round((below ?? above) * 100)}%` }),
    ...(own.length === 0 && { group: groupsOf(rule).map(nameOf).join(', ') }),
  });
  all.forEach((filter, i) => {
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
function watchedBy({ metric, ratio, funnel, formula, filters }: FigureRule): {
  watch?: string;
  filters: Filter[];
} {
  if (funnel || formula || filters.some(({ operator }) => operator === 'between_dates')) return { filters };
  if (ratio)
    return typeof ratio.of === 'string' && typeof ratio.to === 'string'
      ? { watch: `${ratio.of} / ${ratio.to}`, filters }
      : { filters };
  const event = filters.find(({ attribute, operator }) => attribute === 'event_name' && operator === 'equal');
  if (metric === 'event_count' && event)
    return { watch: String(event.value), filters: filters.filter((each) => each !== event) };
  return typeof metric === 'string' ? { watch: metric, filters } : { filters };
}

/** What selects the rows of a segment; nothing for the sum of the others, and for the steps of a funnel. */
export function segmentFilters(rule: Rule, segment: string): Filter[] {
  if (segment === OTHERS) return [];
  const groups = groupsOf(rule);
  const values = groups.length > 1 ? segmentValues(segment) : [segment];
  return groups.map((group, i) => ({ ...group, operator: 'equal', value: values[i] ?? '' }));
}

function nameOf({ attribute, property_name }: Pick<Filter, 'attribute' | 'property_name'>): string {
  return property_name === undefined ? attribute : `${attribute}:${property_name}`;
}
