import { Temporal } from 'temporal-polyfill';
import { contentHash } from '../text/content-hash.ts';
import { DAY_MS } from '../units/durations.ts';
import { lazy } from '../units/lazy.ts';
import type { Grain } from './window.ts';

/**
 * When a rule runs: in every minute of its IANA zone that matches all fields. Each field is an ascending list, and a
 * missing field matches all. Weekdays are 0 to 6 from Sunday. A cadence has `days` or `weekdays`, not both.
 */
export interface Cadence {
  minutes?: number[] | undefined;
  hours?: number[] | undefined;
  days?: number[] | undefined;
  months?: number[] | undefined;
  weekdays?: number[] | undefined;
  zone: string;
}

export type CadenceField = Exclude<keyof Cadence, 'zone'>;

/** The longest name of a schedule in EventBridge Scheduler. */
const NAME_LENGTH = 64;

/** A name of letters, digits and dashes, equal for equal cadences. */
export function cadenceName({ zone, ...fields }: Cadence): string {
  const { months, days, weekdays, hours, minutes } = fields;
  const parts = Object.entries({ month: months, day: days, weekday: weekdays, hour: hours, minute: minutes });
  const words = parts.flatMap(([word, values]) => (values ? [word, spansText(values, 'to', '-')] : []));
  const zoneWord = zone.replace('+', 'plus').replace(/[^A-Za-z0-9]+/g, '-');
  const name = [...(words.length > 0 ? words : ['each-minute']), zoneWord].join('-');
  if (name.length <= NAME_LENGTH) return name;
  const ending = `-${contentHash({ zone, ...fields })}`;
  return name.slice(0, NAME_LENGTH - ending.length) + ending;
}

const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/**
 * The cadence for EventBridge Scheduler: a cron expression of six fields, and its time zone. One of the two day fields
 * must be "?". Weekdays are names, as Scheduler counts them from 1.
 */
export function schedulerExpression(cadence: Cadence): { expression: string; zone: string } {
  const { minutes, hours, days, months, weekdays, zone } = cadence;
  const time = `${fieldText(minutes)} ${fieldText(hours)}`;
  const day = weekdays ? '?' : fieldText(days);
  const weekday = weekdays ? spansText(weekdays, '-', ',', (each) => WEEKDAY_NAMES[each]) : '?';
  return { expression: `cron(${time} ${day} ${fieldText(months)} ${weekday} *)`, zone };
}

function fieldText(values: number[] | undefined): string {
  return values ? spansText(values, '-', ',') : '*';
}

/** The values 1, 2, 3 and 5 as "1-3,5", with the given separators. */
function spansText(
  values: number[],
  through: string,
  and: string,
  nameOf: (value: number) => number | string | undefined = (value) => value,
): string {
  const spans: { first: number; last: number }[] = [];
  for (const value of values) {
    const open = spans.at(-1);
    if (open?.last === value - 1) open.last = value;
    else spans.push({ first: value, last: value });
  }
  const text = ({ first, last }: { first: number; last: number }) =>
    first === last ? nameOf(first) : `${nameOf(first)}${through}${nameOf(last)}`;
  return spans.map(text).join(and);
}

/**
 * The first run strictly after `after`, both in epoch milliseconds. As in EventBridge Scheduler, a local time that a
 * daylight-saving change skips does not run, and one that it repeats runs once.
 */
export function nextRun(cadence: Cadence, after: number): number {
  const { zone } = cadence;
  const local = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(zone);
  let date = local.toPlainDate();
  let fromHour = local.hour;
  for (;;) {
    if (comesOn(cadence, date))
      for (const time of timesOf(cadence, fromHour)) {
        const run = firstInstant(date.toPlainDateTime(time), zone);
        if (run !== undefined && run > after) return run;
      }
    date = date.add({ days: 1 });
    fromHour = 0;
  }
}

const HOURS = [...Array(24).keys()];
const MINUTES = [...Array(60).keys()];

function* timesOf({ hours = HOURS, minutes = MINUTES }: Cadence, fromHour: number) {
  for (const hour of hours) if (hour >= fromHour) for (const minute of minutes) yield { hour, minute };
}

function firstInstant(local: Temporal.PlainDateTime, zone: string): number | undefined {
  const first = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  return first.toPlainDateTime().equals(local) ? first.epochMilliseconds : undefined;
}

/** Whether the cadence runs on a date; `dayOfWeek` is 1 to 6 from Monday, and 0 or 7 on a Sunday. */
function comesOn(
  { days, months, weekdays }: Cadence,
  { day, month, dayOfWeek }: { day: number; month: number; dayOfWeek: number },
): boolean {
  const names = (field: number[] | undefined, value: number) => field?.includes(value) ?? true;
  return names(months, month) && names(days, day) && names(weekdays, dayOfWeek % 7);
}

/** The time of day of a cadence that runs at most once a day; `undefined` if it runs more often. */
export function timeOfDay({ hours, minutes }: Cadence): { hour: number; minute: number } | undefined {
  const [hour, ...laterHours] = hours ?? HOURS;
  const [minute, ...laterMinutes] = minutes ?? MINUTES;
  const isOnce = laterHours.length + laterMinutes.length === 0;
  return isOnce && hour !== undefined && minute !== undefined ? { hour, minute } : undefined;
}

/** The default window of a rule with this cadence. */
export function naturalWindow(cadence: Cadence): Grain {
  if (!timeOfDay(cadence)) return 'hour';
  if (cadence.weekdays?.length === 1) return 'week';
  return cadence.days?.length === 1 ? 'month' : 'day';
}

/** Eight years of dates with two leap days: enough for the longest break of any cadence. */
const DATES = lazy(() =>
  Array.from({ length: 8 * 365 + 2 }, (_, day) => {
    const date = new Date(day * DAY_MS);
    return { day: date.getUTCDate(), month: date.getUTCMonth() + 1, dayOfWeek: date.getUTCDay() };
  }),
);

/** The most hours in local time between the runs of two days. `undefined` if it never runs, as on February 30. */
export function longestBreakHours(cadence: Cadence): number | undefined {
  const days = longestStepDays(cadence);
  if (days === undefined) return undefined;
  const { hours = HOURS, minutes = MINUTES } = cadence;
  const span = (values: number[]) => (values.at(-1) ?? 0) - (values[0] ?? 0);
  return days * 24 - span(hours) - span(minutes) / 60;
}

/** The most hours in local time from one run to the next; `undefined` if the cadence never runs. */
export function longestGapHours(cadence: Cadence): number | undefined {
  const overNight = longestBreakHours(cadence);
  if (overNight === undefined) return undefined;
  const { hours = HOURS, minutes = MINUTES } = cadence;
  const runs = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = runs.slice(1).map((run, i) => (run - (runs[i] ?? run)) / 60);
  return gaps.reduce((longest, gap) => Math.max(longest, gap), overNight);
}

// Thousands of rules share a few cadences, and parsing a rule needs this several times.
const knownSteps = new Map<string, number | undefined>();

/** The most days between two dates with runs; `undefined` if there are none. */
function longestStepDays({ days, months, weekdays, zone }: Cadence): number | undefined {
  const key = JSON.stringify([days, months, weekdays]);
  if (knownSteps.has(key)) return knownSteps.get(key);
  const runDays = DATES().flatMap((date, day) =>
    comesOn({ days, months, weekdays, zone }, date) ? [day] : [],
  );
  const steps = runDays.slice(1).map((day, i) => day - (runDays[i] ?? day));
  const longest = runDays.length === 0 ? undefined : steps.reduce((a, b) => Math.max(a, b), 1);
  knownSteps.set(key, longest);
  return longest;
}

/**
 * The most windows that one run evaluates after a break. Older ones are not evaluated, as each may cost a call.
 * 73 hours is the time from a run on Friday to the same time on Monday, when clocks go back.
 */
export const MAX_CATCH_UP = 73;

const WINDOW_HOURS: Record<Grain, number> = { hour: 1, day: 24, week: 168, month: 28 * 24 };

/** The fault if `cadence` is too rare to evaluate all windows of `grain`. By default its natural window. */
export function tooSeldom(cadence: Cadence, grain: Grain = naturalWindow(cadence)): string | undefined {
  const hours = longestBreakHours(cadence) ?? 0;
  // When clocks go back, a break is an hour longer.
  if ((hours + 1) / WINDOW_HOURS[grain] <= MAX_CATCH_UP) return undefined;
  const days = Math.ceil(hours / 24);
  const most = `each run evaluates at most ${MAX_CATCH_UP} ${grain}s`;
  return `runs are up to ${days} days apart, but ${most}; run more often or use longer windows`;
}
