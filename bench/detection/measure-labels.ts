import type { Contestant } from './contestant.ts';
import { type Figure, figureOf } from './figure.ts';
import { type Clean, cleanScores } from './measure.ts';
import {
  type CrossValidated,
  crossValidated,
  falsePagesAWeek,
  type Hits,
  hitsOf,
  pooledF1,
  recallOf,
  thresholdFor,
} from './scoring.ts';
import { type Series, SPAN } from './series.ts';
import { type Watched, watched } from './watching.ts';

/** Thresholds for leave-one-out, relative to the published default. */
const FACTORS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 6];

/** False pages per series-week at which recall of labelled counts is measured. */
const BUDGETS = [1, 0.25, 0.1];

interface SeriesHits {
  series: string;
  hits: Hits;
}

export interface IncidentFigures {
  /** Pooled over all series, at the published default, with the lifecycle. */
  f1: Figure;
  /** Each series at the factor of the default that is best for the others, by raw score. */
  leaveOneOut: Figure;
  hits: SeriesHits[];
}

/** The results of one contestant on series by hour with a few known incidents. */
export function measureIncidents(contestant: Contestant, series: Series[]): IncidentFigures {
  const known = series.filter(({ isLabelled, grain }) => isLabelled && grain === 'hour');
  const results = known.map((each) => {
    const result = watched(contestant, each);
    return {
      series: each.name,
      hits: hitsOf(each, result.alarms, SPAN.hour),
      byFactor: FACTORS.map((factor) => hitsFrom(each, result, factor)),
    };
  });
  return {
    f1: figureOf(results, (chosen) => pooledF1(chosen.map(({ hits }) => hits))),
    leaveOneOut: figureOf(results, (chosen) => leaveOneOut(chosen.map(({ byFactor }) => byFactor))),
    hits: results,
  };
}

/** In a resample, a series is left out with all its copies. */
function leaveOneOut(chosen: Hits[][]): number {
  const hits = chosen.flatMap((own) => {
    const others = chosen.filter((other) => other !== own);
    const f1s = FACTORS.map((_, factor) => pooledF1(others.flatMap((each) => each[factor] ?? [])));
    return own[f1s.indexOf(Math.max(...f1s))] ?? [];
  });
  return pooledF1(hits);
}

export interface CountsFigures {
  /** The share of labelled stretches found, at each budget. */
  recall: Figure[];
  /** With each series at the threshold that the others give, at each budget. */
  crossValidated: CrossValidated[];
  /** At the published default, with the lifecycle. */
  f1: Figure;
  recallAtDefault: number;
  falsePages: number;
  hits: SeriesHits[];
}

/** The results of one contestant on labelled counts. Young series have no warm-up: every window counts. */
export function measureCounts(contestant: Contestant, series: Series[]): CountsFigures {
  const results = series.map((each) => {
    const result = watched(contestant, each);
    const hits = hitsOf(each, result.alarms, SPAN.hour);
    return { of: each, result, ...cleanScores(each, result, 0), series: each.name, hits };
  });
  return {
    recall: BUDGETS.map((budget) => figureOf(results, (chosen) => recallAt(chosen, budget))),
    crossValidated: BUDGETS.map((budget) =>
      crossValidated(
        results.map(({ raw }) => raw),
        budget,
        (thresholds) =>
          recallOf(results.map(({ of, result }, i) => hitsFrom(of, result, thresholds[i] ?? Number.NaN))),
      ),
    ),
    f1: figureOf(results, (chosen) => pooledF1(chosen.map(({ hits }) => hits))),
    recallAtDefault: recallOf(results.map(({ hits }) => hits)),
    falsePages: falsePagesAWeek(
      results.map(({ verdicts }) => verdicts),
      1,
    ),
    hits: results,
  };
}

function recallAt(chosen: (Clean & { of: Series; result: Watched })[], budget: number): number {
  const threshold = thresholdFor(
    chosen.map(({ raw }) => raw),
    budget,
  );
  return recallOf(chosen.map(({ of, result }) => hitsFrom(of, result, threshold)));
}

function hitsFrom(series: Series, { scores }: Watched, threshold: number): Hits {
  const alarms = series.points.filter((_, i) => (scores[i] ?? 0) >= threshold);
  return hitsOf(
    series,
    alarms.map(({ at }) => at),
    SPAN.hour,
  );
}
