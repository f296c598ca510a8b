import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import { rowKeysOf } from './series.ts';

/** A window to read, and the rules of one family that need it. */
export interface Wanted {
  window: Window;
  rules: FigureRule[];
}

/** One question: consecutive windows, oldest first. Only `wanted` are needed. */
export interface ReadRequest {
  windows: Window[];
  wanted: Wanted[];
}

/** The most rows of one question: a few pages, each of them a call. */
const MAX_ROWS = 2000;
/** The rows of a page. Windows that are not wanted may fill a page, but not add one. */
export const PAGE_ROWS = 500;

/**
 * The longest range of date buckets, including the window before. It is shorter than any period between clock changes
 * (five weeks around Ramadan in Casablanca). So if the clocks of the service change on other days than in the rule's
 * zone, one end of the range differs, and the mismatch is detected.
 */
const MAX_DAYS = 28;

/** The most windows of one question if each has `rowsEach` rows. */
function windowsPerQuestion(rowsEach: number, grain: CalendarWindows['calendar']['grain']): number {
  const byRows = Math.max(1, Math.floor(MAX_ROWS / rowsEach));
  const days = { hour: 0, day: 1, week: 7, month: 31 }[grain];
  return days === 0 ? byRows : Math.min(byRows, Math.max(1, Math.floor(MAX_DAYS / days) - 1));
}

/**
 * The fewest questions that cover all of `wanted`, newest first. Consecutive windows share one question. So do near ones
 * if the windows between add no page.
 */
export function readRequestsFor(
  wanted: Wanted[],
  rowsEach: number,
  calendarWindows: CalendarWindows,
): ReadRequest[] {
  const most = windowsPerQuestion(rowsEach, calendarWindows.calendar.grain);
  const readRequests: ReadRequest[] = [];
  for (const each of wanted.toSorted((a, b) => b.window.endAt - a.window.endAt)) {
    const readRequest = readRequests.at(-1);
    const more =
      readRequest &&
      reaching(readRequest, each.window, Math.min(most, PAGE_ROWS / rowsEach), calendarWindows);
    if (readRequest && more && readRequest.windows.length + more.length <= most) {
      readRequest.windows.unshift(...more);
      readRequest.wanted.unshift(each);
    } else readRequests.push({ windows: [each.window], wanted: [each] });
  }
  return readRequests;
}

/** The windows from `window`, inclusive, to those of the request; `undefined` if they are too far apart. */
function reaching(
  { windows }: ReadRequest,
  window: Window,
  most: number,
  calendarWindows: CalendarWindows,
): Window[] | undefined {
  const [first] = windows;
  if (!first) return undefined;
  if (window.endAt === first.startAt) return [window];
  const between: Window[] = [];
  for (
    let each = calendarWindows.before(first);
    windows.length + between.length < most;
    each = calendarWindows.before(each)
  ) {
    between.unshift(each);
    if (each.endAt <= window.endAt) return each.endAt === window.endAt ? between : undefined;
  }
  return undefined;
}

/** One request for each wanted window, in the same order. */
export function oneByOne({ wanted }: ReadRequest): ReadRequest[] {
  return wanted.map((each) => ({ windows: [each.window], wanted: [each] }));
}

/** Splits a request: `most` of its wanted windows, from the oldest or the newest on, and the others. */
export function parted(
  readRequest: ReadRequest,
  most: number,
  from: 'oldest' | 'newest',
): [ReadRequest, ...ReadRequest[]] {
  const { wanted } = readRequest;
  if (wanted.length <= most) return [readRequest];
  const at = from === 'oldest' ? most : wanted.length - most;
  const older = between(readRequest, wanted.slice(0, at));
  const newer = between(readRequest, wanted.slice(at));
  return from === 'oldest' ? [older, newer] : [newer, older];
}

function between({ windows }: ReadRequest, wanted: Wanted[]): ReadRequest {
  const startAt = wanted[0]?.window.startAt ?? 0;
  const endAt = wanted.at(-1)?.window.endAt ?? 0;
  return { windows: windows.filter((each) => startAt <= each.startAt && each.endAt <= endAt), wanted };
}

/** The request without the rules in `refused`; `undefined` if none is left. */
export function without(
  { windows, wanted }: ReadRequest,
  refused: Pick<ReadonlyMap<FigureRule, unknown>, 'has'>,
): ReadRequest | undefined {
  const left = wanted.flatMap(({ window, rules }) => {
    const others = rules.filter((rule) => !refused.has(rule));
    return others.length > 0 ? [{ window, rules: others }] : [];
  });
  return left.length > 0 ? { windows, wanted: left } : undefined;
}

/** One request for the rules of each metric. */
export function apartByMetric(readRequest: ReadRequest): ReadRequest[] {
  const rules = new Set(readRequest.wanted.flatMap((each) => each.rules));
  const byMetric = Map.groupBy(rules, (rule) => JSON.stringify(rowKeysOf([rule])));
  return [...byMetric.values()].flatMap((own) => {
    const others = new Set([...rules].filter((rule) => !own.includes(rule)));
    return without(readRequest, others) ?? [];
  });
}
