import { between, drawsFor } from '../../local/data/demo/draws.ts';
import type { Contestant } from './contestant.ts';
import { type Figure, figureOf } from './figure.ts';
import { cleanScores } from './measure.ts';
import { crossValidated, falsePagesAWeek, mean, thresholdFor } from './scoring.ts';
import type { Series, SeriesGrain } from './series.ts';
import { type Watched, watched } from './watching.ts';
import { meanIn, YOUNG_INCIDENTS, type YoungApp, youngApp, youngSeries } from './young-apps.ts';

const SEED = 1;
/** False pages per app-month at which recall is measured. */
const BUDGETS: Record<SeriesGrain, number> = { day: 0.17, hour: 0.1 };

const WEEKS_A_MONTH = 365.25 / 12 / 7;
const WARM_UP_DAYS = 14;

export interface YoungFigures {
  /** The share of incidents found, all kinds together, at the budget. */
  found: Figure;
  /** By kind of incident, at the budget and at the published default. */
  kinds: Record<string, { found: number; atDefault: number }>;
  foundAtDefault: number;
  /** At the published default. */
  falsePerAppMonth: number;
  /** With each app at the threshold that the others give. `kinds`: the share found, by kind. */
  crossValidated: { found: number; falsePerAppMonth: number; kinds: Record<string, number> };
}

/** The results of one contestant on young apps, each with and without each kind of incident. */
export function measureYoung(
  contestant: Contestant,
  grain: SeriesGrain,
  apps: number,
  seed = SEED,
): YoungFigures {
  return measureWith((series) => watched(contestant, series), grain, apps, seed);
}

type Watch = (series: Series, app: YoungApp) => Watched;

function measureWith(watch: Watch, grain: SeriesGrain, count: number, seed = SEED): YoungFigures {
  const aDay = grain === 'day' ? 1 : 24;
  const apps = Array.from({ length: count }, (_, i) => youngApp(seed, i));
  const clean = apps.map((app) => {
    const series = youngSeries(app, grain, seed);
    return cleanScores(series, watch(series, app), WARM_UP_DAYS * aDay);
  });
  const budget = BUDGETS[grain] / WEEKS_A_MONTH;
  const threshold = thresholdFor(
    clean.map(({ raw }) => raw),
    budget,
  );
  const results = apps.map((app) =>
    YOUNG_INCIDENTS[grain].map((incident) => {
      const draw = drawsFor(seed, app.name, incident.name);
      const from = Math.floor(between(draw, app.history * 7 * aDay, (app.history + 1) * 7 * aDay));
      const series = youngSeries(app, grain, seed, { ...incident, from });
      const { scores, alarms } = watch(series, app);
      const inside = new Set(series.points.slice(from, from + incident.windows).map(({ at }) => at));
      return {
        kind: incident.name,
        highest: Math.max(...scores.subarray(from, from + incident.windows)),
        atDefault: Number(alarms.some((at) => inside.has(at))),
      };
    }),
  );
  const kinds = YOUNG_INCIDENTS[grain].map(({ name }) => {
    const all = results.flat().filter(({ kind }) => kind === name);
    const found = mean(all.map(({ highest }) => isFrom(highest, threshold)));
    return [name, { found, atDefault: mean(all.map((each) => each.atDefault)) }];
  });
  let thresholds: number[] = [];
  const { recall, falsePages } = crossValidated(
    clean.map(({ raw }) => raw),
    budget,
    (limits) => {
      thresholds = limits;
      return mean(results.flatMap((found, i) => found.map(({ highest }) => isFrom(highest, limits[i]))));
    },
  );
  const kindsOfOthers = YOUNG_INCIDENTS[grain].map(({ name }, kind) => [
    name,
    mean(results.map((found, i) => isFrom(found[kind]?.highest ?? Number.NaN, thresholds[i]))),
  ]);
  const verdicts = clean.map((each) => each.verdicts);
  return {
    found: figureOf(results, (chosen) =>
      mean(chosen.flat().map(({ highest }) => isFrom(highest, threshold))),
    ),
    kinds: Object.fromEntries(kinds),
    foundAtDefault: mean(results.flat().map((each) => each.atDefault)),
    falsePerAppMonth: falsePagesAWeek(verdicts, 1) * WEEKS_A_MONTH,
    crossValidated: {
      ...{ found: recall, falsePerAppMonth: falsePages * WEEKS_A_MONTH },
      kinds: Object.fromEntries(kindsOfOthers),
    },
  };
}

function isFrom(score: number, threshold = Number.NaN): number {
  return Number(score >= threshold);
}

const ORACLE_SUMS: Record<SeriesGrain, number[]> = { day: [1, 3, 7], hour: [1, 6, 24] };

/** What can be found at most: by sums against the true mean and dispersion of each app. */
export function measureOracle(grain: SeriesGrain, apps: number): YoungFigures {
  return measureWith(
    ({ points }, app) => {
      const means = points.map((_, window) => meanIn(app, grain, window));
      const scores = Float64Array.from(points, (_, end) =>
        Math.max(
          ...ORACLE_SUMS[grain].map((windows) => {
            const from = Math.max(0, end + 1 - windows);
            const sum = total(points.slice(from, end + 1).map(({ value }) => value ?? 0));
            const days = grain === 'day' ? windows : 1;
            const variance = app.dayNoise ** 2 / days + (grain === 'hour' ? app.hourNoise ** 2 / windows : 0);
            return Math.abs(
              stabilised(sum, variance) - stabilised(total(means.slice(from, end + 1)), variance),
            );
          }),
        ),
      );
      return { scores, alarms: [] };
    },
    grain,
    apps,
  );
}

/** A negative binomial count on the scale on which its standard deviation is 1. */
function stabilised(count: number, variance: number): number {
  return (2 / Math.sqrt(variance)) * Math.asinh(Math.sqrt(variance * (count + 3 / 8)));
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
