import * as z from 'zod';

export const ERROR_STATUSES = {
  INVALID_REQUEST: 400,
  INVALID_FILTER: 400,
  INVALID_OPERATOR: 400,
  INVALID_GROUP_BY: 400,
  INVALID_AGGREGATION: 400,
  INVALID_CURSOR: 400,
  MISSING_CREDENTIALS: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  QUERY_TIMEOUT: 504,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUSES;
const ERROR_CODES = Object.keys(ERROR_STATUSES) as ErrorCode[];

/** A fault of the request: where it is (`filters[0].operator`) and what it is. */
const errorDetailSchema = z.object({ path: z.string(), message: z.string() });
export type ErrorDetail = z.infer<typeof errorDetailSchema>;

export const errorBodySchema = z.strictObject({
  success: z.literal(false),
  data: z.array(z.never()).max(0),
  error: z.strictObject({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    details: z.array(errorDetailSchema).optional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Pages numbered from 1; `total` counts the items of all pages. */
export const paginationSchema = z.strictObject({
  current: z.int(),
  next: z.int().nullable(),
  total: z.int(),
});
export type Pagination = z.infer<typeof paginationSchema>;

/** Pages of the JSON-body lists; `next_cursor` is "" on the last. */
export const cursorPaginationSchema = z.strictObject({
  page_size: z.int(),
  current_page: z.int(),
  next_page: z.int().nullable(),
  has_more: z.boolean(),
  next_cursor: z.string(),
});
export type CursorPagination = z.infer<typeof cursorPaginationSchema>;

/** Keys (strings, null if the data has no value) and metrics of one group, by field. */
export type AnalyticsRow = Record<string, string | number | null>;

/** The fields that `comparison=1` adds to each metric. */
export const pctChangeKey = (metricKey: string): string => `${metricKey}_pct_change`;
export const previousKey = (metricKey: string): string => `${metricKey}_previous`;

/** Change in percent, to two decimals; null if the previous value is 0 or missing. */
export function pctChange(current: number | null, previous: number | null): number | null {
  if (current === null || previous === null || previous === 0) return null;
  return Math.round(((current - previous) / previous) * 10_000) / 100;
}
