import type { Window } from '../../shared/alerting/time/window.ts';
import { DAY, type Series } from './series.ts';

/** Alarms within a day of the one that opened a page belong to it. Times ascending; how many pages. */
export function pagesIn(alarmTimes: number[]): number {
  let pages = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  for (const at of alarmTimes) {
    if (at < openUntil) continue;
    pages++;
    openUntil = at + DAY;
  }
  return pages;
}

/** What a detector gave each window of a clean series. */
export interface CleanScores {
  scores: { at: number; score: number }[];
  weeks: number;
}

export function falsePagesAWeek(runs: CleanScores[], threshold: number): number {
  const pages = runs.map(({ scores }) =>
    pagesIn(scores.flatMap(({ at, score }) => (score >= threshold ? [at] : []))),
  );
  return sum(pages) / sum(runs.map(({ weeks }) => weeks));
}

/** The lowest threshold at which the clean series bring at most `budget` false pages a series-week; NaN if none does. */
export function thresholdFor(runs: CleanScores[], budget: number): number {
  const candidates = runs
    .flatMap(({ scores }) => scores.map(({ score }) => score))
    .filter((score) => score > 0)
    .toSorted((a, b) => a - b);
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

/** Just over a score that was given, so that this score itself makes no alarm; anything at all where none was. */
function above(score = 0): number {
  return score * (1 + 1e-9) || Number.MIN_VALUE;
}

export interface Hits {
  hit: number;
  missed: number;
  falsePages: number;
}

/** Labelled stretches in which an alarm fell, and the pages outside of them. */
export function hitsOf({ labels }: Pick<Series, 'labels'>, alarmTimes: number[], span: number): Hits {
  const isIn = (at: number, { startAt, endAt }: Window) => at < endAt && at + span > startAt;
  const hit = labels.filter((label) => alarmTimes.some((at) => isIn(at, label))).length;
  const outside = alarmTimes.filter((at) => !labels.some((label) => isIn(at, label)));
  return { hit, missed: labels.length - hit, falsePages: pagesIn(outside) };
}

/** The harmonic mean of precision and recall over all stretches of all series. */
export function pooledF1(hits: Hits[]): number {
  const hit = sum(hits.map((each) => each.hit));
  const wrong = sum(hits.map((each) => each.missed + each.falsePages));
  return hit === 0 ? 0 : (2 * hit) / (2 * hit + wrong);
}

export function mean(values: number[]): number {
  return sum(values) / Math.max(1, values.length);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
