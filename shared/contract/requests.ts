import * as z from 'zod';
import { type Metric, metricsFor } from './aggregations.ts';
import type { Resource } from './attributes.ts';
import { DEFAULT_GROUP_BY, type GroupBy, groupingFor, groupKey, MAX_ROWS } from './grouping.ts';
import { filtersFor } from './query-filters.ts';
import { pctChangeKey, previousKey } from './responses.ts';
import { spellingOfZone } from './zone.ts';

export const LEGACY_PAGE_SIZE = { default: 50, max: 500 } as const;
const BODY_PAGE_SIZE = { default: 500, max: 2000 } as const;

/** A cursor contains an id, which may be over a thousand letters long when encoded. */
const MAX_CURSOR_LETTERS = 10_000;

export const wholeNumber = (max: number) =>
  z
    .int({ error: `not a whole number from 1 to ${max}`, abort: true })
    .min(1)
    .max(max);
const page = wholeNumber(1_000_000);
const pageSize = ({ max }: { max: number }) => wholeNumber(max);
const comparison = z.literal([0, 1]).default(0);
/** The zone of the whole request, instead of that of the app. */
export const time_zone = z
  .string()
  .refine(
    (name) => spellingOfZone(name) !== undefined,
    'not an IANA time zone; use a name such as Europe/Berlin',
  )
  .optional();

const direction = z.enum(['asc', 'desc'], 'not asc or desc');
/** A field of the rows: of a group (`attribute`) or of a metric. */
const sortSchema = z.union(
  [z.strictObject({ attribute: z.string(), direction }), z.strictObject({ metric: z.string(), direction })],
  'not an object with attribute or metric, and direction asc or desc',
);
export type Sort = z.infer<typeof sortSchema>;
const havingSchema = z.strictObject({
  metric: z.string(),
  operator: z.enum(['equal', 'not_equal', 'greater', 'less', 'greater_or_equal', 'less_or_equal']),
  value: z.number('not a number'),
});
export type Having = z.infer<typeof havingSchema>;

function analyticsFields<R extends Resource>(resource: R) {
  return {
    filters: filtersFor(resource, 'analytics').default([]),
    group_by: groupingFor(resource).default([...DEFAULT_GROUP_BY[resource]]),
    aggregation: metricsFor(resource),
    comparison,
    time_zone,
    sort: z.array(sortSchema).max(10, 'over 10 fields').default([]),
    having: z.array(havingSchema).max(10, 'over 10 conditions').default([]),
    limit: wholeNumber(MAX_ROWS).optional(),
  };
}

export interface Order {
  readonly group_by: readonly GroupBy[];
  readonly sort: readonly Sort[];
  readonly having: readonly Having[];
  readonly limit?: number | undefined;
}

interface Metrics {
  readonly aggregation: readonly Metric[];
  readonly comparison: 0 | 1;
}

function refuseUnknownFields(
  { group_by, aggregation, comparison, sort, having }: Order & Metrics,
  context: z.core.$RefinementCtx,
): void {
  const keys = aggregation.map(({ key }) => key);
  const compared = comparison === 0 ? [] : keys.flatMap((key) => [previousKey(key), pctChangeKey(key)]);
  const fields = { attribute: group_by.map(groupKey), metric: [...keys, ...compared] };
  for (const [list, items] of Object.entries({ sort, having }))
    for (const [index, item] of items.entries()) {
      const kind = 'metric' in item ? 'metric' : 'attribute';
      if (fields[kind].includes(nameIn(item))) continue;
      const message = `not a field of the rows; they have ${fields[kind].join(', ') || 'no group'}`;
      context.addIssue({ code: 'custom', message, path: [list, index, kind] });
    }
}

/** The field that an item of `sort` or `having` names. */
export const nameIn = (named: Sort | Having): string => ('metric' in named ? named.metric : named.attribute);

/** The name of a property may collide with what comparison adds to another: `price` and `price_previous`. */
function refuseSharedFields({ aggregation, comparison }: Metrics, context: z.core.$RefinementCtx): void {
  if (comparison === 0) return;
  const siblings = new Set(aggregation.flatMap(({ key }) => [pctChangeKey(key), previousKey(key)]));
  aggregation.forEach(({ key }, index) => {
    if (!siblings.has(key)) return;
    const message = `${key} is also a field that comparison adds; request it separately`;
    context.addIssue({ code: 'custom', message, path: ['aggregation', index, 'property_name'] });
  });
}

/** `GET /v2/<resource>/analytics` without credentials. Rows are only paged if a page is requested. */
export function legacyAnalyticsSchema<R extends Resource>(resource: R) {
  return z
    .strictObject({
      ...analyticsFields(resource),
      page: page.optional(),
      page_size: pageSize(LEGACY_PAGE_SIZE).optional(),
    })
    .superRefine(refuseSharedFields)
    .superRefine(refuseUnknownFields);
}

/** `GET /v2/<resource>` without credentials. */
export function legacyListSchema(resource: Resource) {
  return z.strictObject({
    filters: filtersFor(resource, 'list').default([]),
    time_zone,
    page: page.default(1),
    page_size: pageSize(LEGACY_PAGE_SIZE).default(LEGACY_PAGE_SIZE.default),
  });
}

export const appIdSchema = z.string('not a string').min(1, 'empty').max(64, 'over 64 characters');

/** The pages of rows under `/api/data-access/v1`. */
export const bodyPages = {
  page: page.default(1),
  page_size: pageSize(BODY_PAGE_SIZE).default(BODY_PAGE_SIZE.default),
};

/** `POST /api/data-access/v1/<resource>`. */
export function bodyListSchema(resource: Resource) {
  return z.strictObject({
    app_id: appIdSchema,
    filters: filtersFor(resource, 'list').default([]),
    time_zone,
    page_size: pageSize(BODY_PAGE_SIZE).default(BODY_PAGE_SIZE.default),
    cursor: z.string().min(1, 'empty, as next_cursor is on the last page').max(MAX_CURSOR_LETTERS).optional(),
  });
}

const sectionSchema = z.enum(['property', 'usage', 'location', 'device', 'deviceBasics', 'deviceHardware']);
/** A part of a user record. `device` includes both of its parts. */
export type Section = z.infer<typeof sectionSchema>;
export const showOnly = { show_only: z.array(sectionSchema).min(1, 'an empty list').default(['usage']) };

/** `POST /api/data-access/v1/<resource>/analytics`. */
export function bodyAnalyticsSchema<R extends Resource>(resource: R) {
  return z
    .strictObject({
      app_id: appIdSchema,
      ...analyticsFields(resource),
      ...bodyPages,
    })
    .superRefine(refuseSharedFields)
    .superRefine(refuseUnknownFields);
}
