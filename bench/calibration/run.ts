import { parseArgs } from 'node:util';
import { generatedSeries } from '../detection/generated.ts';
import { readSeries, type Series } from '../detection/series.ts';
import { holidaysBetween } from './holidays.ts';
import { type Outcome, percentOf, printOutcomes } from './outcome.ts';
import { falseRejections } from './quiet-pairs.ts';
import { simulatedMeanRejections, simulatedRejections, singlePower } from './simulated.ts';
import { falseAmongTrue, falseDiscoveries, familyPower } from './simulated-families.ts';
import { printYoung, youngSeries } from './young.ts';
import { printSimulatedYoung } from './young-simulated.ts';

const LEVEL = 0.01;

/**
 * Measures the false positive rate and the power of the tests. `--data DIR` reads the series from a folder and excludes
 * the holidays of the United States. Without it, the series are generated.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({ args: options, options: { data: { type: 'string' } } });
  const series = values.data === undefined ? generatedSeries() : readSeries(values.data);
  const candidates = series.map((each) => {
    const holidays = values.data === undefined ? [] : holidaysOf(each);
    return { series: each, unquiet: [...each.labels, ...holidays] };
  });
  const real = candidates.flatMap((each) => falseRejections(each.series, each.unquiet, LEVEL));
  printOutcomes(`Quiet pairs reported as a change at a nominal ${100 * LEVEL}%`, real);
  const simulated = [...simulatedRejections(LEVEL), ...simulatedMeanRejections(LEVEL)];
  printOutcomes('Simulated series: pairs reported as a change', simulated);
  const discoveries = [...falseDiscoveries(), falseAmongTrue()];
  printOutcomes('False discoveries at q = 5%, among 200 segments', discoveries);
  const inFamily = familyPower(0.7);
  const alone = [singlePower(0.7, 0.05, LEVEL), singlePower(0.7, 0.07, LEVEL), singlePower(0.5, 0.15, LEVEL)];
  printOutcomes('Detected falls', [...inFamily, ...alone]);
  const young = youngSeries(
    candidates.filter((each) => each.series.kind === 'count'),
    LEVEL,
  );
  printYoung(young);
  printSimulatedYoung(LEVEL);
  return {
    realSeries: real.length,
    realOver2Pct: real.filter((each) => percentOf(each) > 2).length,
    worstRealPct: worst(real),
    worstSimulatedPct: worst(simulated),
    empiricalFdr: worst(discoveries) / 100,
    powerFamily: shareOf(inFamily[0]),
    powerSingle: shareOf(alone[0]),
    worstYoungPct: Math.max(...young.map(({ falsePct }) => falsePct)),
  };
}

function holidaysOf({ points }: Series) {
  return holidaysBetween(points[0]?.at ?? 0, points.at(-1)?.at ?? 0);
}

function worst(outcomes: readonly Outcome[]): number {
  return Math.max(...outcomes.map(percentOf));
}

function shareOf(outcome: Outcome | undefined): number | undefined {
  return outcome && outcome.of / outcome.to;
}
