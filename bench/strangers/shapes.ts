import { between, chance, type Draw, logNormal, type Weighted } from '../../local/data/demo/draws.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';

/** One event of a session, `afterMs` after the one before it. */
interface SessionEvent {
  name: string;
  afterMs: number;
  /** Time to load, where the app records it. */
  loadMs?: number;
  price?: number;
}

/** Who visits, and what is wrong at that time. */
interface Visit {
  country: string;
  version: string;
  /** Days since the incident began; `undefined` outside it. */
  hit: number | undefined;
}

/** What the incident does to the figures: alerts about anything else are false. */
interface Affected {
  /** Names of events; `undefined` for all events and sessions. */
  events?: readonly string[];
  /** The only segments that it is about. */
  segments?: readonly string[];
}

/** A kind of app, and what goes wrong in it. */
export interface Shape {
  name: string;
  days: readonly [least: number, most: number];
  sessionsPerDay: readonly [least: number, most: number];
  /** Monday first. */
  week: readonly number[];
  /** The weight of each hour, from midnight. */
  hours: readonly number[];
  /** Relative growth per week. */
  growth: readonly [least: number, most: number];
  /** Standard deviation of the level of a day, besides chance. */
  unrest: number;
  countries: readonly [Weighted<string>, ...Weighted<string>[]];
  /** Days between releases; the first version has no number of its own. */
  releaseEvery?: number;
  /** How long the incident lasts, in hours. With releases it begins with one. */
  incidentHours: readonly [least: number, most: number];
  affected: Affected;
  /** Factor on the number of sessions. */
  sessions?(visit: Omit<Visit, 'version'>): number;
  events(visit: Visit, draw: Draw): SessionEvent[];
}

const SHOP_HOURS = [3, 2, 1, 1, 1, 2, 4, 7, 9, 10, 10, 11, 12, 11, 10, 10, 11, 12, 14, 15, 14, 11, 7, 4];
const OFFICE_HOURS = [0, 0, 0, 0, 0, 0, 1, 4, 10, 14, 14, 12, 8, 11, 13, 12, 9, 5, 2, 1, 1, 0, 0, 0];
const SHOP_WEEK = [1, 0.97, 0.98, 1.02, 1.1, 1.2, 1.05];
const EVEN_WEEK = [1, 1, 1, 1, 0.95, 0.8, 0.8];
const COUNTRIES = [
  ['Germany', 45],
  ['France', 25],
  ['Spain', 18],
  ['Poland', 12],
] as const;

const step = (name: string, more: Partial<SessionEvent> = {}): SessionEvent => ({
  name,
  afterMs: 20_000,
  ...more,
});

interface Rates {
  cart?: number;
  checkout?: number;
  pay?: number;
  fail?: number;
}

/** A visit to a shop: each step with its probability given the one before. */
function shopVisit(
  draw: Draw,
  { cart = 0.32, checkout = 0.6, pay = 0.72, fail = 0.07 }: Rates,
): SessionEvent[] {
  const events = [step('app_open'), step('view_item')];
  while (chance(draw, 0.45)) events.push(step('view_item'));
  if (chance(draw, 0.3)) events.push(step('search'));
  if (!chance(draw, cart)) return events;
  events.push(step('add_to_cart'));
  if (!chance(draw, checkout)) return events;
  events.push(step('begin_checkout'));
  if (chance(draw, fail)) events.push(step('payment_failed'));
  if (chance(draw, pay))
    events.push(step('purchase', { price: Math.round(logNormal(draw, 38, 0.6) * 100) / 100 }));
  return events;
}

export const SHAPES: readonly Shape[] = [
  {
    name: 'steady shop',
    days: [42, 84],
    sessionsPerDay: [300, 900],
    week: SHOP_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.01],
    unrest: 0.06,
    countries: COUNTRIES,
    incidentHours: [60, 140],
    affected: { events: ['payment_failed', 'purchase'] },
    events: ({ hit }, draw) => shopVisit(draw, hit === undefined ? {} : { fail: 0.4, pay: 0.42 }),
  },
  {
    name: 'small app',
    days: [42, 84],
    sessionsPerDay: [18, 24],
    week: EVEN_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0],
    unrest: 0.05,
    countries: COUNTRIES,
    incidentHours: [96, 168],
    affected: {},
    sessions: ({ hit }) => (hit === undefined ? 1 : 0.25),
    events(_, draw) {
      const events = [step('opened'), step('note_created')];
      if (chance(draw, 0.6)) events.push(step('note_shared'));
      if (chance(draw, 0.3)) events.push(step('note_deleted'));
      return events;
    },
  },
  {
    name: 'weekdays with growth',
    days: [42, 84],
    sessionsPerDay: [150, 400],
    week: [1, 1.05, 1.03, 1, 0.85, 0.03, 0.02],
    hours: OFFICE_HOURS,
    growth: [0.02, 0.06],
    unrest: 0.08,
    countries: COUNTRIES,
    incidentHours: [90, 150],
    affected: { events: ['report_exported'] },
    events({ hit }, draw) {
      const events = [step('signed_in'), step('dashboard_opened'), step('dashboard_opened')];
      if (chance(draw, 0.5)) events.push(step('report_created'));
      if (chance(draw, hit === undefined ? 0.35 : 0.12)) events.push(step('report_exported'));
      if (chance(draw, 0.04)) events.push(step('export_error'));
      return events;
    },
  },
  {
    name: 'decline of a country',
    days: [56, 84],
    sessionsPerDay: [400, 900],
    week: SHOP_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.01],
    unrest: 0.06,
    countries: COUNTRIES,
    incidentHours: [18 * 24, 21 * 24],
    affected: {
      events: ['purchase', 'begin_checkout'],
      segments: ['France'],
    },
    events({ hit, country }, draw) {
      const kept = hit !== undefined && country === 'France' ? 0.95 ** hit : 1;
      return shopVisit(draw, { checkout: 0.6 * kept ** 0.5, pay: 0.72 * kept ** 0.5 });
    },
  },
  {
    name: 'gap',
    days: [42, 84],
    sessionsPerDay: [200, 600],
    week: EVEN_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.01],
    unrest: 0.06,
    countries: COUNTRIES,
    incidentHours: [72, 72],
    affected: {},
    sessions: ({ hit }) => (hit === undefined ? 1 : 0),
    events: (_, draw) => shopVisit(draw, {}),
  },
  {
    name: 'releases',
    days: [63, 84],
    sessionsPerDay: [500, 900],
    week: EVEN_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.01],
    unrest: 0.06,
    countries: COUNTRIES,
    releaseEvery: 14,
    incidentHours: [14 * 24, 14 * 24],
    affected: { events: ['upload_failed', 'upload_done'] },
    events({ hit, version }, draw) {
      const events = [step('app_open'), step('feed_viewed')];
      while (chance(draw, 0.4)) events.push(step('post_liked'));
      if (!chance(draw, 0.4)) return events;
      events.push(step('upload_started'));
      const isBad = hit !== undefined && version === BAD_VERSION;
      events.push(step(chance(draw, isBad ? 0.36 : 0.11) ? 'upload_failed' : 'upload_done'));
      return events;
    },
  },
  {
    name: 'hourly shop',
    days: [42, 60],
    sessionsPerDay: [1200, 1800],
    week: SHOP_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.01],
    unrest: 0.05,
    countries: COUNTRIES,
    incidentHours: [20, 30],
    affected: { events: ['purchase', 'begin_checkout'] },
    events: ({ hit }, draw) => shopVisit(draw, hit === undefined ? {} : { checkout: 0.12 }),
  },
  {
    name: 'latency',
    days: [42, 84],
    sessionsPerDay: [300, 800],
    week: EVEN_WEEK,
    hours: SHOP_HOURS,
    growth: [0, 0.02],
    unrest: 0.06,
    countries: COUNTRIES,
    incidentHours: [60, 120],
    affected: { events: ['page_loaded'] },
    events({ hit }, draw) {
      const events = [step('app_open')];
      do {
        const isSlow = hit !== undefined && chance(draw, 0.25);
        events.push(step('page_loaded', { loadMs: Math.round(logNormal(draw, isSlow ? 3200 : 700, 0.5)) }));
      } while (chance(draw, 0.6));
      if (chance(draw, 0.2)) events.push(step('article_shared'));
      return events;
    },
  },
];

/** The version of `releases` that fails. */
export const BAD_VERSION = '3.4.0';

/** The share of users of a release that have it, `hours` after it. */
export function adopted(hours: number): number {
  return hours < 0 ? 0 : 1 - Math.exp(-hours / (4 * 24));
}

export function lengthOf(shape: Shape, draw: Draw): number {
  return Math.round(between(draw, ...shape.incidentHours)) * HOUR_MS;
}
