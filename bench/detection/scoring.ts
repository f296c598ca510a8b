import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Series } from './series.ts';

/** The number of pages for alarms in ascending order. A page includes all alarms of the 24 hours after its first. */
export function pagesIn(alarmTimes: number[]): number {
  let pages = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  for (const at of alarmTimes) {
    if (at < openUntil) continue;
    pages++;
    openUntil = at + DAY_MS;
  }
  return pages;
}

/** The scores of windows without an incident. */
export interface CleanScores {
  scores: { at: number; score: number }[];
  weeks: number;
}

/** Per series-week. `NaN` without runs. */
export function falsePagesAWeek(runs: readonly CleanScores[], threshold: number): number {
  const pages = runs.map(({ scores }) =>
    pagesIn(scores.filter(({ score }) => score >= threshold).map(({ at }) => at)),
  );
  return sum(pages) / sum(runs.map(({ weeks }) => weeks));
}

/** The lowest threshold with at most `budget` false pages per series-week. `NaN` if no threshold is high enough. */
export function thresholdFor(runs: readonly CleanScores[], budget: number): number {
  const candidates = Float64Array.from(
    runs.flatMap(({ scores }) => scores.filter(({ score }) => score > 0).map(({ score }) => score)),
  ).sort();
  let [low, high] = [0, Math.max(0, candidates.length - 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    const threshold = above(candidates[middle]);
    if (falsePagesAWeek(runs, threshold) <= budget) high = middle;
    else low = middle + 1;
  }
  const isOver = falsePagesAWeek(runs, above(candidates[low])) > budget;
  return isOver ? Number.NaN : above(candidates[low]);
}

export interface CrossValidated {
  recall: number;
  /** Per series-week, at the same thresholds. */
  falsePages: number;
}

/** Measures each item at the threshold that the others give at the budget. `recallOf` gets a threshold for each item. */
export function crossValidated(
  runs: readonly CleanScores[],
  budget: number,
  recallOf: (thresholds: number[]) => number,
): CrossValidated {
  const thresholds = runs.map((run) =>
    thresholdFor(
      runs.filter((other) => other !== run),
      budget,
    ),
  );
  const relative = runs.map(({ scores, weeks }, i) => {
    const threshold = thresholds[i] ?? Number.NaN;
    return { weeks, scores: scores.map(({ at, score }) => ({ at, score: score / threshold })) };
  });
  return { recall: recallOf(thresholds), falsePages: falsePagesAWeek(relative, 1) };
}

/** Just above a score, so that the score itself is no alarm. */
function above(score = 0): number {
  return score * (1 + 1e-9) || Number.MIN_VALUE;
}

export interface Hits {
  hit: number;
  missed: number;
  falsePages: number;
}

/** Counts labels with and without an alarm inside, and pages outside all labels. */
export function hitsOf({ labels }: Pick<Series, 'labels'>, alarmTimes: number[], span: number): Hits {
  const isIn = (at: number, { startAt, endAt }: Window) => at < endAt && at + span > startAt;
  const hit = labels.filter((label) => alarmTimes.some((at) => isIn(at, label))).length;
  const outside = alarmTimes.filter((at) => !labels.some((label) => isIn(at, label)));
  return { hit, missed: labels.length - hit, falsePages: pagesIn(outside) };
}

/** The share of labels found. `NaN` without labels. */
export function recallOf(hits: readonly Hits[]): number {
  const hit = sum(hits.map((each) => each.hit));
  return hit / (hit + sum(hits.map((each) => each.missed)));
}

/** The harmonic mean of precision and recall over the labels of all series. */
export function pooledF1(hits: readonly Hits[]): number {
  const hit = sum(hits.map((each) => each.hit));
  const wrong = sum(hits.map((each) => each.missed + each.falsePages));
  return hit === 0 ? 0 : (2 * hit) / (2 * hit + wrong);
}

/** `NaN` if `values` is empty. */
export function mean(values: number[]): number {
  return sum(values) / values.length;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
