import { Temporal } from 'temporal-polyfill';
import { between, type Draw, drawsFor, gammaAroundOne, poisson } from '../../local/data/demo/draws.ts';
import { holidayOn } from '../../shared/time/holiday-calendar.ts';
import { occasionsOf } from '../../shared/time/occasion.ts';
import { DAY_MS, WEEK_MS } from '../../shared/units/durations.ts';
import { type Series, type SeriesGrain, SPAN } from './series.ts';

/** An app a few weeks after its start: few or many events, a weekend, growth, holidays and a release. */
export interface YoungApp {
  name: string;
  /** Weeks before the incident. */
  history: number;
  weeks: number;
  /** Events per day at the start. */
  rate: number;
  /** Factor of Saturdays and Sundays. */
  weekend: number;
  /** Factor per week. */
  growth: number;
  /** Standard deviation of the rate of a day and of an hour, relative to the rate. */
  dayNoise: number;
  hourNoise: number;
  /** Start of the first day, a Monday. */
  startAt: number;
  country: string;
  /** Factors of the rate, by day. */
  holidays: ReadonlyMap<number, number>;
  release: { day: number; factor: number };
  /** Hour of the day with the most events. */
  peak: number;
}

/** A change of the rate; `factorAt` by windows since its start. */
export interface YoungIncident {
  name: string;
  windows: number;
  factorAt(window: number): number;
}

const step = (name: string, factor: number, windows: number): YoungIncident => ({
  ...{ name, windows },
  factorAt: () => factor,
});
const ramp = (name: string, aWindow: number, windows: number): YoungIncident => ({
  ...{ name, windows },
  factorAt: (window) => aWindow ** (window + 1),
});

export const YOUNG_INCIDENTS: Record<SeriesGrain, YoungIncident[]> = {
  day: [
    ...[step('outage', 0, 1), step('-80 % a day', 0.2, 1), step('-50 % a day', 0.5, 1)],
    ...[step('-30 % a day', 0.7, 1), step('-50 % three days', 0.5, 3), step('-30 % three days', 0.7, 3)],
    ...[step('-80 % two days', 0.2, 2), step('-50 % lasting', 0.5, 10), step('-30 % lasting', 0.7, 10)],
    ...[step('-20 % lasting', 0.8, 10), ramp('-3 % a day', 0.97, 14), ramp('-6 % a day', 0.94, 10)],
    ...[step('x1.5 a day', 1.5, 1), step('x2 a day', 2, 1), step('x3 a day', 3, 1)],
    ...[step('x1.3 three days', 1.3, 3), step('x1.5 lasting', 1.5, 10), step('x2 lasting', 2, 10)],
    ramp('+5 % a day', 1.05, 14),
  ],
  hour: [
    ...[step('-80 % a day', 0.2, 24), step('-80 % three hours', 0.2, 3), step('-50 % a day', 0.5, 24)],
    ...[step('-30 % a day', 0.7, 24), step('outage six hours', 0, 6), step('x3 three hours', 3, 3)],
    ...[step('x1.5 a day', 1.5, 24), step('x2 a day', 2, 24)],
  ],
};

/** The first of the Mondays on which an app may start. */
const FIRST_MONDAY = Date.UTC(2020, 0, 6);
const START_WEEKS = 5 * 52;

const COUNTRIES = ['US', 'DE', 'FR', 'GB', 'JP', 'BR', 'IN', 'AU'];

/** Weeks in which an incident happens and ends. */
const LATER_WEEKS = 3;

/** Chance that a public holiday changes the rate, and the day before or after one that does. After the first two weeks. */
const REACTS = 0.25;
const REACTS_BESIDE = 1 / 6;

/** Days with a change that no calendar knows. */
const UNKNOWN_A_DAY = 1 / 500;

export function youngApp(seed: number, i: number): YoungApp {
  const draw = drawsFor(seed, 'young', i);
  const history = Math.floor(between(draw, 3, 13));
  const weeks = history + LATER_WEEKS;
  return {
    ...{ name: `young ${i}`, history, weeks, rate: 5 * 1000 ** draw(), weekend: between(draw, 0.4, 1.4) },
    growth: draw() < 0.4 ? 1 : between(draw, 0.97, 1.08),
    ...{ dayNoise: between(draw, 0.03, 0.15), hourNoise: between(draw, 0.05, 0.2) },
    ...holidaysOf(weeks * 7, draw),
    release: {
      day: Math.floor(between(draw, 10, weeks * 7)),
      factor: draw() < 0.6 ? 1 : between(draw, 0.9, 1.15),
    },
    peak: Math.floor(between(draw, 11, 21)),
  };
}

function holidaysOf(days: number, draw: Draw): Pick<YoungApp, 'startAt' | 'country' | 'holidays'> {
  const startAt = FIRST_MONDAY + Math.floor(between(draw, 0, START_WEEKS)) * WEEK_MS;
  const country = COUNTRIES[Math.floor(between(draw, 0, COUNTRIES.length))] ?? 'US';
  const first = Temporal.Instant.fromEpochMilliseconds(startAt).toZonedDateTimeISO('UTC').toPlainDate();
  const isHoliday = (day: number) => holidayOn(first.add({ days: day }), { country, days: [] }) !== null;
  const holidays = new Map<number, number>();
  const factor = () => (draw() < 0.7 ? between(draw, 0.4, 0.85) : between(draw, 1.15, 1.6));
  for (let day = 14; day < days; day++) {
    if (draw() < UNKNOWN_A_DAY) holidays.set(day, factor());
    if (!isHoliday(day) || draw() >= REACTS) continue;
    const ofDay = factor();
    holidays.set(day, ofDay);
    for (const beside of [day - 1, day + 1])
      if (!isHoliday(beside) && draw() < REACTS_BESIDE) holidays.set(beside, Math.sqrt(ofDay));
  }
  return { startAt, country, holidays };
}

/** Mean events in a window, holidays and the release included. */
export function meanIn(app: YoungApp, grain: SeriesGrain, window: number): number {
  const day = grain === 'day' ? window : Math.floor(window / 24);
  const level = app.rate * app.growth ** (day / 7) * (day >= app.release.day ? app.release.factor : 1);
  const ofDay = level * (day % 7 > 4 ? app.weekend : 1) * (app.holidays.get(day) ?? 1);
  if (grain === 'day') return ofDay;
  return (ofDay * Math.max(0.05, 1 + 0.9 * Math.cos(((window % 24) - app.peak) * (Math.PI / 12)))) / 24;
}

/** Negative binomial counts: Poisson around a rate with gamma noise. The noise is the same with and without an incident. */
export function youngSeries(
  app: YoungApp,
  grain: SeriesGrain,
  seed: number,
  incident?: YoungIncident & { from: number },
): Series {
  const aDay = grain === 'day' ? 1 : 24;
  let ofDay = 1;
  const occasionOn = occasionsOf({ country: app.country, days: [] });
  const points = Array.from({ length: app.weeks * 7 * aDay }, (_, window) => {
    const day = Math.floor(window / aDay);
    if (window % aDay === 0) ofDay = gammaAroundOne(drawsFor(seed, app.name, 'day', day), app.dayNoise);
    const draw = drawsFor(seed, app.name, grain, window);
    const noise = grain === 'day' ? ofDay : ofDay * gammaAroundOne(draw, app.hourNoise);
    const since = window - (incident?.from ?? Infinity);
    const factor = incident && since >= 0 && since < incident.windows ? incident.factorAt(since) : 1;
    const at = app.startAt + window * SPAN[grain];
    return {
      at,
      occasion: occasionOn(Math.floor(at / DAY_MS)),
      slot: window % (7 * aDay),
      value: poisson(draw, meanIn(app, grain, window) * noise * factor),
    };
  });
  return { ...{ name: app.name, grain, kind: 'count', points, labels: [], isLabelled: false } };
}
