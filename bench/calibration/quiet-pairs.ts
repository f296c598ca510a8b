import { countDeviation } from '../../shared/statistics/counts.ts';
import { type Deviation, withoutRebound } from '../../shared/statistics/deviation.ts';
import { dispersedTest } from '../../shared/statistics/dispersion.ts';
import { ASSUMED_DISPERSION } from '../../shared/statistics/short-past.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import type { Series } from '../detection/series.ts';
import type { Outcome } from './outcome.ts';

/** How to compare the windows of a series. `lag` and `past` are numbers of windows, as in rules. */
interface Comparison {
  name: string;
  /** The number of the series' own windows in one compared window. */
  windows: number;
  lag: number;
  past: number;
  assumed: keyof typeof ASSUMED_DISPERSION;
}

const COMPARISONS: Record<Series['grain'], Comparison[]> = {
  hour: [
    { name: 'hour before', windows: 1, lag: 1, past: 72, assumed: 'hour' },
    { name: 'same hour of the week', windows: 1, lag: 168, past: 72, assumed: 'hourOfWeek' },
  ],
  day: [
    { name: 'day before', windows: 1, lag: 1, past: 56, assumed: 'day' },
    { name: 'same weekday', windows: 1, lag: 7, past: 56, assumed: 'day' },
    { name: 'week before', windows: 7, lag: 1, past: 26, assumed: 'day' },
  ],
};

/** With fewer quiet pairs, 1% is only a pair or two. */
const MINIMUM_QUIET = 300;

/** The minimum number of quiet pairs before a tested pair. young.ts measures series with less history. */
const MINIMUM_PAIRS = 8;

/** How often the count test reports a quiet pair as a change, for each comparison with enough quiet pairs. */
export function falseRejections(series: Series, unquiet: readonly Window[], level: number): Outcome[] {
  return COMPARISONS[series.grain].flatMap(({ name, windows, lag, past, assumed }) => {
    const pairs = pairsOf(wholeWindows(series, unquiet, windows), lag);
    const quiet = pairs.flatMap((pair, at) => {
      const before = pairs.slice(Math.max(0, at - past), at).filter(({ isQuiet }) => isQuiet);
      return pair.isQuiet && at >= past && before.length >= MINIMUM_PAIRS ? [{ pair, before }] : [];
    });
    if (quiet.length < MINIMUM_QUIET) return [];
    const rejected = quiet.filter(
      ({ pair, before }) =>
        dispersedTest(
          withoutRebound(pair.deviation, pair.ofBaseline),
          before.map(({ deviation }) => deviation),
          ASSUMED_DISPERSION[assumed],
        ).p <= level,
    );
    return [{ name: `${series.name}, ${name}`, of: rejected.length, to: quiet.length }];
  });
}

interface Whole {
  amount: number;
  isQuiet: boolean;
}

/** The series in windows of `size` points, starting on Monday for weeks; `undefined` for a window with a gap. */
function wholeWindows(
  { points, grain }: Series,
  unquiet: readonly Window[],
  size: number,
): (Whole | undefined)[] {
  const span = grain === 'hour' ? HOUR_MS : DAY_MS;
  const first = size === 1 ? 0 : points.findIndex(({ slot }) => slot === 0);
  return Array.from({ length: Math.floor((points.length - first) / size) }, (_, i) => {
    const parts = points.slice(first + i * size, first + (i + 1) * size);
    const [startAt, endAt] = [parts[0]?.at ?? 0, (parts.at(-1)?.at ?? 0) + span];
    const amount = parts.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0);
    const isQuiet = !unquiet.some((each) => startAt < each.endAt && each.startAt < endAt);
    return Number.isNaN(amount) ? undefined : { amount, isQuiet };
  });
}

interface QuietPair {
  deviation: Deviation;
  /** The deviation of the baseline from its own baseline; `undefined` unless that pair is quiet too. */
  ofBaseline: Deviation | undefined;
  isQuiet: boolean;
}

function pairsOf(windows: (Whole | undefined)[], lag: number): QuietPair[] {
  const pairAt = (at: number) => {
    const [current, baseline] = [windows[at], windows[at - lag]];
    if (!current || !baseline) return undefined;
    const exposed = ({ amount }: Whole) => ({ amount, exposure: 1 });
    const deviation = countDeviation({ current: exposed(current), baseline: exposed(baseline) });
    return { deviation, isQuiet: current.isQuiet && baseline.isQuiet };
  };
  return windows.flatMap((_, at) => {
    const [pair, before] = [pairAt(at), pairAt(at - lag)];
    return pair ? [{ ...pair, ofBaseline: before?.isQuiet ? before.deviation : undefined }] : [];
  });
}
