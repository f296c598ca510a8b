import * as z from 'zod';
import { PLATFORMS } from '../../../shared/contract/filters.ts';
import type { Section } from '../../../shared/contract/requests.ts';
import type { Cell, Row } from '../engines/engine.ts';
import type { Links } from './links.ts';

/** A text of a record; "" if missing, because the API has no null there. */
const textOf = (cell: Cell | undefined): string => (cell === null || cell === undefined ? '' : String(cell));

/** A time of a record, from milliseconds since the epoch. */
export const timeOf = (millis: Cell | undefined): string => new Date(Number(millis)).toISOString();

export type PropertyMap = Readonly<Record<string, unknown>>;
/** Not `z.record`, which drops a property named `__proto__`. */
const propertyMapSchema = z.custom<PropertyMap>((value) => typeof value === 'object' && value !== null);

/** A free-form map, stored as JSON text. */
export const propertyMap = (json: Cell | undefined): PropertyMap =>
  propertyMapSchema.parse(JSON.parse(textOf(json) || '{}'));

/** The user id that the app set, or else the internal one. */
const identityOf = ({ user_name, user_id }: Row): string => textOf(user_name) || textOf(user_id);

/** The user properties of a session, always with the identity. */
const userProperties = (row: Row): PropertyMap => ({
  ...propertyMap(row.user_properties),
  kSvc_UserIdentity: identityOf(row),
});

/** In the order of their numbers in the event list: 1 android, 2 ios, 3 web. */
const PLATFORM_NAMES: readonly string[] = PLATFORMS;

export function eventRecord(row: Row, links: Links) {
  const sessionId = textOf(row.session_id);
  return {
    eventId: textOf(row.event_id),
    eventName: textOf(row.event_name),
    eventScreen: textOf(row.screen_name),
    eventDate: timeOf(row.recorded_at),
    url: links.session(sessionId),
    sessionProperty: {
      sessionId,
      hasVideo: row.has_video === true,
      durationSec: Number(row.duration_sec),
    },
    userProperty: userProperties(row),
    eventProperty: propertyMap(row.properties),
    device: {
      model: textOf(row.device_model),
      platform: PLATFORM_NAMES.indexOf(textOf(row.platform)) + 1,
    },
  };
}

/** A session; `deviceLocalDateTime` is when it began, on the app's clocks at `localTime`. */
export function sessionRecord(row: Row, links: Links, localTime: (millis: number) => string) {
  const sessionId = textOf(row.session_id);
  return {
    sessionId,
    url: links.session(sessionId),
    property: {
      uploadedServerTime: timeOf(row.uploaded_at),
      deviceLocalDateTime: localTime(Number(row.recorded_at)),
      offlineRecorded: row.offline === true,
      hasVideo: row.has_video === true,
      isCrashed: row.crashed === true,
      durationSec: Number(row.duration_sec),
      totalGesture: Number(row.gesture_count),
      totalScreen: Number(row.screen_count),
      uniqueScreensCount: Number(row.unique_screen_count),
      rageGestureCount: Number(row.rage_gesture_count),
      responsiveGestureCount: Number(row.responsive_gesture_count),
      unresponsiveGestureCount: Number(row.unresponsive_gesture_count),
      networkType: textOf(row.network_type),
    },
    user: { userProperty: userProperties(row), sessionNumber: Number(row.session_number) },
    device: {
      deviceId: textOf(row.device_id),
      model: textOf(row.device_model),
      producer: textOf(row.device_manufacturer),
      class: textOf(row.device_class),
      platform: textOf(row.platform),
      osName: textOf(row.os_name),
      osVersion: textOf(row.os_version),
      appVersion: textOf(row.app_version),
      sdkVersion: textOf(row.sdk_version),
      language: textOf(row.language),
    },
    location: location(row),
  };
}

/** A user with the requested sections; `device` means both device sections. */
export function userRecord(row: Row, sections: readonly Section[], links: Links) {
  const svcUserId = textOf(row.user_id);
  const requested = new Set(sections.flatMap((section) => (section === 'device' ? DEVICE : [section])));
  const shown = Object.entries(SECTIONS).filter(([name]) => requested.has(name as Section));
  return {
    svcUserId,
    userId: identityOf(row),
    url: links.user(svcUserId),
    ...Object.fromEntries(shown.map(([name, section]) => [name, section(row)])),
  };
}

const DEVICE: readonly Section[] = ['deviceBasics', 'deviceHardware'];

const SECTIONS: Readonly<Record<Exclude<Section, 'device'>, (row: Row) => object>> = {
  property,
  usage,
  location,
  deviceBasics,
  deviceHardware: (row) =>
    isWeb(row) ? {} : { model: textOf(row.device_model), platform: textOf(row.platform) },
};

const isWeb = (row: Row): boolean => row.platform === 'web';

function location(row: Row) {
  return {
    countryCode: textOf(row.country_code),
    country: textOf(row.country),
    city: textOf(row.city),
  };
}

function property(row: Row) {
  const landing = {
    initialLandingUTM: textOf(row.first_utm),
    initialReferer: textOf(row.first_referer),
    initialRefererDomain: textOf(row.first_referer_domain),
    initialLandingPage: textOf(row.first_landing_page),
  };
  return { userProperty: userProperties(row), ...(isWeb(row) && landing) };
}

function usage(row: Row) {
  return {
    registeredOn: timeOf(row.first_seen),
    lastseenOn: timeOf(row.last_seen),
    ...cumulative(row, ''),
    responsiveGestureCount: row.user_responsive_gesture_count,
    ...(!isWeb(row) && { unresponsiveGestureCount: row.user_unresponsive_gesture_count }),
    totalLifetime: cumulative(row, 'lifetime_'),
  };
}

const cumulative = (row: Row, prefix: '' | 'lifetime_') => ({
  totalSession: row[`${prefix}user_session_count`],
  totalSessionTime: row[`${prefix}user_session_duration`],
  totalGesture: row[`${prefix}user_gesture_count`],
  screenCount: row[`${prefix}user_session_screen_count`],
  eventCount: row[`${prefix}user_event_count`],
  rageGestureCount: row[`${prefix}user_rage_gesture_count`],
});

function deviceBasics(row: Row) {
  const web = {
    os: textOf(row.os_name),
    browser: textOf(row.browser_name),
    browserVersion: textOf(row.browser_version),
    type: textOf(row.device_type),
  };
  return {
    deviceId: textOf(row.device_id),
    appVersion: textOf(row.app_version),
    osVersion: textOf(row.os_version),
    ...(isWeb(row) && web),
  };
}
