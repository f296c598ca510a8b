import type { RangeQuestion } from '../readings/reading.ts';
import { CalendarWindows } from '../time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../time/window.ts';
import { DAY_MS, HOUR_MS } from '../units/durations.ts';

/** Days before a silence in which earlier ones are looked for. */
export const SILENCE_DAYS = 28;

/** The question about the events of an app in each hour before its newest data. */
export function silenceQuestion(app: string, newestDataAt: number): RangeQuestion {
  const hours = new CalendarWindows({ grain: 'hour', zone: 'UTC' });
  const last = lastClosedWindow(newestDataAt, hours.calendar);
  return {
    ...{ app, endpoint: 'event', filters: [], aggregations: [{ attribute: 'event_count' }] },
    ...{ calendar: hours.calendar, windows: [...hours.through(last, SILENCE_DAYS * 24)], inOneAnswer: true },
  };
}

/** An app with so many days of data has had more than two weekends. */
const MANY_DAYS = 21;

/**
 * How long an app is usually silent, in milliseconds: the longest time without events that is not alone, because three
 * (two of a young app) lasted at least half as long. So nights and weekends are usual, and one outage is not. `events`:
 * by hour, oldest first. `reported`: earlier silences, as a file that comes once a day leaves no gap in the events.
 */
export function usualSilence(events: readonly number[], reported: readonly Window[] = []): number {
  const begun = events.findIndex((count) => count > 0);
  if (begun < 0) return 0;
  const spells = reported.map(({ startAt, endAt }) => (endAt - startAt) / HOUR_MS);
  let spell = 0;
  for (const count of events.slice(begun)) {
    if (count === 0) spell++;
    else {
      if (spell > 0) spells.push(spell);
      spell = 0;
    }
  }
  const needed = (events.length - begun) * HOUR_MS >= MANY_DAYS * DAY_MS ? 3 : 2;
  const usual = spells
    .toSorted((a, b) => b - a)
    .find((longest) => spells.filter((each) => 2 * each >= longest).length >= needed);
  return (usual ?? 0) * HOUR_MS;
}

/** A silence in which an app usually has more events does not come by chance, not even on a day with a fifth of them. */
const FEW_EVENTS = 8;
/** The share of a window's usual events that may be missing. */
const FEW_OF_WINDOW = 0.2;

const WEEK_HOURS = 7 * 24;

/**
 * Up to when the data of an app are complete, although its newest are older: the end of the last of `windows` that
 * lacks little, if the app usually has few events from the newest data until `now`. What is usual is known after two
 * weeks. `events`: as in `usualSilence`.
 */
export function completeThrough(
  windows: readonly Window[],
  events: readonly number[],
  { newestDataAt, now }: { newestDataAt: number; now: number },
): number {
  const begun = events.findIndex((count) => count > 0);
  if (begun < 0 || events.length - begun < 2 * WEEK_HOURS) return newestDataAt;
  const usualIn = (startAt: number, endAt: number) =>
    usualEvents(events.slice(begun), newestDataAt, { startAt, endAt });
  if (usualIn(newestDataAt, now) > FEW_EVENTS) return newestDataAt;
  const complete = windows.filter(
    ({ startAt, endAt }) =>
      endAt <= now &&
      usualIn(Math.max(startAt, newestDataAt), endAt) <= FEW_OF_WINDOW * usualIn(startAt, endAt),
  );
  return Math.max(newestDataAt, ...complete.map(({ endAt }) => endAt));
}

/** The mean number of events in the same hours of four weeks. `events`: by hour, up to the one of `newestDataAt`. */
function usualEvents(events: readonly number[], newestDataAt: number, { startAt, endAt }: Window): number {
  let sum = 0;
  for (let hour = Math.floor(startAt / HOUR_MS); hour * HOUR_MS < endAt; hour++) {
    const share = (Math.min(endAt, (hour + 1) * HOUR_MS) - Math.max(startAt, hour * HOUR_MS)) / HOUR_MS;
    const place = events.length + hour - Math.floor(newestDataAt / HOUR_MS);
    const before = [1, 2, 3, 4].flatMap((week) => events[place - week * WEEK_HOURS] ?? []);
    for (const count of before) sum += (share * count) / before.length;
  }
  return sum;
}
