import { inBatchesOf } from '../../shared/aws/requests.ts';
import { MAX_ROWS } from '../../shared/contract/grouping.ts';
import { historyRanges } from '../../shared/evaluation/evidence.ts';
import { dueWindows } from '../../shared/planning/plan.ts';
import type { RangeQuestion } from '../../shared/readings/reading.ts';
import { rangeQuestionFor, segmentsIn, seriesOf } from '../../shared/readings/series.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { nextRun } from '../../shared/time/cadence.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/units/durations.ts';

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
  return { startAt: oldest.endAt, endAt: Math.max(to - rule.settle * MINUTE_MS, first.endAt) };
}

/** Shorter than any zone's winter, so a service with different clock changes differs at one end. */
const MAX_DATES_MS = 140 * DAY_MS;

/** The fewest queries that cover a stretch, if segments are few. */
export function questionsFor({ rules, windows }: Stretch): RangeQuestion[] {
  const [first] = rules;
  if (!first) return [];
  const { calendar, segmentBy } = seriesOf(first);
  const spans = inSpans(windows, calendar.grain === 'hour' ? Infinity : MAX_DATES_MS);
  return spans.flatMap((span) => {
    const question: RangeQuestion = { ...rangeQuestionFor(rules, span), inOneAnswer: true };
    const { eventNames = [] } = question;
    const namesEach = Math.max(1, Math.floor(MAX_ROWS / span.length));
    if (segmentBy || eventNames.length <= namesEach) return [question];
    return inBatchesOf(namesEach, eventNames).map((names) => ({ ...question, eventNames: names }));
  });
}

/** Splits a query whose answer may have too many rows; `undefined` where it cannot be split. */
export function halved(question: RangeQuestion): [RangeQuestion, RangeQuestion] | undefined {
  const { eventNames = [], windows } = question;
  const most = windows.length * Math.max(1, eventNames.length) * segmentsIn(question);
  if (most <= MAX_ROWS) return undefined;
  const half = (length: number) => Math.ceil(length / 2);
  const of = <T>(all: T[]): [T[], T[]] => [all.slice(0, half(all.length)), all.slice(half(all.length))];
  if (eventNames.length > 1) {
    const [some, others] = of(eventNames);
    return [
      { ...question, eventNames: some },
      { ...question, eventNames: others },
    ];
  }
  const [older, newer] = of(windows);
  return [
    { ...question, windows: older },
    { ...question, windows: newer },
  ];
}

/** `windows` in equal spans, none longer than `mostMs` or with more rows than an answer holds. */
export function inSpans(windows: readonly Window[], mostMs: number): Window[][] {
  const wholeMs = (windows.at(-1)?.endAt ?? 0) - (windows[0]?.startAt ?? 0);
  const spans = Math.max(1, Math.ceil(wholeMs / mostMs), Math.ceil(windows.length / MAX_ROWS));
  return inBatchesOf(Math.ceil(windows.length / spans), [...windows]);
}
