import type { Fact } from './facts.ts';
import type { Unit } from './local-time.ts';
import type { Resource } from './requests.ts';
import type { Properties } from './rows.ts';

/** How an attribute is compared. `sum` and `lifetime` belong to a user, all others to one fact. */
type Kind = 'text' | 'platform' | 'number' | 'flag' | 'list' | 'properties' | 'bucket' | 'sum' | 'lifetime';

export type Value = string | number | boolean | null | readonly string[] | Properties;

export interface Attribute {
  readonly kind: Kind;
  readonly read: (fact: Fact) => Value;
  readonly filters: readonly Resource[];
  readonly groups: readonly Resource[];
  /** For users, the value of their latest session counts. */
  readonly snapshot?: true;
  readonly unit?: Unit;
}

const ALL: readonly Resource[] = ['event', 'session', 'user', 'screen'];

type Read = Attribute['read'];
const text = (read: Read): Attribute => ({ kind: 'text', read, filters: ALL, groups: ALL });
const snapshot = (read: Read): Attribute => ({ ...text(read), snapshot: true });
const number = (read: Read): Attribute => ({ kind: 'number', read, filters: ALL, groups: [] });
const flag = (read: Read): Attribute => ({ ...text(read), kind: 'flag' });
const ofEvents = (kind: Kind, read: Read): Attribute => ({
  kind,
  read,
  filters: ['event'],
  groups: ['event'],
});
const bucket = (unit: Unit, on: readonly Resource[]): Attribute => ({
  kind: 'bucket',
  read: ({ at }) => at,
  filters: on,
  groups: on,
  unit,
});
const sum = (read: Read): Attribute => ({ kind: 'sum', read, filters: ['user'], groups: [] });
const lifetime = (): Attribute => ({ kind: 'lifetime', read: ({ at }) => at, filters: ['user'], groups: [] });

export const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  app_version: snapshot(({ session }) => session.app_version),
  sdk_version: snapshot(({ session }) => session.sdk_version),
  device_class: snapshot(({ session }) => session.device_class),
  device_id: snapshot(({ session }) => session.device_id),
  device_manufacturer: snapshot(({ session }) => session.device_manufacturer),
  device_model: snapshot(({ session }) => session.device_model),
  device_os_name: snapshot(({ session }) => session.os_name),
  device_os_version: snapshot(({ session }) => session.os_version),
  device_platform: { ...snapshot(({ session }) => session.platform), kind: 'platform' },
  device_type: snapshot(({ session }) => session.device_type),
  device_city: snapshot(({ session }) => session.city),
  device_country: snapshot(({ session }) => session.country),
  browser_name: snapshot(({ session }) => session.browser_name),
  browser_version: snapshot(({ session }) => session.browser_version),

  session_id: text(({ session }) => session.session_id),
  session_crashed: flag(({ session }) => session.crashed),
  session_has_video: flag(({ session }) => session.has_video),
  session_duration: number(({ session }) => session.duration_sec),
  session_gesture_count: number(({ session }) => session.gesture_count),
  session_rage_gesture_count: number(({ session }) => session.rage_gesture_count),
  session_responsive_gesture_count: number(({ session }) => session.responsive_gesture_count),
  session_unresponsive_gesture_count: number(({ session }) => session.unresponsive_gesture_count),
  session_screen_count: number(({ session }) => session.screen_count),
  session_unique_screen_count: number(({ session }) => session.unique_screen_count),
  session_number_of_user: number(({ session }) => session.session_number),
  session_new_users_count: number(({ session }) => (session.session_number === 1 ? 1 : 0)),
  session_screen_list: { ...number(({ session }) => session.screens), kind: 'list' },
  referer: text(({ session }) => session.referer),
  referer_domain: text(({ session }) => session.referer_domain),
  utm: text(({ session }) => session.utm),

  svcuserid: text(({ session }) => session.user_id),
  user_name: text(({ session }) => session.user_name),
  user_custom_property: { ...text(({ session }) => session.user_properties), kind: 'properties' },
  user_first_utm: text(({ first }) => first?.utm ?? null),
  user_first_referer: text(({ first }) => first?.referer ?? null),
  user_first_referer_domain: text(({ first }) => first?.referer_domain ?? null),
  user_first_screen_name: text(({ first }) => first?.screens[0] ?? null),
  user_first_seen_on: lifetime(),
  user_last_seen_on: lifetime(),
  user_session_count: sum(() => 1),
  user_session_duration: sum(({ session }) => session.duration_sec),
  user_session_screen_count: sum(({ session }) => session.screen_count),
  user_event_count: sum(({ session }) => session.event_count),
  user_gesture_count: sum(({ session }) => session.gesture_count),
  user_rage_gesture_count: sum(({ session }) => session.rage_gesture_count),
  user_responsive_gesture_count: sum(({ session }) => session.responsive_gesture_count),
  user_unresponsive_gesture_count: sum(({ session }) => session.unresponsive_gesture_count),

  event_name: { ...ofEvents('text', ({ event }) => event?.event_name ?? null), filters: ALL },
  event_screen_name: ofEvents('text', ({ event }) => event?.screen_name ?? null),
  event_custom_property: {
    ...ofEvents('properties', ({ event }) => event?.properties ?? {}),
    filters: ALL,
  },
  screen_name: {
    kind: 'text',
    read: ({ visit }) => visit?.screen_name ?? null,
    filters: ['screen'],
    groups: ['screen'],
  },

  session_uploadedon_minute: bucket('minute', ALL),
  session_uploadedon_quarter_hour: bucket('quarter_hour', ALL),
  session_uploadedon_hour: bucket('hour', ALL),
  session_uploadedon_day: bucket('day', ALL),
  session_uploaded_week: bucket('week', ALL),
  session_uploaded_month: bucket('month', ALL),
  event_uploadedon_minute: bucket('minute', ['event']),
  event_uploadedon_quarter_hour: bucket('quarter_hour', ['event']),
  event_uploadedon_hour: bucket('hour', ['event']),
  event_uploadedon_day: bucket('day', ['event']),
  event_uploaded_week: bucket('week', ['event']),
  event_uploaded_month: bucket('month', ['event']),
};

export function attributeNamed(name: string): Attribute {
  const found = ATTRIBUTES[name];
  if (found === undefined) throw new Error(`no attribute ${name}`);
  return found;
}

/** A property as text: strings as they are, all others as JSON; null if missing. */
export function propertyText(properties: Properties, name: string): string | null {
  const value = propertyValue(properties, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const propertyValue = (properties: Properties, name: string): unknown =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
