import { drawsFor } from '../../local/data/demo/draws.ts';
import type { Contestant } from './contestant.ts';
import { inject, isLabelled, SCENARIOS, type Scenario, WARM_UP_WINDOWS } from './injection.ts';
import {
  type CleanScores,
  falsePagesAWeek,
  type Hits,
  hitsOf,
  mean,
  pooledF1,
  thresholdFor,
} from './scoring.ts';
import { DAY, type Series, type SeriesGrain, SPAN } from './series.ts';
import { type Watched, watched } from './watching.ts';

const WEEK = 7 * DAY;
const SEEDS = 5;

/** False pages a series-week that recall is measured at. */
const BUDGETS: Record<SeriesGrain, [number, number]> = { hour: [0.25, 0.1], day: [0.1, 0.05] };

/** A shorter series cannot show a budget of a page in ten weeks: injected into only where none is longer. */
const INJECTED_FROM_MS = 26 * WEEK;

/** Thresholds, in units of the published default, that leaving a series out chooses from. */
const FACTORS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 6];

/** The share of injections found of one scenario in one series, at each budget. */
interface Cell {
  series: string;
  scenario: string;
  recall: number[];
}

export interface GrainFigures {
  cells: Cell[];
  /** The mean of the cells, at each budget. */
  recall: number[];
  /** A series-week, at the published default, outside of what is labelled. */
  falsePages: number;
}

/** How one contestant fares on the series of one grain. */
export function measureGrain(contestant: Contestant, series: Series[], grain: SeriesGrain): GrainFigures {
  const clean = series.map((each) => cleanScores(each, watched(contestant, each)));
  const injectable = longOnes(clean);
  const raw = injectable.map((each) => each.raw);
  const thresholds = BUDGETS[grain].map((budget) => thresholdFor(raw, budget));
  const cells = injectable.flatMap((each) =>
    SCENARIOS[grain].flatMap((scenario) => {
      const highest = highestScores(contestant, each.series, scenario);
      if (highest.length === 0) return [];
      const recall = thresholds.map((threshold) => mean(highest.map((score) => Number(score >= threshold))));
      return [{ series: each.series.name, scenario: scenario.name, recall }];
    }),
  );
  return {
    cells,
    recall: thresholds.map((_, budget) => mean(cells.map(({ recall }) => recall[budget] ?? 0))),
    falsePages: falsePagesAWeek(
      clean.map(({ verdicts }) => verdicts),
      1,
    ),
  };
}

/** The highest score inside of each injection, over all seeds. */
function highestScores(contestant: Contestant, series: Series, scenario: Scenario): number[] {
  return Array.from({ length: SEEDS }, (_, seed) => {
    const injected = inject(series, scenario, drawsFor(seed + 1, series.name, scenario.name));
    const { scores } = watched(contestant, injected.series);
    return injected.spans.map(({ from, to }) => Math.max(...scores.subarray(from, to)));
  }).flat();
}

function longOnes(clean: Clean[]): Clean[] {
  const isLong = ({ series }: Clean) => series.points.length * SPAN[series.grain] >= INJECTED_FROM_MS;
  const long = clean.filter(isLong);
  return long.length > 0 ? long : clean;
}

/** What was said after the warm-up and outside of the labels: by raw score, and by the lifecycle (1: an alarm). */
interface Clean {
  series: Series;
  raw: CleanScores;
  verdicts: CleanScores;
}

function cleanScores(series: Series, { scores, alarms }: Watched): Clean {
  const firing = new Set(alarms);
  const kept = series.points.flatMap(({ at }, i) =>
    i < WARM_UP_WINDOWS[series.grain] || isLabelled(series, at) ? [] : [{ at, score: scores[i] ?? 0 }],
  );
  const weeks = (kept.length * SPAN[series.grain]) / WEEK;
  const verdicts = kept.map(({ at }) => ({ at, score: firing.has(at) ? 1 : 0 }));
  return { series, raw: { scores: kept, weeks }, verdicts: { scores: verdicts, weeks } };
}

export interface LabelledFigures {
  /** Pooled over all labelled series, at the published default through the lifecycle. */
  f1: number;
  /** The same with each series at the factor of the default that is best for the others, by raw score. */
  leaveOneOut: number;
  hits: { series: string; hits: Hits }[];
}

export function measureLabelled(contestant: Contestant, series: Series[]): LabelledFigures {
  const labelled = series.filter(({ isLabelled, grain }) => isLabelled && grain === 'hour');
  const watches = labelled.map((each) => watched(contestant, each));
  const hits = labelled.map((each, i) => ({
    series: each.name,
    hits: hitsOf(each, watches[i]?.alarms ?? [], SPAN.hour),
  }));
  const byFactor = labelled.map((each, i) =>
    FACTORS.map((factor) => {
      const alarms = each.points.filter((_, at) => (watches[i]?.scores[at] ?? 0) >= factor);
      return hitsOf(
        each,
        alarms.map(({ at }) => at),
        SPAN.hour,
      );
    }),
  );
  const f1At = (factor: number, of: Hits[][]) => pooledF1(of.flatMap((each) => each[factor] ?? []));
  const leftOut = byFactor.flatMap((own, i) => {
    const others = byFactor.filter((_, other) => other !== i);
    const f1s = FACTORS.map((_, factor) => f1At(factor, others));
    return own[f1s.indexOf(Math.max(...f1s))] ?? [];
  });
  return { f1: pooledF1(hits.map((each) => each.hits)), leaveOneOut: pooledF1(leftOut), hits };
}
