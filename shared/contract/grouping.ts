import * as z from 'zod';
import { ATTRIBUTES, type AttributeName, attributeNames, type Resource } from './attributes.ts';
import { attributeOf, attributeSchema, propertyFault, propertyNameSchema } from './filters.ts';

const MAX_GROUP_ATTRIBUTES = 4;
export const DEFAULT_MAX_GROUP_NUMBER = 50;
/** A query with more rows is refused, never truncated. */
export const MAX_ROWS = 10_000;
/** The key of the row into which all groups past `max_group_number` are folded. */
export const OTHERS = 'others';

export const groupBySchema = z.strictObject({
  attribute: attributeSchema,
  property_name: propertyNameSchema.optional(),
  max_group_number: z.int().min(1).max(1000).optional(),
});
export type GroupBy = z.infer<typeof groupBySchema>;

/** The groups without a `group_by`. */
export const DEFAULT_GROUP_BY: Readonly<Record<Resource, readonly GroupBy[]>> = {
  event: [],
  session: [],
  user: [],
  screen: [{ attribute: 'screen_name' }],
};

/** The row field with the key of a group. */
export function groupKey(group: { attribute: AttributeName; property_name?: string | undefined }): string {
  return group.property_name === undefined ? group.attribute : `${group.attribute}_${group.property_name}`;
}

export const isTimeBucket = (group: GroupBy): boolean => ATTRIBUTES[group.attribute].type === 'bucket';

/** The `group_by` of one query: up to four different attributes of the resource. */
export function groupingFor(resource: Resource) {
  return z
    .array(groupBySchema.extend({ attribute: attributeOf(attributeNames(resource, 'groupsOn')) }), {
      error: 'not a list of groups',
    })
    .max(MAX_GROUP_ATTRIBUTES, `over ${MAX_GROUP_ATTRIBUTES} attributes`)
    .superRefine((groups, context) => {
      const seen = new Set<string>();
      groups.forEach((group, index) => {
        const fail = (message: string, field: string) =>
          context.addIssue({ code: 'custom', message, path: [index, field] });
        if (!ATTRIBUTES[group.attribute].groupsOn.includes(resource)) {
          const accepted = attributeNames(resource, 'groupsOn').join(', ');
          fail(`${resource}s cannot be grouped by ${group.attribute}; use ${accepted}`, 'attribute');
        }
        const property = propertyFault(group.attribute, group.property_name);
        if (property) fail(property.message, 'property_name');
        if (seen.has(groupKey(group))) fail(`${groupKey(group)} twice`, 'attribute');
        seen.add(groupKey(group));
      });
    })
    .meta({ uniqueItems: true });
}

/** The percentiles of this service, an extension of the documented interface. `p50` is the median. */
export const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const;
export type Percentile = (typeof PERCENTILES)[number];
export const OPERATIONS = ['sum', 'avg', 'min', 'max', ...PERCENTILES] as const;
export type Operation = (typeof OPERATIONS)[number];

export const aggregationSchema = z.strictObject({
  attribute: z.string(),
  property_name: propertyNameSchema.optional(),
  operator: z.enum(['', 'count', ...OPERATIONS]).optional(),
});
export type Aggregation = z.infer<typeof aggregationSchema>;

/** Splits `avg_session_duration` into `avg` and `session_duration`. */
export function splitPrefix(attribute: string): { operation?: Operation; name: string } {
  const operation = OPERATIONS.find((candidate) => attribute.startsWith(`${candidate}_`));
  return operation ? { operation, name: attribute.slice(operation.length + 1) } : { name: attribute };
}

/** The row field with the result of an aggregation. */
export function aggregationKey({ attribute, operator, property_name }: Aggregation): string {
  const { operation = operator, name } = splitPrefix(attribute);
  const prefix = operation && operation !== 'count' ? `${operation}_` : '';
  return `${prefix}${name}${property_name === undefined ? '' : `_${property_name}`}`;
}
