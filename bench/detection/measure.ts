import { drawsFor } from '../../local/data/demo/draws.ts';
import { WEEK_MS } from '../../shared/units/durations.ts';
import type { Contestant } from './contestant.ts';
import { type Figure, figureOf } from './figure.ts';
import { inject, isLabelled, SCENARIOS, type Scenario, WARM_UP_WINDOWS } from './injection.ts';
import {
  type CleanScores,
  type CrossValidated,
  crossValidated,
  falsePagesAWeek,
  mean,
  thresholdFor,
} from './scoring.ts';
import { type Series, type SeriesGrain, SPAN } from './series.ts';
import { highestScores, type Watched, watched } from './watching.ts';

const SEEDS = 5;

/** False pages per series-week at which recall is measured. */
const BUDGETS: Record<SeriesGrain, [number, number]> = { hour: [0.25, 0.1], day: [0.1, 0.05] };

/** A shorter series cannot measure a budget of a page in ten weeks. It gets injections only if no series is longer. */
const INJECTED_FROM_MS = 26 * WEEK_MS;

/** The share of injections found of one scenario in one series, at each budget. */
interface Cell {
  series: string;
  scenario: string;
  recall: number[];
}

export interface GrainFigures {
  cells: Cell[];
  /** The mean recall of the cells, at each budget. */
  recall: Figure[];
  /** With each series at the threshold that the others give, at each budget. */
  crossValidated: CrossValidated[];
  /** Per series-week at the published default, outside labels. */
  falsePages: number;
}

/** The results of one contestant on the series of one grain. */
export function measureGrain(contestant: Contestant, series: Series[], grain: SeriesGrain): GrainFigures {
  const clean = series.map((each) => {
    const result = watched(contestant, each);
    return { series: each, ...cleanScores(each, result, WARM_UP_WINDOWS[grain]) };
  });
  const injected = longOnes(clean).map((each) => ({ ...each, found: injectAll(contestant, each.series) }));
  const thresholds = BUDGETS[grain].map((budget) => thresholdOf(injected, budget));
  return {
    cells: injected.flatMap(({ series: { name }, found }) =>
      found.map(({ scenario, highest }) => {
        const recall = thresholds.map((threshold) => shareFrom(highest, threshold));
        return { series: name, scenario, recall };
      }),
    ),
    recall: BUDGETS[grain].map((budget) => figureOf(injected, (chosen) => recallAt(chosen, budget))),
    crossValidated: BUDGETS[grain].map((budget) =>
      crossValidated(
        injected.map(({ raw }) => raw),
        budget,
        (limits) => meanRecall(injected, limits),
      ),
    ),
    falsePages: falsePagesAWeek(
      clean.map(({ verdicts }) => verdicts),
      1,
    ),
  };
}

interface Injections {
  scenario: string;
  /** The highest score inside each injection. */
  highest: number[];
}

type Measured = Pick<Clean, 'raw'> & { found: Injections[] };

function recallAt(chosen: Measured[], budget: number): number {
  const threshold = thresholdOf(chosen, budget);
  return meanRecall(
    chosen,
    chosen.map(() => threshold),
  );
}

function meanRecall(chosen: Measured[], thresholds: number[]): number {
  return mean(
    chosen.flatMap(({ found }, i) =>
      found.map(({ highest }) => shareFrom(highest, thresholds[i] ?? Number.NaN)),
    ),
  );
}

function thresholdOf(chosen: Pick<Clean, 'raw'>[], budget: number): number {
  return thresholdFor(
    chosen.map(({ raw }) => raw),
    budget,
  );
}

function shareFrom(scores: number[], threshold: number): number {
  return mean(scores.map((score) => Number(score >= threshold)));
}

/** Every scenario that fits into the series, over all seeds. */
function injectAll(contestant: Contestant, series: Series): Injections[] {
  return SCENARIOS[series.grain].flatMap((scenario: Scenario) => {
    const highest = Array.from({ length: SEEDS }, (_, seed) => {
      const draw = drawsFor(seed + 1, series.name, scenario.name);
      const injected = inject(series, scenario, draw);
      return highestScores(contestant, injected.series, injected.spans);
    }).flat();
    return highest.length === 0 ? [] : [{ scenario: scenario.name, highest }];
  });
}

function longOnes<T extends { series: Series }>(clean: T[]): T[] {
  const isLong = ({ series }: T) => series.points.length * SPAN[series.grain] >= INJECTED_FROM_MS;
  const long = clean.filter(isLong);
  return long.length > 0 ? long : clean;
}

/** The windows outside labels: by raw score, and by the lifecycle (1 is an alarm). */
export interface Clean {
  raw: CleanScores;
  verdicts: CleanScores;
}

export function cleanScores(series: Series, { scores, alarms }: Watched, from: number): Clean {
  const firing = new Set(alarms);
  const kept = series.points.flatMap(({ at }, i) =>
    i < from || isLabelled(series, at) ? [] : [{ at, score: scores[i] ?? 0 }],
  );
  const weeks = (kept.length * SPAN[series.grain]) / WEEK_MS;
  const verdicts = kept.map(({ at }) => ({ at, score: firing.has(at) ? 1 : 0 }));
  return { raw: { scores: kept, weeks }, verdicts: { scores: verdicts, weeks } };
}
