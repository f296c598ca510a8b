import { DAY_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import type { Properties, RawEvent, RawSession, RawVisit, World } from './rows.ts';

/** Zones with days of 23 to 25 hours, or missing days, around these moments. */
export const ZONES: Readonly<Record<string, readonly string[]>> = {
  'Europe/Berlin': ['2025-10-26T01:00:00Z', '2026-03-29T01:00:00Z'],
  'America/St_Johns': ['2025-11-02T04:30:00Z', '2026-03-08T05:30:00Z'],
  // Moves its clocks by half an hour.
  'Australia/Lord_Howe': ['2025-10-04T15:30:00Z', '2026-04-04T15:00:00Z'],
  // A skipped day, 30 December 2011, and the last change of its clocks.
  'Pacific/Apia': ['2011-12-30T10:00:00Z', '2021-04-03T14:00:00Z'],
  // No clock changes, and an offset with a quarter of an hour.
  'Asia/Kathmandu': ['2026-03-14T18:15:00Z'],
  UTC: ['2026-03-01T00:00:00Z'],
};

/** Random numbers in the order of the calls; the same seed gives the same numbers. */
function dice(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { below, pick, chance: (share: number) => next() < share };
}
type Dice = ReturnType<typeof dice>;

const CITIES = ['Berlin', 'Zürich', 'Zu\u0308rich', 'München', 'others', 'null', "O'Fallon", '100%', null];
// The last two are in one order by code point and in the other by UTF-16.
const NAMES = ['ann', 'Bob', 'bob', '李', '', 'a"b\\c', 'Ａ', '😀', null];
const SCREENS = ['Home', 'Cart', 'Checkout', 'Über uns', "it's", 'others'];
export const EVENT_NAMES = ['open', 'buy', 'Buy', 'leave', 'purchase completed', '50% off', 'schließen'];

/** Values that a custom property may have; sums of the numbers are exact in any order. */
const VALUES = ['pro', 'free', '3', 'true', '', 'ünï', 3, 10, 9, 2.5, -4, 0, 1e20, true, false, null];
export const PROPERTY_NAMES = ['plan', 'price', 'a/b~"c', 'x.y', '$', '键', '__proto__', 'constructor'];

function properties({ below, pick, chance }: Dice): Properties {
  const names = PROPERTY_NAMES.filter(() => chance(0.35));
  const entries: [string, unknown][] = names.map((name) => [
    name,
    name === 'price' ? below(400) / 4 : pick(VALUES),
  ]);
  if (chance(0.1)) entries.push(['deep', { list: [1, 'two', null], map: { x: true } }]);
  return Object.fromEntries(entries);
}

/** 300 sessions of 60 users with events and visits, many of them around clock changes and now. */
export function randomWorld(seed: number, zone: string, now: number): World {
  const draw = dice(seed);
  const changes = (ZONES[zone] ?? []).map((change) => Date.parse(change));
  const numbers = new Map<string, number>();
  const sessions = Array.from({ length: 300 }, () => ({
    user: `user-${draw.below(60)}`,
    at: randomTime(draw, changes, now),
  }))
    .sort((a, b) => a.at - b.at)
    .map(({ user, at }, index) => {
      // Every fourth user has earlier sessions that were not recorded.
      const before = numbers.get(user) ?? (Number(user.slice(5)) % 4 === 0 ? 5 : 0);
      numbers.set(user, before + 1);
      return randomSession(draw, { user, at, index, number: before + 1 });
    });
  const events = sessions.flatMap((session) =>
    Array.from({ length: session.event_count }, (_, nth) => randomEvent(draw, session, nth)),
  );
  return { zone, now, sessions, events, visits: sessions.flatMap((session) => visitsOf(draw, session)) };
}

/** Many at the same time, many at full hours, some a millisecond off. */
function randomTime({ below, pick, chance }: Dice, changes: readonly number[], now: number): number {
  const near = chance(0.45) ? pick(changes) + (below(5 * 96) - 240) * 15 * MINUTE_MS : undefined;
  const at = near ?? now - below(chance(0.8) ? 33 * 24 : 190 * 24) * 60 * MINUTE_MS;
  return at + pick([0, 0, 0, -1, 1, below(60 * MINUTE_MS)]);
}

function uploadOf({ below, pick }: Dice, recordedAt: number): number {
  return recordedAt + pick([0, MINUTE_MS, MINUTE_MS, below(DAY_MS), below(4 * DAY_MS)]);
}

interface Visit {
  readonly user: string;
  readonly at: number;
  readonly index: number;
  readonly number: number;
}

function randomSession(draw: Dice, { user, at, index, number }: Visit): RawSession {
  const { below, pick, chance } = draw;
  const platform = pick(['android', 'ios', 'web'] as const);
  const isWeb = platform === 'web';
  const screens = Array.from({ length: below(6) }, () => pick(SCREENS));
  const gestures = below(40);
  const unresponsive = below(gestures + 1);
  return {
    session_id: `${pick(['s', 'S', 'ß', '😀', 'Ａ'])}${(index * 7919) % 1009}`,
    user_id: user,
    user_name: pick(NAMES),
    session_number: number,
    recorded_at: at,
    uploaded_at: uploadOf(draw, at),
    duration_sec: below(800) / 4,
    gesture_count: gestures,
    rage_gesture_count: chance(0.3) ? below(5) : 0,
    responsive_gesture_count: gestures - unresponsive,
    unresponsive_gesture_count: unresponsive,
    screen_count: screens.length,
    unique_screen_count: new Set(screens).size,
    screens,
    event_count: below(5),
    crashed: chance(0.1),
    has_video: chance(0.6),
    offline: chance(0.1),
    network_type: pick(['wifi', 'cellular', null]),
    platform,
    device_id: pick([`${user}-phone`, `${user}-tablet`, null]),
    device_model: isWeb ? null : pick(['Pixel 8', 'iPhone 15', 'SM-S911B', 'Ａ', '😀']),
    device_manufacturer: isWeb ? null : pick(['Google', 'Apple', 'Samsung']),
    device_class: pick(['phone', 'tablet', null]),
    os_name: pick(['Android', 'iOS', 'Linux', null]),
    os_version: pick(['15', '17.4', '9', null]),
    app_version: pick(['1.2', '1.10', '2.0-beta+7', null]),
    sdk_version: pick(['3.0', '3.1']),
    language: pick(['de', 'en-GB', null]),
    country_code: pick(['DE', 'CH', null]),
    country: pick(['Germany', 'Switzerland', "Côte d'Ivoire", 'others', null]),
    city: pick(CITIES),
    browser_name: isWeb ? pick(['Firefox', 'Safari']) : null,
    browser_version: isWeb ? pick(['140', '18']) : null,
    device_type: isWeb ? pick(['desktop', 'mobile']) : null,
    referer: isWeb ? pick(['https://a.example/?q=%27', 'https://b.example/', null]) : null,
    referer_domain: isWeb ? pick(['a.example', 'b.example', null]) : null,
    utm: pick(['spring', 'utm_source=x&utm_medium=y', null]),
    landing_page: isWeb ? pick(['/', '/start', null]) : null,
    user_properties: properties(draw),
  };
}

function randomEvent(draw: Dice, session: RawSession, nth: number): RawEvent {
  const { below, pick } = draw;
  const recordedAt = session.recorded_at + pick([0, 0, nth * 1000, below(90 * MINUTE_MS)]);
  return {
    event_id: `${pick(['e', 'E', 'é', '😀', 'Ａ'])}-${session.session_id}-${nth}`,
    session_id: session.session_id,
    event_name: pick(EVENT_NAMES),
    screen_name: pick([...session.screens, null]),
    recorded_at: recordedAt,
    // Sometimes an event arrives before its session, or long after it.
    uploaded_at: pick([session.uploaded_at, session.uploaded_at, uploadOf(draw, recordedAt)]),
    properties: properties(draw),
  };
}

function visitsOf(draw: Dice, session: RawSession): RawVisit[] {
  const { below, pick } = draw;
  return session.screens.map((screen_name, nth) => {
    const recordedAt = session.recorded_at + nth * pick([0, 1000, 20 * MINUTE_MS]);
    return {
      session_id: session.session_id,
      screen_name,
      recorded_at: recordedAt,
      uploaded_at: pick([session.uploaded_at, session.uploaded_at, uploadOf(draw, recordedAt)]),
      time_on_screen_sec: below(240) / 4,
      visit_rage_gesture_count: pick([null, 0, 1, 2]),
      is_entry: nth === 0,
      is_exit: nth === session.screens.length - 1,
      is_bounce: session.screens.length === 1,
    };
  });
}
