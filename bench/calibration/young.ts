import { type Draw, drawsFor, logNormal, poisson } from '../../local/data/demo/draws.ts';
import { countDeviation, type ExposedPair } from '../../shared/statistics/counts.ts';
import { withoutRebound } from '../../shared/statistics/deviation.ts';
import { dispersedTest, median } from '../../shared/statistics/dispersion.ts';
import { MINIMUM_PAIRS } from '../../shared/statistics/past-tail.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Series } from '../detection/series.ts';

/** The weeks of history that each series is cut to. */
const WEEKS = [1, 2, 3, 4, 8];

/** Events per day that each series is thinned to, to simulate a small app; `null` keeps the series as it is. */
const SIZES = [null, 300, 36];

const SEED = 1;
const WEEK = 7;

/** With fewer quiet days, a share of them is not meaningful. */
const MINIMUM_DAYS = 20;

/** The simulated changes; `times` is the factor. */
const CHANGES = [
  { name: '36 to 127', times: 127 / 36 },
  { name: '36 to 50', times: 50 / 36 },
  { name: 'double', times: 2 },
  { name: 'third', times: 1 / 3 },
];

/** The results for one size and length of history: means, over series, of the share of days reported as a change. */
export interface Young {
  size: string;
  weeks: number;
  series: number;
  falsePct: number;
  /** The series with the largest share of false positives. */
  worst: string;
  /** In the order of `CHANGES`. */
  foundPct: number[];
}

interface Day {
  amount: number;
  isQuiet: boolean;
}

interface Candidate {
  series: Series;
  unquiet: readonly Window[];
}

/** Compares real days with the same weekday, with each series cut to the given weeks of history. */
export function youngSeries(candidates: readonly Candidate[], level: number): Young[] {
  const daily = candidates.map(({ series, unquiet }) => ({
    name: series.name.replace(/ by (day|hour)$/, ''),
    days: daysOf(series, unquiet),
  }));
  const long = daily.filter(({ name }, at) => daily.findLastIndex((other) => other.name === name) === at);
  return SIZES.flatMap((size) => {
    const cut = long.flatMap(({ name, days }) => {
      const typical = median(days.flatMap(({ amount }) => (Number.isNaN(amount) ? [] : [amount])));
      if (size === null) return [{ name, days }];
      const draw = drawsFor(SEED, 'young', name, size);
      return typical < size ? [] : [{ name, days: thinned(days, size / typical, draw) }];
    });
    return WEEKS.map((weeks) =>
      summaryOf(
        size,
        weeks,
        cut.flatMap((each) => sharesOf(each, weeks, level)),
      ),
    );
  });
}

/** Daily sums of an hourly or daily series; `NaN` for a day with missing hours. */
function daysOf({ points, grain }: Series, unquiet: readonly Window[]): Day[] {
  const of = Map.groupBy(points, ({ at }) => Math.floor(at / DAY_MS));
  return [...of].map(([day, parts]) => {
    const [startAt, endAt] = [day * DAY_MS, (day + 1) * DAY_MS];
    const isWhole = parts.length === (grain === 'hour' ? 24 : 1);
    return {
      amount: isWhole ? parts.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0) : Number.NaN,
      isQuiet: !unquiet.some((each) => startAt < each.endAt && each.startAt < endAt),
    };
  });
}

/** Keeps each event with probability `share`. The pattern of the series stays, with the noise of small counts. */
function thinned(days: readonly Day[], share: number, draw: Draw): Day[] {
  return days.map((day) => ({
    ...day,
    amount: Number.isNaN(day.amount) ? day.amount : kept(draw, day.amount, share),
  }));
}

/** A binomial draw. Large ones are approximated by a normal, because single draws would take minutes. */
function kept(draw: Draw, of: number, share: number): number {
  if (of < 2000) return Array.from({ length: of }).filter(() => draw() < share).length;
  const spread = Math.sqrt(of * share * (1 - share)) * Math.log(logNormal(draw, 1, 1));
  return Math.min(of, Math.max(0, Math.round(of * share + spread)));
}

interface Shares {
  name: string;
  false: number;
  found: number[];
}

function sharesOf({ name, days }: { name: string; days: Day[] }, weeks: number, level: number): Shares[] {
  const draw = drawsFor(SEED, 'changes', name, weeks);
  const counts = { tested: 0, false: 0, found: CHANGES.map(() => 0) };
  for (let at = WEEK * weeks; at < days.length; at++) {
    const pair = pairAt(days, at, WEEK);
    if (!pair) continue;
    const past = pastOf(days, at, weeks);
    const before = at - 2 * WEEK < at - WEEK * weeks ? undefined : pairAt(days, at - WEEK, WEEK);
    const isReported = (amount: number) => {
      const whole = countDeviation({ ...pair, current: { amount, exposure: 1 } });
      return (
        dispersedTest(withoutRebound(whole, before && countDeviation(before)), past.map(countDeviation)).p <=
        level
      );
    };
    counts.tested++;
    if (isReported(pair.current.amount)) counts.false++;
    CHANGES.forEach(({ times }, i) => {
      if (isReported(changed(draw, pair.current.amount, times))) counts.found[i] = (counts.found[i] ?? 0) + 1;
    });
  }
  if (counts.tested < MINIMUM_DAYS) return [];
  const share = (of: number) => of / counts.tested;
  return [{ name, false: share(counts.false), found: counts.found.map(share) }];
}

/** Newest first, as in rules: pairs with the same weekday or, if there are too few, with the day before. */
function pastOf(days: readonly Day[], until: number, weeks: number): ExposedPair[] {
  const first = until - WEEK * weeks;
  const at = Array.from({ length: WEEK * weeks }, (_, i) => until - 1 - i);
  const pairs = (lag: number) =>
    at.flatMap((each) => (each - lag < first ? [] : (pairAt(days, each, lag) ?? [])));
  const weekly = pairs(WEEK);
  return weekly.length < MINIMUM_PAIRS ? pairs(1) : weekly;
}

/** `undefined` if a day is missing or not quiet. */
function pairAt(days: readonly Day[], at: number, lag: number): ExposedPair | undefined {
  const [current, baseline] = [days[at], days[at - lag]];
  if (!current?.isQuiet || !baseline?.isQuiet) return undefined;
  if (Number.isNaN(current.amount + baseline.amount)) return undefined;
  const exposed = ({ amount }: Day) => ({ amount, exposure: 1 });
  return { current: exposed(current), baseline: exposed(baseline) };
}

function changed(draw: Draw, amount: number, times: number): number {
  return times < 1 ? kept(draw, amount, times) : amount + poisson(draw, (times - 1) * amount);
}

function summaryOf(size: number | null, weeks: number, of: readonly Shares[]): Young {
  const pct = (share: (each: Shares) => number) =>
    Math.round((1000 * of.reduce((sum, each) => sum + share(each), 0)) / of.length) / 10;
  const worst = of.toSorted((one, other) => other.false - one.false)[0];
  return {
    size: size === null ? 'as they are' : `${size} a day`,
    ...{ weeks, series: of.length, falsePct: pct((each) => each.false) },
    worst: worst ? `${worst.name} ${(100 * worst.false).toFixed(1)}` : '',
    foundPct: CHANGES.map((_, i) => pct((each) => each.found[i] ?? 0)),
  };
}

export function printYoung(rows: readonly Young[]): void {
  const heads = CHANGES.map(({ name }) => name.padStart(11)).join('');
  console.log(`\nShort series: % of days reported as a change from the same weekday (mean over series)\n`);
  console.log(`  ${'size'.padEnd(12)}weeks  series  false${heads}  most false`);
  for (const { size, weeks, series, falsePct, worst, foundPct } of rows) {
    const found = foundPct.map((pct) => pct.toFixed(0).padStart(11)).join('');
    console.log(
      `  ${size.padEnd(12)}${String(weeks).padStart(5)}${String(series).padStart(8)}${falsePct.toFixed(1).padStart(7)}${found}  ${worst}`,
    );
  }
}
