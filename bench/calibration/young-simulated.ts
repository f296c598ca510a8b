import { type Draw, drawsFor, logNormal, poisson } from '../../local/data/demo/draws.ts';
import { countDeviation, type ExposedPair } from '../../shared/statistics/counts.ts';
import { type Member, testFamily } from '../../shared/statistics/families.ts';
import { MINIMUM_PAIRS } from '../../shared/statistics/past-tail.ts';
import { percentOf } from './outcome.ts';

const SEED = 1;
const DRAWS = 400;
const WEEK = 7;
const DAYS = [7, 11, 14, 21, 28, 56];

/** The mean count of a segment on a working day. */
const MEAN = 36;
/** The spread of days in addition to Poisson noise. */
const TAU = 0.05;
const WEEKEND = 0.6;

const CASES = [
  { name: 'alone', segments: 1, oddWeek: 1 },
  { name: 'one of 5 segments', segments: 5, oddWeek: 1 },
  { name: 'alone, the last week but one double', segments: 1, oddWeek: 2 },
  { name: 'one of 5, the last week but one double', segments: 5, oddWeek: 2 },
];

/** The mean count that the first segment changes to. */
const CHANGES = [36, 50, 127];

/** Prints how often the change of a segment is detected, in percent, by size of the change and days of history. */
export function printSimulatedYoung(level: number): void {
  console.log(
    '\nSegments of 36 a day that change to 36 / 50 / 127: % of draws detected, by days of history\n',
  );
  const width = Math.max(...CASES.map(({ name }) => name.length));
  console.log(`  ${''.padEnd(width)}${DAYS.map((days) => String(days).padStart(11)).join('')}`);
  for (const each of CASES) {
    const cells = DAYS.map((days) => foundPcts(each, days, level).join('/').padStart(11));
    console.log(`  ${each.name.padEnd(width)}${cells.join('')}`);
  }
}

function foundPcts({ name, segments, oddWeek }: (typeof CASES)[number], days: number, level: number) {
  const draw = drawsFor(SEED, 'young', name, days);
  const found = CHANGES.map(() => 0);
  for (let trial = 0; trial < DRAWS; trial++) {
    const rate = rateOf(trial, days, oddWeek);
    const others = Array.from({ length: segments - 1 }, () => memberOf(draw, rate, days));
    CHANGES.forEach((to, i) => {
      const moved = memberOf(draw, rate, days, to / MEAN);
      const test = testFamily([moved, ...others]).members[0];
      if (test?.isDiscovery && test.p <= level) found[i] = (found[i] ?? 0) + 1;
    });
  }
  return found.map((of) => Math.round(percentOf({ of, to: DRAWS })));
}

/** The expected count of each day. The weekday of the first day changes with the trial. */
function rateOf(trial: number, days: number, oddWeek: number): (day: number) => number {
  return (day) => {
    const isWeekend = (day + trial) % WEEK >= 5;
    const weeksAgo = Math.floor((days - 1 - day) / WEEK);
    return MEAN * (isWeekend ? WEEKEND : 1) * (weeksAgo === 1 ? oddWeek : 1);
  };
}

/** The day after `days` days of history, compared with the same weekday. */
function memberOf(draw: Draw, rate: (day: number) => number, days: number, times = 1): Member {
  const counts = Array.from({ length: days + 1 }, (_, day) =>
    poisson(draw, rate(day) * logNormal(draw, 1, TAU) * (day === days ? times : 1)),
  );
  const weekly = pairsAt(counts, WEEK);
  const [current, ...past] = weekly;
  const earlier = past.length < MINIMUM_PAIRS ? pairsAt(counts.slice(0, -1), 1) : past;
  const pair = current ?? { current: { amount: 0, exposure: 1 }, baseline: { amount: 0, exposure: 1 } };
  return {
    deviation: countDeviation(pair),
    past: earlier.map(countDeviation),
    events: pair.current.amount + pair.baseline.amount,
  };
}

/** Newest first. */
function pairsAt(counts: readonly number[], lag: number): ExposedPair[] {
  const exposed = (amount = 0) => ({ amount, exposure: 1 });
  return counts
    .flatMap((count, at) =>
      at < lag ? [] : [{ current: exposed(count), baseline: exposed(counts[at - lag]) }],
    )
    .toReversed();
}
