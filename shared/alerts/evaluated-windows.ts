import type { Rule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import type { EvaluatedWindow } from './alert.ts';

/** Windows kept beyond those that may be read again: the largest "N of M". */
const REMEMBERED = 24;

/** Upper limit, however long a rule restates. */
const MOST_REMEMBERED = 168;

/** `evaluated` without windows too old to count or to be re-evaluated; `window` is the newest. */
export function remembered(
  evaluated: EvaluatedWindow[],
  { startAt, endAt }: Window,
  rule: Rule,
): EvaluatedWindow[] {
  const restated = Math.ceil((rule.restate_for * 60_000) / (endAt - startAt));
  return evaluated.slice(-Math.min(MOST_REMEMBERED, REMEMBERED + restated));
}

/** `evaluated` with a different verdict for one window. */
export function withVerdict(
  evaluated: EvaluatedWindow[],
  { endAt, verdict }: EvaluatedWindow,
): EvaluatedWindow[] {
  return evaluated.map((each) => (each.endAt === endAt ? { ...each, verdict } : each));
}

/** The last `windows` that count. */
export function lastCounted(evaluated: EvaluatedWindow[], windows: number): EvaluatedWindow[] {
  return evaluated.filter(isCounted).slice(-windows);
}

export function hitsIn(evaluated: EvaluatedWindow[], verdict: EvaluatedWindow['verdict']): number {
  return evaluated.filter((each) => each.verdict === verdict).length;
}

/** The first run of `windows` windows in which `hits` breached; with `endAt`, among those that contain its window. */
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
