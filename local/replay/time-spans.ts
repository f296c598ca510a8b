import { historyRanges } from '../../shared/evaluation/evidence.ts';
import { dueWindows } from '../../shared/planning/plan.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { nextRun } from '../../shared/time/cadence.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';

/** Rules of one family, and every window that they may read, oldest first without gaps. */
export interface Stretch {
  rules: FigureRule[];
  windows: Window[];
}

/** Extra weeks for baselines that skip incidents and holidays. */
const SPARE_WEEKS = 8;

/** Extra windows: the baseline of the oldest windows that evaluation reads. */
const SPARE_WINDOWS = 2;

/** The windows that runs of `rules` in `(from, to]` evaluate, and those of their baselines. */
export function stretchesOf(rules: Rule[], from: number, to: number): Stretch[] {
  const figureRules = rules.filter((rule): rule is FigureRule => !rule.members);
  const families = Map.groupBy(figureRules, (rule) => seriesOf(rule).family);
  return [...families.values()].flatMap((members): Stretch[] => {
    const spans = members.flatMap((rule) => spanOf(rule, from, to) ?? []);
    const [first] = members;
    if (!first || spans.length === 0) return [];
    const calendarWindows = new CalendarWindows(seriesOf(first).calendar);
    const fromAt = Math.min(...spans.map(({ startAt }) => startAt));
    const last = lastClosedWindow(Math.max(...spans.map(({ endAt }) => endAt)), calendarWindows.calendar);
    const windows: Window[] = [];
    for (let window = last; window.endAt >= fromAt; window = calendarWindows.before(window))
      windows.push(window);
    return [{ rules: members, windows: windows.reverse() }];
  });
}

/** From the end of the first baseline window to that of the last evaluated window; `undefined` without runs. */
function spanOf(rule: FigureRule, from: number, to: number): Window | undefined {
  const firstRunAt = nextRun(rule.cadence, from);
  if (firstRunAt > to) return undefined;
  const { calendar } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  const due = dueWindows(rule, firstRunAt, undefined);
  const [first] = due;
  if (!first) return undefined;
  const fromEnds = historyRanges(rule, due, [], calendarWindows).map(({ fromEndAt }) => fromEndAt);
  if (rule.baseline.to === 'same_weekday' || rule.baseline.to === 'median') {
    const weeks = rule.baseline.to === 'median' ? rule.baseline.weeks : 1;
    fromEnds.push(calendarWindows.weeksBefore(first, weeks + SPARE_WEEKS).endAt);
  }
  let oldest = lastClosedWindow(Math.min(...fromEnds), calendar);
  for (let i = 0; i < SPARE_WINDOWS; i++) oldest = calendarWindows.before(oldest);
  return { startAt: oldest.endAt, endAt: Math.max(to - rule.settle * 60_000, first.endAt) };
}
