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
