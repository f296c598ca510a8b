import type { Rule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import type { EvaluatedWindow } from './alert.ts';

/** Windows remembered beyond those that may be read again: as many as the largest "N of M". */
const REMEMBERED = 24;

/** However long a rule restates, an alert remembers no more than this. */
const MOST_REMEMBERED = 168;

/** `judged` without what is too old to be counted or to be judged again; `window` is the last of them. */
export function remembered(
  evaluated: EvaluatedWindow[],
  { startAt, endAt }: Window,
  rule: Rule,
): EvaluatedWindow[] {
  const restated = Math.ceil((rule.restate_for * 60_000) / (endAt - startAt));
  return evaluated.slice(-Math.min(MOST_REMEMBERED, REMEMBERED + restated));
}

/** `judged` with another verdict of one window. */
export function rejudged(
  evaluated: EvaluatedWindow[],
  { endAt, verdict }: EvaluatedWindow,
): EvaluatedWindow[] {
  return evaluated.map((each) => (each.endAt === endAt ? { ...each, verdict } : each));
}

/** The last `windows` of those that count. */
export function lastCounted(evaluated: EvaluatedWindow[], windows: number): EvaluatedWindow[] {
  return evaluated.filter(isCounted).slice(-windows);
}

export function hitsIn(evaluated: EvaluatedWindow[], verdict: EvaluatedWindow['verdict']): number {
  return evaluated.filter((each) => each.verdict === verdict).length;
}

/**
 * The first `windows` in a row, of those that count, in which `hits` breached; where `endAt` is given, among the rows
 * that its window is in.
 */
export function breachingRun(
  evaluated: EvaluatedWindow[],
  { hits, windows }: Rule['fire_after'],
  endAt?: number,
): EvaluatedWindow[] | undefined {
  const counted = evaluated.filter(isCounted);
  const runs = counted.map((_, last) => counted.slice(Math.max(0, last + 1 - windows), last + 1));
  return runs.find(
    (run) =>
      hitsIn(run, 'breached') >= hits && (endAt === undefined || run.some((each) => each.endAt === endAt)),
  );
}

function isCounted({ verdict }: EvaluatedWindow): boolean {
  return verdict !== 'held';
}
