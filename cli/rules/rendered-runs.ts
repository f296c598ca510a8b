import { baselineWindows, NO_MEMORY } from '../../shared/evaluation/baseline.ts';
import { type PlannedRun, plannedRuns } from '../../shared/planning/planned-runs.ts';
import { comparisonText } from '../../shared/rules/comparison.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { hoursOf, type Window } from '../../shared/time/window.ts';
import { tableText } from '../terminal/table.ts';
import { inZone, minuteOf, spanText } from '../terminal/zoned-times.ts';

/** A window that a run will evaluate, with its baseline windows, nearest first; a model has none. */
interface RenderedWindow {
  window: Window;
  against: Window[];
}

export interface RenderedRun {
  at: number;
  windows: RenderedWindow[];
}

/** The next `count` runs of the rule after `after`, as if it had never fired. */
export function renderRuns(rule: Rule, after: number, count: number): RenderedRun[] {
  const calendarWindows = new CalendarWindows({ grain: rule.window, zone: rule.zone });
  const againstOf = (window: Window) =>
    rule.members ? [] : baselineWindows(rule, window, NO_MEMORY, calendarWindows);
  return plannedRuns(rule, after, count).map(({ at, windows }: PlannedRun) => ({
    at,
    windows: windows.map((window) => ({ window, against: againstOf(window) })),
  }));
}

/** Listed windows per run; beyond it, the first and last. */
const SHOWN = 3;

/** Listed baseline windows, limited by the line. */
const NEAREST = 4;

/** The rule's runs in its zone, in 80 columns. */
export function renderedText(rule: Rule, runs: RenderedRun[]): string {
  const { id, every, window: grain, zone } = rule;
  const comparison = rule.members ? 'its member rules' : comparisonText(rule.baseline, grain);
  const rows = runs.flatMap((run) => rowsOf(run, rule));
  const notes = clockNotes(runs, rule);
  return [
    `${id}: every ${every} (${zone})`,
    `  each ${grain} against ${comparison}`,
    ...tableText([{ title: 'run' }, { title: 'evaluates' }, { title: 'against' }], rows)
      .split('\n')
      .map((line) => `  ${line}`),
    ...notes.map((note) => `  ${note}`),
  ].join('\n');
}

function rowsOf({ at, windows }: RenderedRun, rule: Rule): string[][] {
  const local = inZone(at, rule.zone);
  const run = `${local.toLocaleString('en-GB', { weekday: 'short' })} ${minuteOf(local)}`;
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return [[run, 'no new window', '']];
  const shown = windows.length > SHOWN ? [first, last] : windows;
  const rows = shown.map(({ window, against }) => [
    `${windowText(window, rule)}${mark(window, rule)}`,
    againstText(against, rule),
  ]);
  const left = windows.length - shown.length;
  if (left > 0) rows.splice(1, 0, [`and ${left} more up to`, '']);
  return rows.map((row, i) => [i === 0 ? run : '', ...row]);
}

/** Later windows as a day only: they share the time and mostly the year. */
function againstText(against: Window[], rule: Rule): string {
  const shown = against.slice(0, NEAREST).map((each, i) => {
    const text = windowText(each, rule);
    return `${i === 0 ? text : text.slice(5, 10)}${mark(each, rule)}`;
  });
  const left = against.length - shown.length;
  return [...shown, ...(left > 0 ? [`+${left}`] : [])].join(', ');
}

/** An hour as its day and start; the window's length gives its end. */
function windowText({ startAt, endAt }: Window, { window: grain, zone }: Rule): string {
  const start = inZone(startAt, zone);
  return grain === 'hour' ? minuteOf(start) : spanText(start, inZone(endAt, zone), grain);
}

/** Marks a window with a clock change. */
const MARK = '*';

function mark(window: Window, rule: Rule): string {
  return changeOf(window, rule) === 0 ? '' : MARK;
}

/** Minutes that the clocks go forward within the window; negative: back. */
function changeOf({ startAt, endAt }: Window, { zone }: Rule): number {
  return (inZone(endAt, zone).offsetNanoseconds - inZone(startAt, zone).offsetNanoseconds) / 60e9;
}

function clockNotes(runs: RenderedRun[], rule: Rule): string[] {
  const shown = runs.flatMap(({ windows }) =>
    windows.flatMap(({ window, against }) => [window, ...against.slice(0, NEAREST)]),
  );
  const changed = new Map(shown.map((window) => [window.startAt, window]));
  return [...changed.values()].flatMap((window) => {
    const minutes = changeOf(window, rule);
    if (minutes === 0) return [];
    const way = minutes > 0 ? 'forward' : 'back';
    return [
      `${MARK} the clocks go ${way} ${rule.window === 'day' ? 'on' : 'in'} ${windowText(window, rule)}, which has ${hoursOf(window)} hours`,
    ];
  });
}
