/** What can be queried. Screens have no list endpoint. */
export type Resource = 'event' | 'session' | 'user' | 'screen';
export type Read = 'list' | 'analytics' | 'catalogue';
export type BucketUnit = 'minute' | 'quarter_hour' | 'hour' | 'day' | 'week' | 'month';

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
  /** What it is, for people. */
  readonly means: string;
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

const described = (
  means: string,
  of: AttributeSubject,
  type: AttributeType,
  groupsOn = EVERYWHERE,
): Attribute => ({ means, type, of, filtersOn: EVERYWHERE, groupsOn });
const measured = (means: string, type: AttributeType = 'number'): Attribute =>
  described(means, 'session', type, NOWHERE);
const ofUsers = { filtersOn: ['user'], groupsOn: NOWHERE } as const;
const total = (means: string): Attribute => ({ means, type: 'number', of: 'total', ...ofUsers });
const lifetime = (means: string): Attribute => ({
  ...{ means, type: 'date', of: 'lifetime', ...ofUsers },
  listOnly: true,
});
const eventOnly = (means: string, type: AttributeType): Attribute => ({
  ...{ means, type, of: 'event' },
  ...{ filtersOn: ['event'], groupsOn: ['event'] },
});
const bucket = (means: string, unit: BucketUnit, on = EVERYWHERE): Attribute => ({
  ...{ means, type: 'bucket', of: 'time', unit },
  ...{ filtersOn: on, groupsOn: on },
});

const attributes = {
  date_range: described(
    'the window of the whole query; the last 30 days by default',
    'time',
    'window',
    NOWHERE,
  ),

  app_version: described('version of the app', 'device', 'string'),
  sdk_version: described('version of the recording SDK', 'device', 'string'),
  device_class: described('class of the device, as the SDK reports it', 'device', 'string'),
  device_id: described('id of the device', 'device', 'string'),
  device_manufacturer: described('manufacturer of the device', 'device', 'string'),
  device_model: described('model of the device', 'device', 'string'),
  device_os_name: described('operating system', 'device', 'string'),
  device_os_version: described('version of the operating system', 'device', 'string'),
  device_platform: described('Android, iOS or web', 'device', 'platform'),
  device_type: described('type of device that the browser runs on', 'device', 'string'),
  device_city: described('city', 'device', 'string'),
  device_country: described('country, English name', 'device', 'string'),
  browser_name: described('browser; web only', 'device', 'string'),
  browser_version: described('version of the browser; web only', 'device', 'string'),

  session_id: described('id of the session', 'session', 'string'),
  session_crashed: described('whether the session ended in a crash', 'session', 'boolean'),
  session_has_video: described('whether the session has a recording', 'session', 'boolean'),
  session_duration: measured('duration of the session in seconds'),
  session_gesture_count: measured('gestures in the session'),
  session_rage_gesture_count: measured('rage gestures in the session'),
  session_responsive_gesture_count: measured('gestures in the session that the app answered'),
  session_unresponsive_gesture_count: measured('gestures in the session that the app did not answer'),
  session_screen_count: measured('screen visits in the session'),
  session_unique_screen_count: measured('distinct screens in the session'),
  session_number_of_user: measured('number of the session among those of its user, from 1'),
  session_new_users_count: measured('1 for the first session of a user, else 0'),
  session_screen_list: measured('names of the screens of the session', 'list'),
  referer: described('page that led to the session; web only', 'session', 'string'),
  referer_domain: described('domain of that page; web only', 'session', 'string'),
  utm: described('campaign that led to the session; web only', 'session', 'string'),

  svcuserid: described('internal id of the user', 'user', 'string'),
  user_name: described('id that the app assigned to the user', 'user', 'string'),
  user_custom_property: described('a property that the app set for the user', 'user', 'json'),
  user_first_utm: described('campaign that led to the first session of the user; web only', 'user', 'string'),
  user_first_referer: described('page that led to the first session of the user; web only', 'user', 'string'),
  user_first_referer_domain: described('domain of that page; web only', 'user', 'string'),
  user_first_screen_name: described('first screen that the user visited, of all time', 'user', 'string'),
  user_first_seen_on: lifetime(
    'start of the first session of the user, of all time, even if it is before the first day of data',
  ),
  user_last_seen_on: lifetime('start of the latest session of the user, of all time'),
  user_session_count: total('sessions of the user in the window'),
  user_session_duration: total('duration of all sessions of the user in the window, in seconds'),
  user_session_screen_count: total('screen visits of the user in the window'),
  user_event_count: total('events of the user in the window'),
  user_gesture_count: total('gestures of the user in the window'),
  user_rage_gesture_count: total('rage gestures of the user in the window'),
  user_responsive_gesture_count: total('gestures of the user in the window that the app answered'),
  user_unresponsive_gesture_count: total('gestures of the user in the window that the app did not answer'),

  // A session has many events, so sessions can be filtered but not grouped by event name.
  event_name: described(
    'name of the event; for sessions and users, of any event in the session',
    'event',
    'string',
    ['event'],
  ),
  event_screen_name: eventOnly('screen on which the event occurred', 'string'),
  event_custom_property: described(
    'a property sent with the event; for sessions and users, with any event in the session',
    'event',
    'json',
    ['event'],
  ),

  screen_name: {
    ...{ type: 'string', of: 'screen', means: 'name of the screen' },
    ...{ filtersOn: ['screen'], groupsOn: ['screen'] },
  },

  session_uploadedon_minute: bucket('minute, such as `2026-03-01T09:07:00+01:00`', 'minute'),
  session_uploadedon_quarter_hour: bucket(
    'quarter of an hour, such as `2026-03-01T09:15:00+01:00`',
    'quarter_hour',
  ),
  session_uploadedon_hour: bucket('hour, such as `2026-03-01T09:00:00+01:00`', 'hour'),
  session_uploadedon_day: bucket('day, such as `2026-03-01`', 'day'),
  session_uploaded_week: bucket('week, as the date of its Monday', 'week'),
  session_uploaded_month: bucket('month, such as `2026-03`', 'month'),
  event_uploadedon_minute: bucket('minute of the event, such as `2026-03-01T09:07:00+01:00`', 'minute', [
    'event',
  ]),
  event_uploadedon_quarter_hour: bucket(
    'quarter of an hour of the event, such as `2026-03-01T09:15:00+01:00`',
    'quarter_hour',
    ['event'],
  ),
  event_uploadedon_hour: bucket('hour of the event, such as `2026-03-01T09:00:00+01:00`', 'hour', ['event']),
  event_uploadedon_day: bucket('day of the event, such as `2026-03-01`', 'day', ['event']),
  event_uploaded_week: bucket('week of the event, as the date of its Monday', 'week', ['event']),
  event_uploaded_month: bucket('month of the event, such as `2026-03`', 'month', ['event']),
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
