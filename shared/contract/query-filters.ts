import * as z from 'zod';
import type { Read, Resource } from './attributes.ts';
import { type Filter, filterFor, propertyNameSchema } from './filters.ts';

/** A limit, because the query grows with each filter. */
export const MAX_FILTERS = 50;
/** Limit for the lists of all filters of a query together: each value is compared with each row. */
export const MAX_LIST_VALUES = 2000;

type Member = Filter | { did: Filter[] } | { did_not: Filter[] };
export type FilterGroup = { any: Member[] } | { did_not: Filter[] };
/**
 * A condition of a query. `any` matches what one of its members alone would match. `did` matches sessions with an event
 * that matches all filters, and users with such a session in the window; `did_not` matches all others.
 */
export type QueryFilter = Member | FilterGroup;

/** The filters of a query, also those within groups, each with its place. */
export function leavesOf(filters: readonly QueryFilter[]): { filter: Filter; path: (string | number)[] }[] {
  return filters.flatMap((filter, index) =>
    'attribute' in filter
      ? [{ filter, path: [index] }]
      : Object.entries(filter).flatMap(([key, members]) =>
          leavesOf(members).map((leaf) => ({ ...leaf, path: [index, key, ...leaf.path] })),
        ),
  );
}

const listOf = <T extends z.ZodType>(filter: T) =>
  z.array(filter, { error: 'not a list of filters' }).max(MAX_FILTERS, `over ${MAX_FILTERS} filters`);
const groupOf = <T extends z.ZodType>(filter: T) => listOf(filter).min(1, 'an empty list');

const eventFilter = z.lazy(() => filterFor('event', 'list'));
const namedEvent = eventFilter.refine(
  ({ attribute, operator }) => attribute === 'event_name' && !operator.startsWith('not_'),
  'property only fits event_name with equal, in or contains',
);
/** A property of the event that `event_name` names: the other way in which the interface writes `did`. */
const ofNamedEvent = z
  .looseObject({
    property: z
      .strictObject({ name: propertyNameSchema, operator: z.unknown(), value: z.unknown() })
      .transform(({ name, ...compared }, context) =>
        adopt(eventFilter, { ...compared, attribute: 'event_custom_property', property_name: name }, context),
      ),
  })
  .transform(({ property, ...named }, context) => ({ did: [adopt(namedEvent, named, context), property] }));

/** What is wrong with a value whose schema does not say so itself. */
export const faultText: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `not one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'missing';
  const expected = issue.expected === 'array' ? 'list' : issue.expected;
  return `not ${expected === 'object' ? 'an' : 'a'} ${expected}`;
};

function adopt<T>(schema: z.ZodType<T>, input: unknown, context: z.core.$RefinementCtx): T {
  const { data, error } = schema.safeParse(input, { error: faultText });
  for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input } as z.core.$ZodRawIssue);
  return data ?? z.NEVER;
}

/** Parses an object by the key that it has, because a union would not say what is wrong. */
const byKey = <T>(forms: Readonly<Record<string, z.ZodType<T>>>, otherwise: z.ZodType<T>) =>
  z.unknown().transform((input, context) => {
    const [, form = otherwise] =
      Object.entries(forms).find(([key]) => Object.hasOwn(Object(input), key)) ?? [];
    return adopt(form, input, context);
  });

/** The filters of one query, combined with AND. Checks attributes, operators and values against the resource. */
export function filtersFor(resource: Resource, read: Read) {
  const forms = {
    did: z.strictObject({ did: groupOf(eventFilter) }),
    did_not: z.strictObject({ did_not: groupOf(eventFilter) }),
    // An event has its properties itself.
    ...(resource !== 'event' && { property: ofNamedEvent }),
  };
  const filter = filterFor(resource, read);
  const nested = z.never('any within any; list its filters in the outer one');
  const member = byKey<Member>({ any: nested, ...forms }, filter);
  const any = z.strictObject({ any: groupOf(member) });
  return listOf(z.unknown())
    .pipe(z.array(byKey<QueryFilter>({ any, ...forms }, filter)))
    .superRefine((filters, context) => {
      const fail = (message: string, path: (string | number)[] = []) =>
        context.addIssue({ code: 'custom', message, path });
      const leaves = leavesOf(filters);
      if (leaves.length > MAX_FILTERS) fail(`over ${MAX_FILTERS} filters`);
      const listed = leaves.flatMap(({ filter: { value } }) => (Array.isArray(value) ? value : [])).length;
      if (listed > MAX_LIST_VALUES)
        fail(`${listed} values in lists; all filters of a query together may have ${MAX_LIST_VALUES}`);
      const windows = leaves.filter(({ filter: { attribute } }) => attribute === 'date_range');
      for (const [nth, { path }] of windows.entries()) {
        const at = [...path, 'attribute'];
        if (path.length > 1)
          fail('date_range is the window of the whole query; move it out of the group', at);
        else if (nth > 0) fail('a second date_range', at);
      }
    });
}
