import { Temporal } from 'temporal-polyfill';
import { contentHash } from '../text/content-hash.ts';
import type { Grain } from './window.ts';

/**
 * When a rule is looked at: in every minute of its IANA zone that all fields name, each with an ascending list.
 * A field that is left out names all. Weekdays are 0 to 6 from Sunday; days of the month and weekdays exclude
 * each other.
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

/** Names of schedules may be that long. */
const NAME_LENGTH = 64;

/** A name for the cadence, equal for equal cadences; letters, digits and dashes only. */
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
 * The cadence as EventBridge Scheduler takes it: a cron expression of six fields and its time zone. Of the days of
 * the month and of the week it takes one, and wants "?" for the other; it counts weekdays from 1, hence the names.
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

/** 1, 2, 3 and 5 as "1-3,5", with other signs where these would not do. */
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
 * The first run strictly after `after` (both epoch milliseconds). As EventBridge Scheduler does it: a local
 * time that a daylight-saving change leaves out is skipped, one that it repeats runs once.
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
export function comesOn(
  { days, months, weekdays }: Cadence,
  { day, month, dayOfWeek }: { day: number; month: number; dayOfWeek: number },
): boolean {
  const names = (field: number[] | undefined, value: number) => field?.includes(value) ?? true;
  return names(months, month) && names(days, day) && names(weekdays, dayOfWeek % 7);
}

/** The time of day at which it runs, where it runs once a day at most; `undefined` where more often. */
export function timeOfDay({ hours, minutes }: Cadence): { hour: number; minute: number } | undefined {
  const [hour, ...laterHours] = hours ?? HOURS;
  const [minute, ...laterMinutes] = minutes ?? MINUTES;
  const isOnce = laterHours.length + laterMinutes.length === 0;
  return isOnce && hour !== undefined && minute !== undefined ? { hour, minute } : undefined;
}

/** The window that a rule of this cadence has unless it says otherwise. */
export function naturalWindow(cadence: Cadence): Grain {
  if (!timeOfDay(cadence)) return 'hour';
  if (cadence.weekdays?.length === 1) return 'week';
  return cadence.days?.length === 1 ? 'month' : 'day';
}

const DAY = 86_400_000;

/** Eight years of dates, two leap days among them: every break between dates that any fields name. */
const DATES = Array.from({ length: 8 * 365 + 2 }, (_, day) => {
  const date = new Date(day * DAY);
  return { day: date.getUTCDate(), month: date.getUTCMonth() + 1, dayOfWeek: date.getUTCDay() };
});

/**
 * The most hours, by the clock on the wall, from the last run of one day to the first of the next that has any.
 * `undefined` where none ever comes, such as on a 30th of February.
 */
export function longestBreakHours(cadence: Cadence): number | undefined {
  const days = longestStepDays(cadence);
  if (days === undefined) return undefined;
  const { hours = HOURS, minutes = MINUTES } = cadence;
  const span = (values: number[]) => (values.at(-1) ?? 0) - (values[0] ?? 0);
  return days * 24 - span(hours) - span(minutes) / 60;
}

/** The most hours, by the clock on the wall, from one run to the next; `undefined` where none ever comes. */
export function longestGapHours(cadence: Cadence): number | undefined {
  const overNight = longestBreakHours(cadence);
  if (overNight === undefined) return undefined;
  const { hours = HOURS, minutes = MINUTES } = cadence;
  const runs = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = runs.slice(1).map((run, i) => (run - (runs[i] ?? run)) / 60);
  return gaps.reduce((longest, gap) => Math.max(longest, gap), overNight);
}

// A thousand rules have a handful of them, and each is asked for several times while a rule is read.
const stepsKnown = new Map<string, number | undefined>();

/** The most days from one date that the cadence comes on to the next; `undefined` where it comes on none. */
function longestStepDays({ days, months, weekdays, zone }: Cadence): number | undefined {
  const key = JSON.stringify([days, months, weekdays]);
  if (stepsKnown.has(key)) return stepsKnown.get(key);
  const runDays = DATES.flatMap((date, day) =>
    comesOn({ days, months, weekdays, zone }, date) ? [day] : [],
  );
  const steps = runDays.slice(1).map((day, i) => day - (runDays[i] ?? day));
  const longest = runDays.length === 0 ? undefined : steps.reduce((a, b) => Math.max(a, b), 1);
  stepsKnown.set(key, longest);
  return longest;
}

/**
 * A rule that was not looked at for longer resumes with this many windows; the older ones stay unjudged. As many
 * hours as lie between a Friday's look and the Monday's, with the one that autumn adds: each may cost a call.
 */
export const MAX_CATCH_UP = 73;

const WINDOW_HOURS: Record<Grain, number> = { hour: 1, day: 24, week: 168, month: 28 * 24 };

/** Why `cadence` would leave windows of `grain` unjudged every time; by default those natural to it. */
export function tooSeldom(cadence: Cadence, grain: Grain = naturalWindow(cadence)): string | undefined {
  const hours = longestBreakHours(cadence) ?? 0;
  // In autumn a break is an hour longer than the clocks say.
  if ((hours + 1) / WINDOW_HOURS[grain] <= MAX_CATCH_UP) return undefined;
  const days = Math.ceil(hours / 24);
  const most = `one run judges ${MAX_CATCH_UP} ${grain}s at most`;
  return `up to ${days} days lie between two runs, and ${most}; look more often or at longer windows`;
}
