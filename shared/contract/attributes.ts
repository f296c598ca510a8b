/** What can be queried. Screens have no list endpoint. */
export type Resource = 'event' | 'session' | 'user' | 'screen';
export type Read = 'list' | 'analytics';
export type BucketUnit = 'hour' | 'day' | 'week' | 'month';

/**
 * `window`: the window of the whole query. `bucket`: a calendar unit in the app's zone. `json`: a map whose entry is
 * selected by `property_name`. `platform`: `android | ios | web`.
 */
export type AttributeType =
  | 'string'
  | 'platform'
  | 'number'
  | 'boolean'
  | 'list'
  | 'json'
  | 'date'
  | 'bucket'
  | 'window';

/**
 * What an attribute describes. Filters on users use the latest session for `device`, the sum over the window's sessions
 * for `total`, all sessions ever for `lifetime`, and any single session in the window for all others.
 */
export type AttributeSubject =
  | 'event'
  | 'screen'
  | 'session'
  | 'device'
  | 'user'
  | 'total'
  | 'lifetime'
  | 'time';

export interface Attribute {
  readonly type: AttributeType;
  readonly of: AttributeSubject;
  readonly filtersOn: readonly Resource[];
  readonly groupsOn: readonly Resource[];
  /** Only for buckets. */
  readonly unit?: BucketUnit;
  /** Accepted by lists, refused by analytics. */
  readonly listOnly?: true;
}

const EVERYWHERE: readonly Resource[] = ['event', 'session', 'user', 'screen'];
const NOWHERE: readonly Resource[] = [];

const described = (of: AttributeSubject, type: AttributeType, groupsOn = EVERYWHERE): Attribute => ({
  type,
  of,
  filtersOn: EVERYWHERE,
  groupsOn,
});
const measured = (type: AttributeType = 'number'): Attribute => described('session', type, NOWHERE);
const total = (): Attribute => ({ type: 'number', of: 'total', filtersOn: ['user'], groupsOn: NOWHERE });
const lifetime = (): Attribute => ({
  type: 'date',
  of: 'lifetime',
  filtersOn: ['user'],
  groupsOn: NOWHERE,
  listOnly: true,
});
const eventOnly = (type: AttributeType): Attribute => ({
  type,
  of: 'event',
  filtersOn: ['event'],
  groupsOn: ['event'],
});
const bucket = (unit: BucketUnit, on = EVERYWHERE): Attribute => ({
  type: 'bucket',
  of: 'time',
  unit,
  filtersOn: on,
  groupsOn: on,
});

const attributes = {
  date_range: described('time', 'window', NOWHERE),

  app_version: described('device', 'string'),
  sdk_version: described('device', 'string'),
  device_class: described('device', 'string'),
  device_id: described('device', 'string'),
  device_manufacturer: described('device', 'string'),
  device_model: described('device', 'string'),
  device_os_name: described('device', 'string'),
  device_os_version: described('device', 'string'),
  device_platform: described('device', 'platform'),
  device_type: described('device', 'string'),
  device_city: described('device', 'string'),
  device_country: described('device', 'string'),
  browser_name: described('device', 'string'),
  browser_version: described('device', 'string'),

  session_id: described('session', 'string'),
  session_crashed: described('session', 'boolean'),
  session_has_video: described('session', 'boolean'),
  session_duration: measured(),
  session_gesture_count: measured(),
  session_rage_gesture_count: measured(),
  session_responsive_gesture_count: measured(),
  session_unresponsive_gesture_count: measured(),
  session_screen_count: measured(),
  session_unique_screen_count: measured(),
  session_number_of_user: measured(),
  session_new_users_count: measured(),
  session_screen_list: measured('list'),
  referer: described('session', 'string'),
  referer_domain: described('session', 'string'),
  utm: described('session', 'string'),

  svcuserid: described('user', 'string'),
  user_name: described('user', 'string'),
  user_custom_property: described('user', 'json'),
  user_first_utm: described('user', 'string'),
  user_first_referer: described('user', 'string'),
  user_first_referer_domain: described('user', 'string'),
  user_first_screen_name: described('user', 'string'),
  user_first_seen_on: lifetime(),
  user_last_seen_on: lifetime(),
  user_session_count: total(),
  user_session_duration: total(),
  user_session_screen_count: total(),
  user_gesture_count: total(),
  user_rage_gesture_count: total(),
  user_responsive_gesture_count: total(),
  user_unresponsive_gesture_count: total(),

  // A session has many events, so sessions can be filtered but not grouped by event name.
  event_name: described('event', 'string', ['event']),
  event_screen_name: eventOnly('string'),
  event_custom_property: eventOnly('json'),

  screen_name: { type: 'string', of: 'screen', filtersOn: ['screen'], groupsOn: ['screen'] },

  session_uploadedon_hour: bucket('hour'),
  session_uploadedon_day: bucket('day'),
  session_uploaded_week: bucket('week'),
  session_uploaded_month: bucket('month'),
  event_uploadedon_hour: bucket('hour', ['event']),
  event_uploadedon_day: bucket('day', ['event']),
  event_uploaded_week: bucket('week', ['event']),
  event_uploaded_month: bucket('month', ['event']),
} as const satisfies Record<string, Attribute>;

export type AttributeName = keyof typeof attributes;
export const ATTRIBUTES: Readonly<Record<AttributeName, Attribute>> = attributes;

export const isAttributeName = (name: string): name is AttributeName => Object.hasOwn(attributes, name);

/** The names by which `resource` can be filtered or grouped, for error messages. */
export function attributeNames(resource: Resource, use: 'filtersOn' | 'groupsOn'): AttributeName[] {
  return Object.keys(attributes)
    .filter(isAttributeName)
    .filter((name) => ATTRIBUTES[name][use].includes(resource));
}
