import type { Section } from '../../../shared/contract/requests.ts';
import type { Row } from '../engines/engine.ts';
import type { Links } from './links.ts';
import { identityOf, textOf, timeOf, userProperties } from './records.ts';

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
  location: (row) => ({
    countryCode: textOf(row.country_code),
    city: textOf(row.city),
    country: textOf(row.country),
  }),
  deviceBasics,
  deviceHardware: (row) =>
    isWeb(row) ? {} : { model: textOf(row.device_model), platform: textOf(row.platform) },
};

const isWeb = (row: Row): boolean => row.platform === 'web';

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
