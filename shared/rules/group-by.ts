import * as z from 'zod';
import type { AttributeName } from '../contract/attributes.ts';
import { attributeSchema, propertyNameSchema } from '../contract/filters.ts';
import { type GroupBy, groupKey } from '../contract/grouping.ts';

/** An attribute, or a property with its name. */
const groupSchema = z.union([
  attributeSchema,
  z.strictObject({ attribute: attributeSchema, property_name: propertyNameSchema.optional() }),
]);

const ONE_OR_TWO = 'write one attribute without a list, or a list of two';

/** One attribute or two, whose combined values are segments. */
export const groupBySchema = z.union(
  [
    groupSchema,
    z
      .array(groupSchema)
      .min(2, ONE_OR_TWO)
      .max(2, ONE_OR_TWO)
      .refine((groups) => new Set(groups.map(nameOf)).size === groups.length, {
        error: 'name two different attributes',
      })
      .refine((groups) => groups.slice(1).every((group) => nameOf(group) !== 'event_name'), {
        error: 'name event_name first',
      }),
  ],
  { error: ONE_OR_TWO },
);

export type SegmentGroup = z.output<typeof groupSchema>;
type SegmentsBy = z.output<typeof groupBySchema>;

/** What the segments of a rule are values of. */
export interface SegmentRule {
  group_by?: SegmentsBy | undefined;
}

/** The attributes of the segments, in order; empty without segments. */
export function groupsOf({ group_by }: SegmentRule): GroupBy[] {
  if (group_by === undefined) return [];
  return Array.isArray(group_by) ? group_by.map(targetOf) : [targetOf(group_by)];
}

/** Attributes whose values replace one another: users move to the next value by themselves. */
export const VERSIONS: ReadonlySet<AttributeName> = new Set([
  'app_version',
  'sdk_version',
  'device_os_version',
  'browser_version',
] as const);

/** The place of the version in the values of a segment; -1 if none of them is a version. */
export function versionPlace(rule: SegmentRule): number {
  return groupsOf(rule).findIndex(
    ({ attribute, property_name }) =>
      VERSIONS.has(attribute) || /version|release|build/i.test(property_name ?? ''),
  );
}

/** The attribute of segments that have one attribute. */
export function onlyGroupOf({ group_by }: SegmentRule): AttributeName | undefined {
  return typeof group_by === 'string' ? group_by : undefined;
}

/** "device_country", "plan", "device_platform and app_version". */
export function groupText(rule: SegmentRule): string {
  return groupsOf(rule)
    .map(({ attribute, property_name }) => property_name ?? attribute)
    .join(' and ');
}

/** Equal for groups that have the same segments. */
export function groupName(rule: SegmentRule): string {
  return groupsOf(rule).map(groupKey).join(', ');
}

function targetOf(group: SegmentGroup): GroupBy {
  return typeof group === 'string' ? { attribute: group } : group;
}

function nameOf(group: SegmentGroup): string {
  return groupKey(targetOf(group));
}
