import { latest } from './choose.ts';
import type { Fact } from './facts.ts';
import { localIso } from './local-time.ts';
import type { RawSession } from './rows.ts';

/** Makes links to the dashboard of the app; "" without one. */
export type Dashboard = (place: string, id: string) => string;

const iso = (at: number): string => new Date(at).toISOString();
const identity = ({ user_name, user_id }: RawSession): string => user_name || user_id;
const userProperty = (session: RawSession) => ({
  ...session.user_properties,
  kSvc_UserIdentity: identity(session),
});

export function eventRecord({ event, session, at }: Fact, link: Dashboard) {
  return {
    eventId: event?.event_id,
    eventName: event?.event_name,
    eventScreen: event?.screen_name ?? '',
    eventDate: iso(at),
    url: link('sessions', session.session_id),
    sessionProperty: {
      sessionId: session.session_id,
      hasVideo: session.has_video,
      durationSec: session.duration_sec,
    },
    userProperty: userProperty(session),
    eventProperty: event?.properties,
    device: {
      model: session.device_model ?? '',
      platform: { android: 1, ios: 2, web: 3 }[session.platform],
    },
  };
}

export function sessionRecord({ session, at }: Fact, link: Dashboard, zone: string) {
  return {
    sessionId: session.session_id,
    url: link('sessions', session.session_id),
    property: {
      uploadedServerTime: iso(session.uploaded_at),
      deviceLocalDateTime: localIso(at, zone),
      offlineRecorded: session.offline,
      hasVideo: session.has_video,
      isCrashed: session.crashed,
      durationSec: session.duration_sec,
      totalGesture: session.gesture_count,
      totalScreen: session.screen_count,
      uniqueScreensCount: session.unique_screen_count,
      rageGestureCount: session.rage_gesture_count,
      responsiveGestureCount: session.responsive_gesture_count,
      unresponsiveGestureCount: session.unresponsive_gesture_count,
      networkType: session.network_type ?? '',
    },
    user: { userProperty: userProperty(session), sessionNumber: session.session_number },
    device: {
      deviceId: session.device_id ?? '',
      model: session.device_model ?? '',
      producer: session.device_manufacturer ?? '',
      class: session.device_class ?? '',
      platform: session.platform,
      osName: session.os_name ?? '',
      osVersion: session.os_version ?? '',
      appVersion: session.app_version ?? '',
      sdkVersion: session.sdk_version ?? '',
      language: session.language ?? '',
    },
    location: {
      countryCode: session.country_code ?? '',
      country: session.country ?? '',
      city: session.city ?? '',
    },
  };
}

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  device: ['deviceBasics', 'deviceHardware'],
};

/** A user by the sessions of the window and of all time. */
export function userRecord(
  active: readonly Fact[],
  life: readonly Fact[],
  { showOnly = ['usage'], link }: { showOnly?: readonly string[] | undefined; link: Dashboard },
) {
  const { session, first } = latest(life);
  const sections = userSections(active, life, { session, first });
  const shown = new Set(showOnly.flatMap((section) => SECTIONS[section] ?? section));
  return {
    svcUserId: session.user_id,
    userId: identity(session),
    url: link('users', session.user_id),
    ...Object.fromEntries(Object.entries(sections).filter(([name]) => shown.has(name))),
  };
}

function userSections(
  active: readonly Fact[],
  life: readonly Fact[],
  { session, first }: Pick<Fact, 'session' | 'first'>,
) {
  const isWeb = session.platform === 'web';
  const landing = {
    initialLandingUTM: first?.utm ?? '',
    initialReferer: first?.referer ?? '',
    initialRefererDomain: first?.referer_domain ?? '',
    initialLandingPage: first?.landing_page ?? '',
  };
  const browser = {
    os: session.os_name ?? '',
    browser: session.browser_name ?? '',
    browserVersion: session.browser_version ?? '',
    type: session.device_type ?? '',
  };
  const sum = (read: (session: RawSession) => number) =>
    active.reduce((total, fact) => total + read(fact.session), 0);
  return {
    property: { userProperty: userProperty(session), ...(isWeb && landing) },
    usage: {
      registeredOn: iso(Math.min(...life.map(({ at }) => at))),
      lastseenOn: iso(Math.max(...life.map(({ at }) => at))),
      ...usage(active),
      responsiveGestureCount: sum((one) => one.responsive_gesture_count),
      ...(!isWeb && { unresponsiveGestureCount: sum((one) => one.unresponsive_gesture_count) }),
      totalLifetime: usage(life),
    },
    location: {
      countryCode: session.country_code ?? '',
      city: session.city ?? '',
      country: session.country ?? '',
    },
    deviceBasics: {
      deviceId: session.device_id ?? '',
      appVersion: session.app_version ?? '',
      osVersion: session.os_version ?? '',
      ...(isWeb && browser),
    },
    deviceHardware: isWeb ? {} : { model: session.device_model ?? '', platform: session.platform },
  };
}

function usage(facts: readonly Fact[]) {
  const sum = (read: (session: RawSession) => number) =>
    facts.reduce((total, { session }) => total + read(session), 0);
  return {
    totalSession: facts.length,
    totalSessionTime: sum((one) => one.duration_sec),
    totalGesture: sum((one) => one.gesture_count),
    screenCount: sum((one) => one.screen_count),
    eventCount: sum((one) => one.event_count),
    rageGestureCount: sum((one) => one.rage_gesture_count),
  };
}
