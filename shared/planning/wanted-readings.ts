import { baselineWindows, type Memory, NO_MEMORY } from '../evaluation/baseline.ts';
import { historyRanges } from '../evaluation/evidence.ts';
import type { History } from '../readings/history.ts';
import type { Wanted } from '../readings/read-requests.ts';
import { rowKeysOf, seriesOf } from '../readings/series.ts';
import type { Ends } from '../readings/snapshots.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import { lazyBy } from '../units/lazy.ts';
import type { Again } from './restated-windows.ts';

/** A rule with the windows to evaluate and the memories of its alerts. They decide which readings it needs. */
export interface Need {
  rule: FigureRule;
  windows: Window[];
  memories: Memory[];
  /** Evaluated windows to read again. */
  again: Again[];
}

/**
 * The windows that are required to evaluate `window`. A compared answer includes the previous window. Any other baseline
 * is its own window, and after an incident the baseline of some alerts is further back.
 */
export function neededWindows(
  { rule, memories }: Need,
  window: Window,
  calendarWindows: CalendarWindows,
): Window[] {
  const baselines = [NO_MEMORY, ...memories].flatMap((memory) =>
    baselineWindows(rule, window, memory, calendarWindows)
      .filter(({ endAt }) => endAt !== window.startAt)
      .slice(0, 1),
  );
  return [...new Map(baselines.map((each) => [each.endAt, each])).values(), window];
}

/** The unread windows that evaluation requires, and the windows to evaluate again. */
export function neededReadings(needs: Need[], history: History, calendarWindows: CalendarWindows): Wanted[] {
  const wanted = new Wants(history);
  for (const need of needs) {
    for (const window of need.windows.flatMap((each) => neededWindows(need, each, calendarWindows)))
      wanted.add(need.rule, window);
    for (const { window, since } of need.again) wanted.add(need.rule, window, since);
  }
  return wanted.all();
}

/** The unread windows in the ranges of history that evaluation uses but does not require. */
export function helpfulReadings(needs: Need[], history: History, calendarWindows: CalendarWindows): Wanted[] {
  const wanted = new Wants(history);
  const alike = Map.groupBy(needs, ({ rule }) =>
    JSON.stringify([seriesOf(rule).eventNames, rowKeysOf([rule])]),
  );
  for (const members of alike.values()) {
    const [first] = members;
    if (!first) continue;
    const { eventNames } = seriesOf(first.rule);
    const keys = rowKeysOf([first.rule]);
    for (const { fromEndAt, throughEndAt } of wantedRanges(members, calendarWindows)) {
      let window = calendarWindows.ending(throughEndAt);
      for (; window.endAt >= fromEndAt; window = calendarWindows.before(window))
        if (!history.covers(window, eventNames, keys)) wanted.add(first.rule, window);
    }
  }
  return wanted.all();
}

/** The ranges of window ends whose snapshots evaluation uses, disjoint and in order. */
export function wantedRanges(needs: Need[], calendarWindows: CalendarWindows): Ends[] {
  const ranges = needs.flatMap(({ rule, windows, memories }) =>
    historyRanges(rule, windows, memories, calendarWindows),
  );
  const apart: Ends[] = [];
  for (const range of ranges.toSorted((a, b) => a.fromEndAt - b.fromEndAt)) {
    const last = apart.at(-1);
    if (last && range.fromEndAt <= last.throughEndAt)
      last.throughEndAt = Math.max(last.throughEndAt, range.throughEndAt);
    else apart.push({ ...range });
  }
  return apart;
}

export function isRead(history: History, rule: FigureRule, window: Window): boolean {
  return history.covers(window, seriesOf(rule).eventNames, rowKeysOf([rule]));
}

/** Unread windows, each with the rules that want it. */
class Wants {
  readonly #history: History;
  readonly #byEnd = new Map<number, Wanted>();
  /** Cached, as a history has thousands of windows. */
  readonly #askedBy = lazyBy((rule: FigureRule) => ({
    eventNames: seriesOf(rule).eventNames,
    keys: rowKeysOf([rule]),
  }));

  constructor(history: History) {
    this.#history = history;
  }

  add(rule: FigureRule, window: Window, since = -Infinity): void {
    const known = this.#byEnd.get(window.endAt);
    if (known?.rules.includes(rule)) return;
    const { eventNames, keys } = this.#askedBy(rule);
    const readAt = this.#history.readAt(window, eventNames, keys);
    if (readAt !== undefined && readAt >= since) return;
    if (known) known.rules.push(rule);
    else this.#byEnd.set(window.endAt, { window, rules: [rule] });
  }

  all(): Wanted[] {
    return [...this.#byEnd.values()];
  }
}
