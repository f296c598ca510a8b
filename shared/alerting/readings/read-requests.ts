import type { FigureRule } from '../rules/rule.ts';
import type { Almanac } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import { rowKeysOf } from './series.ts';

/** A window to be read, and the rules of one family that need it. */
export interface Wanted {
  window: Window;
  rules: FigureRule[];
}

/** What one question is to find out: windows in a row, oldest first, for the sake of those that are `wanted`. */
export interface Errand {
  windows: Window[];
  wanted: Wanted[];
}

/** The most rows that one question may bring: a few pages, each of which is a call. */
const MAX_ROWS = 2000;
/** The rows of a page, which windows that nobody wants may fill but not exceed. */
export const PAGE_ROWS = 500;

/**
 * The longest range of buckets that are dates, with the window before it. It is shorter than any time of other clocks is
 * (five weeks around Ramadan in Casablanca), so that a service whose clocks change on other days than the rule's zone
 * differs at one of its ends, and shows.
 */
const MAX_DAYS = 28;

/** How many windows one question may ask for, of `rowsEach` rows. */
function windowsPerQuestion(rowsEach: number, grain: Almanac['calendar']['grain']): number {
  const byRows = Math.max(1, Math.floor(MAX_ROWS / rowsEach));
  const days = { hour: 0, day: 1, week: 7, month: 31 }[grain];
  return days === 0 ? byRows : Math.min(byRows, Math.max(1, Math.floor(MAX_DAYS / days) - 1));
}

/**
 * The fewest questions that answer for all of `wanted`, newest first. Windows in a row make one question, and so do such
 * that lie near one another, as long as what lies between brings no further page.
 */
export function errandsFor(wanted: Wanted[], rowsEach: number, almanac: Almanac): Errand[] {
  const most = windowsPerQuestion(rowsEach, almanac.calendar.grain);
  const errands: Errand[] = [];
  for (const each of wanted.toSorted((a, b) => b.window.endAt - a.window.endAt)) {
    const errand = errands.at(-1);
    const more = errand && reaching(errand, each.window, Math.min(most, PAGE_ROWS / rowsEach), almanac);
    if (errand && more && errand.windows.length + more.length <= most) {
      errand.windows.unshift(...more);
      errand.wanted.unshift(each);
    } else errands.push({ windows: [each.window], wanted: [each] });
  }
  return errands;
}

/** The windows from `window` to the errand's, `window` included; `undefined` where they are too far apart. */
function reaching({ windows }: Errand, window: Window, most: number, almanac: Almanac): Window[] | undefined {
  const [first] = windows;
  if (!first) return undefined;
  if (window.endAt === first.startAt) return [window];
  const between: Window[] = [];
  for (
    let each = almanac.before(first);
    windows.length + between.length < most;
    each = almanac.before(each)
  ) {
    between.unshift(each);
    if (each.endAt <= window.endAt) return each.endAt === window.endAt ? between : undefined;
  }
  return undefined;
}

/** An errand for each wanted window by itself, in the errand's order. */
export function oneByOne({ wanted }: Errand): Errand[] {
  return wanted.map((each) => ({ windows: [each.window], wanted: [each] }));
}

/** The errand for `most` of its wanted windows, beginning with its oldest or its newest, and one for the others. */
export function parted(errand: Errand, most: number, from: 'oldest' | 'newest'): [Errand, ...Errand[]] {
  const { wanted } = errand;
  if (wanted.length <= most) return [errand];
  const at = from === 'oldest' ? most : wanted.length - most;
  const older = between(errand, wanted.slice(0, at));
  const newer = between(errand, wanted.slice(at));
  return from === 'oldest' ? [older, newer] : [newer, older];
}

function between({ windows }: Errand, wanted: Wanted[]): Errand {
  const startAt = wanted[0]?.window.startAt ?? 0;
  const endAt = wanted.at(-1)?.window.endAt ?? 0;
  return { windows: windows.filter((each) => startAt <= each.startAt && each.endAt <= endAt), wanted };
}

/** The errand for those of its rules that are not among `refused`; `undefined` where none is left. */
export function without(
  { windows, wanted }: Errand,
  refused: Pick<ReadonlyMap<FigureRule, unknown>, 'has'>,
): Errand | undefined {
  const left = wanted.flatMap(({ window, rules }) => {
    const others = rules.filter((rule) => !refused.has(rule));
    return others.length > 0 ? [{ window, rules: others }] : [];
  });
  return left.length > 0 ? { windows, wanted: left } : undefined;
}

/** An errand for the rules of each metric by itself. */
export function apartByMetric(errand: Errand): Errand[] {
  const rules = new Set(errand.wanted.flatMap((each) => each.rules));
  const byMetric = Map.groupBy(rules, (rule) => JSON.stringify(rowKeysOf([rule])));
  return [...byMetric.values()].flatMap((own) => {
    const others = new Set([...rules].filter((rule) => !own.includes(rule)));
    return without(errand, others) ?? [];
  });
}
