import type { Rule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import type { Judged } from './alert.ts';

/** Windows remembered beyond those that may be read again: as many as the largest "N of M". */
const REMEMBERED = 24;

/** However long a rule restates, an alert remembers no more than this. */
const MOST_REMEMBERED = 168;

/** `judged` without what is too old to be counted or to be judged again; `window` is the last of them. */
export function remembered(judged: Judged[], { startAt, endAt }: Window, rule: Rule): Judged[] {
  const restated = Math.ceil((rule.restate_for * 60_000) / (endAt - startAt));
  return judged.slice(-Math.min(MOST_REMEMBERED, REMEMBERED + restated));
}

/** `judged` with another verdict of one window. */
export function rejudged(judged: Judged[], { endAt, verdict }: Judged): Judged[] {
  return judged.map((each) => (each.endAt === endAt ? { ...each, verdict } : each));
}

/** The last `windows` of those that count. */
export function lastCounted(judged: Judged[], windows: number): Judged[] {
  return judged.filter(isCounted).slice(-windows);
}

export function hitsIn(judged: Judged[], verdict: Judged['verdict']): number {
  return judged.filter((each) => each.verdict === verdict).length;
}

/**
 * The first `windows` in a row, of those that count, in which `hits` breached; where `endAt` is given, among the rows
 * that its window is in.
 */
export function breachingRun(
  judged: Judged[],
  { hits, windows }: Rule['fire_after'],
  endAt?: number,
): Judged[] | undefined {
  const counted = judged.filter(isCounted);
  const runs = counted.map((_, last) => counted.slice(Math.max(0, last + 1 - windows), last + 1));
  return runs.find(
    (run) =>
      hitsIn(run, 'breached') >= hits && (endAt === undefined || run.some((each) => each.endAt === endAt)),
  );
}

function isCounted({ verdict }: Judged): boolean {
  return verdict !== 'held';
}
