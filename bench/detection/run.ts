import { parseArgs } from 'node:util';
import { measure, type Results, rivalsAhead, rounded, rowsOf } from './comparison.ts';
import { CONTESTANTS } from './contestants.ts';
import { type Data, readData, YOUNG_APPS } from './data.ts';
import { generatedSeries } from './generated.ts';
import { generatedCounts } from './generated-counts.ts';
import type { GrainFigures } from './measure.ts';
import type { CountsFigures } from './measure-labels.ts';
import { measureSensitivity, printSensitivity } from './measure-sensitivity.ts';
import { measureOracle, measureYoung, type YoungFigures } from './measure-young.ts';
import { drawPictures } from './pictures.ts';
import {
  comparisonsOf,
  printComparisons,
  printContestants,
  printCrossValidated,
  printDetails,
} from './report.ts';

/**
 * Compares the seasonal detector with its rivals: injected changes, known incidents, labelled counts, and false pages.
 * `--data DIR` reads series from a folder. Without it they are generated. `--pictures DIR` draws the worst mistakes.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({
    args: options,
    options: { data: { type: 'string' }, pictures: { type: 'string' } },
  });
  const data: Data =
    values.data === undefined
      ? { series: generatedSeries(), labelled: generatedCounts(), youngApps: YOUNG_APPS }
      : readData(values.data);
  if (values.pictures !== undefined) drawPictures(data, values.pictures);
  const startedAt = performance.now();
  const [ownContestant, ...rivalContestants] = CONTESTANTS;
  const measureOne = (contestant: typeof ownContestant) => {
    console.error(`${contestant.name}, after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    return measure(contestant, data);
  };
  const own = measureOne(ownContestant);
  const rivals = rivalContestants.map(measureOne);
  const ahead = rivalsAhead(comparable(own), rivals.map(comparable));
  const comparisons = comparisonsOf(own, rivals);
  printContestants([own, ...rivals]);
  printCrossValidated([own, ...rivals]);
  printComparisons(comparisons, ahead);
  const youngHourly = measureYoung(ownContestant, 'hour', data.youngApps.hour);
  const oracle = {
    young: measureOracle('day', data.youngApps.day),
    youngHourly: measureOracle('hour', data.youngApps.hour),
  };
  printDetails(own, youngHourly);
  const sensitivity = measureSensitivity(data);
  printSensitivity(sensitivity);
  const intervals = comparisons.map(({ row, ownInterval: { low, high } }) => [
    row,
    [rounded(low), rounded(high)],
  ]);
  return {
    ...summaryOf(own),
    youngHourly: youngHourlyOf(youngHourly),
    crossValidated: crossValidatedOf(own, youngHourly),
    oracle: { young: youngOf(oracle.young), youngHourly: youngHourlyOf(oracle.youngHourly) },
    sensitivity,
    rivalsAhead: ahead,
    intervals: Object.fromEntries(intervals),
    rivals: Object.fromEntries(
      rivals.map((each) => [each.name, { ...summaryOf(each), crossValidated: crossValidatedOf(each) }]),
    ),
  };
}

function comparable(results: Results) {
  return { name: results.name, rows: rowsOf(results) };
}

function summaryOf(results: Results) {
  const rows = rowsOf(results);
  const { hourly, daily, labelled } = results;
  return {
    hourly: {
      recallAt025: rounded(rows['hourly.recallAt025'].value),
      recallAt01: rounded(rows['hourly.recallAt01'].value),
      falsePerSeriesWeek: rounded(hourly.falsePages),
    },
    daily: {
      recallAt01: rounded(rows['daily.recallAt01'].value),
      recallAt005: rounded(rows['daily.recallAt005'].value),
      falsePerSeriesWeek: rounded(daily.falsePages),
    },
    tweets: {
      f1: rounded(rows['tweets.f1'].value),
      f1LeaveOneOut: rounded(rows['tweets.f1LeaveOneOut'].value),
    },
    labelled: {
      recallAt1: rounded(rows['labelled.recallAt1'].value),
      recallAt025: rounded(rows['labelled.recallAt025'].value),
      recallAt01: rounded(rows['labelled.recallAt01'].value),
      f1: rounded(rows['labelled.f1'].value),
      recall: rounded(labelled.recallAtDefault),
      falsePerSeriesWeek: rounded(labelled.falsePages),
    },
    young: youngOf(results.young),
  };
}

/** Every figure with each series at the threshold that the others give. False pages are those of the larger budget. */
function crossValidatedOf({ hourly, daily, tweets, labelled, young }: Results, youngHourly?: YoungFigures) {
  const recallOf = (of: GrainFigures | CountsFigures, i: number) =>
    rounded(of.crossValidated[i]?.recall ?? Number.NaN);
  const falseOf = (of: GrainFigures | CountsFigures) =>
    rounded(of.crossValidated[0]?.falsePages ?? Number.NaN);
  return {
    hourly: {
      ...{ recallAt025: recallOf(hourly, 0), recallAt01: recallOf(hourly, 1) },
      falsePerSeriesWeek: falseOf(hourly),
    },
    daily: {
      ...{ recallAt01: recallOf(daily, 0), recallAt005: recallOf(daily, 1) },
      falsePerSeriesWeek: falseOf(daily),
    },
    tweets: { f1LeaveOneOut: rounded(tweets.leaveOneOut.value) },
    labelled: {
      ...{ recallAt1: recallOf(labelled, 0), recallAt025: recallOf(labelled, 1) },
      ...{ recallAt01: recallOf(labelled, 2), falsePerSeriesWeek: falseOf(labelled) },
    },
    young: {
      found: rounded(young.crossValidated.found),
      falsePerAppMonth: rounded(young.crossValidated.falsePerAppMonth),
      lastingHalf: rounded(young.crossValidated.kinds['-50 % lasting'] ?? Number.NaN),
    },
    ...(youngHourly && {
      youngHourly: {
        dayDown80: rounded(youngHourly.crossValidated.kinds['-80 % a day'] ?? Number.NaN),
        falsePerAppMonth: rounded(youngHourly.crossValidated.falsePerAppMonth),
      },
    }),
  };
}

/** By day. `found` and the kinds of incidents are at the budget. */
function youngOf({ found, foundAtDefault, falsePerAppMonth, kinds }: YoungFigures) {
  return {
    found: rounded(found.value),
    foundAtDefault: rounded(foundAtDefault),
    falsePerAppMonth: rounded(falsePerAppMonth),
    lastingHalf: foundOf(kinds, '-50 % lasting'),
    decline: foundOf(kinds, '-3 % a day'),
    lastingRiseAtDefault: rounded(kinds['x1.5 lasting']?.atDefault ?? Number.NaN),
  };
}

function youngHourlyOf({ found, falsePerAppMonth, kinds }: YoungFigures) {
  return {
    found: rounded(found.value),
    falsePerAppMonth: rounded(falsePerAppMonth),
    dayDown80: foundOf(kinds, '-80 % a day'),
    threeHoursDown80: foundOf(kinds, '-80 % three hours'),
    dayDown50: foundOf(kinds, '-50 % a day'),
  };
}

function foundOf(kinds: YoungFigures['kinds'], kind: string): number {
  return rounded(kinds[kind]?.found ?? Number.NaN);
}
