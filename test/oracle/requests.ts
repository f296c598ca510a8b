/** Requests in the JSON of the contract. */

export type Resource = 'event' | 'session' | 'user' | 'screen';

export interface RequestFilter {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
  readonly property_name?: string;
  /** Of the event that the filter names. */
  readonly property?: { readonly name: string; readonly operator: string; readonly value: unknown };
}

/** A filter, or a group of filters. */
export type RequestCondition =
  | RequestFilter
  | { readonly any: readonly RequestCondition[] }
  | { readonly did: readonly RequestFilter[] }
  | { readonly did_not: readonly RequestFilter[] };

/** The filters of a list of conditions, also those within groups. */
export const filtersWithin = (conditions: readonly RequestCondition[]): RequestFilter[] =>
  conditions.flatMap((one) => ('attribute' in one ? [one] : Object.values(one).flatMap(filtersWithin)));

export interface RequestGroup {
  readonly attribute: string;
  readonly property_name?: string;
  readonly max_group_number?: number;
}

export interface RequestMetric {
  readonly attribute: string;
  readonly operator?: string;
  readonly property_name?: string;
}

export interface RequestSort {
  readonly attribute?: string;
  readonly metric?: string;
  readonly direction: 'asc' | 'desc';
}

export interface RequestHaving {
  readonly metric: string;
  readonly operator: string;
  readonly value: number;
}

export interface AnalyticsRequest {
  readonly time_zone?: string;
  readonly sort?: readonly RequestSort[];
  readonly having?: readonly RequestHaving[];
  readonly limit?: number;
  readonly filters?: readonly RequestCondition[];
  readonly group_by?: readonly RequestGroup[];
  readonly aggregation?: readonly RequestMetric[];
  readonly comparison?: 0 | 1;
}

export interface ListRequest {
  readonly time_zone?: string;
  readonly filters?: readonly RequestCondition[];
  /** Users only. */
  readonly show_only?: readonly string[];
}

/** The expected refusal of a request, with its error code. */
export class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
