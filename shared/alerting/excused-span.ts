import type { Rule } from './rule.ts';
import { type Calendar, endAfter, lastClosedWindow, type Window, windowEnding } from './window.ts';
import { inWindowText, windowText } from './wording.ts';

/** What is excused with a window: an hour goes with its day, by the clocks of the rule's zone, and what is longer alone. */
export function excusedSpan(firedWindowEndAt: number, rule: Rule): Window {
  const calendar = calendarOf(rule);
  if (rule.window !== 'hour') return windowEnding(firedWindowEndAt, calendar);
  return windowEnding(
    endAfter(lastClosedWindow(firedWindowEndAt - 1, calendar).endAt, 1, calendar),
    calendar,
  );
}

/** "Mon 2 Mar 2026 (Europe/Berlin)". */
export function excusedText(firedWindowEndAt: number, rule: Rule): string {
  return windowText(excusedSpan(firedWindowEndAt, rule), calendarOf(rule));
}

/** The same with the word before it: "on Mon 2 Mar 2026 (Europe/Berlin)". */
export function onExcusedText(firedWindowEndAt: number, rule: Rule): string {
  return inWindowText(excusedSpan(firedWindowEndAt, rule), calendarOf(rule));
}

function calendarOf({ window: grain, zone }: Rule): Calendar {
  return { grain: grain === 'hour' ? 'day' : grain, zone };
}
