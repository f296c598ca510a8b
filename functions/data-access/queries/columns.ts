import {
  ATTRIBUTES,
  type AttributeName,
  type BucketUnit,
  type Resource,
} from '../../../shared/analytics/attributes.ts';
import type { GroupBy } from '../../../shared/analytics/grouping.ts';
import { FIRST_MONDAY } from '../buckets.ts';
import { DAY, HOUR, type OffsetPeriod } from '../calendar.ts';
import { anyOf, column, joined, moment, type Relation, type Sql, sql } from '../engines/sql.ts';

type Columns = Readonly<Partial<Record<AttributeName, Sql>>>;

const SESSION_COLUMNS: Columns = {
  app_version: column('s', 'app_version'),
  sdk_version: column('s', 'sdk_version'),
  device_class: column('s', 'device_class'),
  device_id: column('s', 'device_id'),
  device_manufacturer: column('s', 'device_manufacturer'),
  device_model: column('s', 'device_model'),
  device_os_name: column('s', 'os_name'),
  device_os_version: column('s', 'os_version'),
  device_platform: column('s', 'platform'),
  device_type: column('s', 'device_type'),
  device_city: column('s', 'city'),
  device_country: column('s', 'country'),
  browser_name: column('s', 'browser_name'),
  browser_version: column('s', 'browser_version'),
  session_id: column('s', 'session_id'),
  session_crashed: column('s', 'crashed'),
  session_has_video: column('s', 'has_video'),
  session_duration: column('s', 'duration_sec'),
  session_gesture_count: column('s', 'gesture_count'),
  session_rage_gesture_count: column('s', 'rage_gesture_count'),
  session_responsive_gesture_count: column('s', 'responsive_gesture_count'),
  session_unresponsive_gesture_count: column('s', 'unresponsive_gesture_count'),
  session_screen_count: column('s', 'screen_count'),
  session_unique_screen_count: column('s', 'unique_screen_count'),
  session_number_of_user: column('s', 'session_number'),
  session_new_users_count: sql`(${column('s', 'session_number')} = 1)::INTEGER`,
  session_screen_list: column('s', 'screens'),
  referer: column('s', 'referer'),
  referer_domain: column('s', 'referer_domain'),
  utm: column('s', 'utm'),
  svcuserid: column('s', 'user_id'),
  user_name: column('s', 'user_name'),
  user_custom_property: column('s', 'user_properties'),
  user_first_utm: column('f', 'utm'),
  user_first_referer: column('f', 'referer'),
  user_first_referer_domain: column('f', 'referer_domain'),
  user_first_screen_name: column('f', 'screens[1]'),
};

/** What an event knows by itself, so that these need no join; the rest it takes from its session. */
const EVENT_COLUMNS: Columns = {
  ...SESSION_COLUMNS,
  session_id: column('e', 'session_id'),
  svcuserid: column('e', 'user_id'),
  event_name: column('e', 'event_name'),
  event_screen_name: column('e', 'screen_name'),
  event_custom_property: column('e', 'properties'),
};

/** The relation that a resource's rows come from; users are made of sessions. */
export const baseOf = (resource: Resource): Relation => (resource === 'event' ? 'e' : 's');

/** When what a row tells of happened; windows and buckets go by it. */
export const recordedAt = (base: Relation): Sql => column(base, 'recorded_at');

/** The column of an attribute; undefined for those that are no column (times, a session's events, a user's sums). */
export function columnOf(resource: Resource, attribute: AttributeName): Sql | undefined {
  return (resource === 'event' ? EVENT_COLUMNS : SESSION_COLUMNS)[attribute];
}

/** A JSON pointer, whose two escapes make any property name safe. */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A property as text: strings as they are, numbers and booleans as written. */
export const propertyText = (map: Sql, name: string): Sql =>
  sql`json_extract_string(${map}, ${pointer(name)})`;

/** A property as a number; null where it is anything else, a string of digits included. */
export function propertyNumber(map: Sql, name: string): Sql {
  const path = pointer(name);
  return sql`CASE WHEN json_type(${map}, ${path}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')
    THEN CAST(json_extract_string(${map}, ${path}) AS DOUBLE) END`;
}

/** The key of a group that is not a time bucket, as text. */
export function groupColumn(resource: Resource, group: GroupBy): Sql {
  const found = columnOf(resource, group.attribute);
  if (found === undefined) throw new TypeError(`no column for the group ${group.attribute}`);
  if (group.property_name !== undefined) return propertyText(found, group.property_name);
  return ATTRIBUTES[group.attribute].type === 'boolean' ? sql`CAST(${found} AS VARCHAR)` : found;
}

/** The number at which the bucket around `time` starts, as `buckets.ts` counts. */
export function bucketColumn(time: Sql, unit: BucketUnit, periods: readonly OffsetPeriod[]): Sql {
  if (unit === 'hour') {
    const past = offsetSql(time, periods, (offset) => ((offset % HOUR) + HOUR) % HOUR);
    return sql`(epoch_ms(${time}) + ${past}) // ${HOUR} * ${HOUR}::BIGINT - ${past}`;
  }
  const offset = offsetSql(time, periods, (whole) => whole);
  if (unit === 'month') return sql`epoch_ms(date_trunc('month', ${time} + to_milliseconds(${offset})))`;
  const length = unit === 'week' ? 7 * DAY : DAY;
  return sql`(epoch_ms(${time}) + ${offset} - ${FIRST_MONDAY}::BIGINT) // ${length} * ${length}::BIGINT + ${FIRST_MONDAY}::BIGINT`;
}

function offsetSql(time: Sql, periods: readonly OffsetPeriod[], part: (offset: number) => number): Sql {
  const parts = periods.map(({ to, offset }) => ({ to, value: sql`${part(offset)}::BIGINT` }));
  const last = parts.at(-1)?.value ?? sql`0::BIGINT`;
  if (new Set(periods.map(({ offset }) => part(offset))).size < 2) return last;
  const branches = parts.slice(0, -1).map(({ to, value }) => sql`WHEN ${time} < ${moment(to)} THEN ${value}`);
  return sql`CASE ${joined(branches, ' ')} ELSE ${last} END`;
}

/** Tells whether a moment lies in one of the spans. */
export function within(time: Sql, spans: readonly { from: number; to: number }[]): Sql {
  return anyOf(spans.map(({ from, to }) => sql`(${time} >= ${moment(from)} AND ${time} < ${moment(to)})`));
}
