import { type SqlBool, sql } from 'kysely';
import {
  ATTRIBUTES,
  type AttributeName,
  type BucketUnit,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import type { GroupBy } from '../../../shared/contract/grouping.ts';
import type { TableName } from '../../../shared/contract/tables.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { anyOf, type Batch, column, portable, type Test } from '../engines/query.ts';
import { FIRST_MONDAY } from '../time/buckets.ts';
import { type OffsetPeriod, PARTS_OF_DAY, type Span } from '../time/calendar.ts';

/** The table of each resource; users are derived from sessions. */
export const TABLE_OF = {
  event: 'events',
  session: 'sessions',
  user: 'sessions',
  screen: 'screen_visits',
} as const satisfies Record<Resource, TableName>;

/** Columns of all tables. */
const COLUMNS: Readonly<Partial<Record<AttributeName, Batch>>> = {
  app_version: column('app_version'),
  sdk_version: column('sdk_version'),
  device_class: column('device_class'),
  device_id: column('device_id'),
  device_manufacturer: column('device_manufacturer'),
  device_model: column('device_model'),
  device_os_name: column('os_name'),
  device_os_version: column('os_version'),
  device_platform: column('platform'),
  device_type: column('device_type'),
  device_city: column('city'),
  device_country: column('country'),
  browser_name: column('browser_name'),
  browser_version: column('browser_version'),
  session_id: column('session_id'),
  session_crashed: column('crashed'),
  session_has_video: column('has_video'),
  session_duration: column('duration_sec'),
  session_gesture_count: column('gesture_count'),
  session_rage_gesture_count: column('rage_gesture_count'),
  session_responsive_gesture_count: column('responsive_gesture_count'),
  session_unresponsive_gesture_count: column('unresponsive_gesture_count'),
  session_screen_count: column('screen_count'),
  session_unique_screen_count: column('unique_screen_count'),
  session_number_of_user: column('session_number'),
  session_new_users_count: sql`case when ${column('session_number')} = 1 then 1 else 0 end`,
  session_screen_list: column('screens'),
  referer: column('referer'),
  referer_domain: column('referer_domain'),
  utm: column('utm'),
  svcuserid: column('user_id'),
  user_name: column('user_name'),
  user_custom_property: column('user_properties'),
  user_first_utm: column('first_utm'),
  user_first_referer: column('first_referer'),
  user_first_referer_domain: column('first_referer_domain'),
  user_first_screen_name: column('first_screen_name'),
};

const OWN_COLUMNS: Readonly<Record<Resource, Readonly<Partial<Record<AttributeName, Batch>>>>> = {
  event: {
    event_name: column('event_name'),
    event_screen_name: column('screen_name'),
    event_custom_property: column('properties'),
  },
  screen: { screen_name: column('screen_name') },
  session: {},
  user: {},
};

/** The column of an attribute; undefined if it is not a column (times, a session's events, a user's totals). */
export const columnOf = (resource: Resource, attribute: AttributeName): Batch | undefined =>
  OWN_COLUMNS[resource][attribute] ?? COLUMNS[attribute];

/** The key of a group that is not a time bucket, as text. */
export function groupColumn(resource: Resource, group: GroupBy): Batch {
  const found = columnOf(resource, group.attribute);
  if (found === undefined) throw new TypeError(`no column for the group ${group.attribute}`);
  if (group.property_name !== undefined) return portable.propertyText(found, group.property_name);
  return ATTRIBUTES[group.attribute].type === 'boolean' ? sql`cast(${found} as varchar)` : found;
}

/** The time of a row, which windows and buckets use. */
export const recordedAt = column('recorded_at');

/** The start of the bucket of `recorded_at`, as in `time/buckets.ts`. */
export function bucketColumn(unit: BucketUnit, periods: readonly OffsetPeriod[]): Batch {
  const length = PARTS_OF_DAY[unit];
  if (length !== undefined) {
    const past = offsetColumn(periods, (offset) => ((offset % length) + length) % length);
    return sql`${startedAt(sql`(${recordedAt} + ${past})`, length)} - ${past}`;
  }
  const local = sql`(${recordedAt} + ${offsetColumn(periods, (offset) => offset)})`;
  return unit === 'month'
    ? portable.monthStart(local)
    : startedAt(local, unit === 'week' ? 7 * DAY_MS : DAY_MS);
}

/** Counted from a Monday before any time in the data, because engines round negative numbers differently. */
const startedAt = (time: Batch, length: number): Batch =>
  sql`(${portable.quotient(sql`(${time} - ${FIRST_MONDAY})`, length)} * ${length} + ${FIRST_MONDAY})`;

function offsetColumn(periods: readonly OffsetPeriod[], part: (offset: number) => number): Batch {
  const parts = periods.map(({ to, offset }) => ({ to, value: part(offset) }));
  const last = parts.at(-1)?.value ?? 0;
  if (new Set(parts.map(({ value }) => value)).size < 2) return sql`${last}`;
  const branches = parts.slice(0, -1).map(({ to, value }) => sql`when ${recordedAt} < ${to} then ${value}`);
  return sql`case ${sql.join(branches, sql` `)} else ${last} end`;
}

/** Whether a time is in one of the spans. */
export const within = (time: Batch, spans: readonly Span[]): Test =>
  anyOf(spans.map(({ from, to }) => sql<SqlBool>`(${time} >= ${from} and ${time} < ${to})`));
