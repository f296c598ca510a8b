import type { WindowReading } from '../readings/reading.ts';
import type { Metric } from '../rules/metric.ts';
import { type FigureRule, hasOwnLevel, hasSegments } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import {
  averageDeviation,
  countDeviation,
  type Exposed,
  type ExposedPair,
  meanDeviation,
  sumDeviation,
} from '../statistics/counts.ts';
import { type Deviation, type Dispersion, withoutRebound } from '../statistics/deviation.ts';
import { type DispersedTest, dispersedTest } from '../statistics/dispersion.ts';
import { type Member, testFamily } from '../statistics/families.ts';
import { familyDispersion } from '../statistics/moderation.ts';
import { exactRatioP, type RatioPair, rateDeviations, ratioDeviations } from '../statistics/ratios.ts';
import { ASSUMED_DISPERSION } from '../statistics/short-past.ts';
import { hoursOf } from '../time/window.ts';
import type { Significance } from './evaluation.ts';
import type { Evidence } from './evidence.ts';

/**
 * The test of each window against its baseline, in the order of `evidences`; the segments of a rule are tested
 * together. `null` without a value, if a model replaces the baseline, or if nothing is known of the metric's chance.
 */
export function significancesOf(rule: FigureRule, evidences: Evidence[]): (Significance | null)[] {
  const metric = metricOf(rule);
  const tests = evidences.map((evidence) => testOf(rule, metric, evidence));
  const assumed = assumedFor(rule);
  if (!hasSegments(rule))
    return tests.map(
      (test) =>
        test && { ...figuresOf(test, dispersedTest(test.deviation, test.past, assumed)), family: null },
    );

  const { rate, method } = rule.false_discovery;
  const members = tests.filter((test) => test !== null);
  const { tested, members: inFamily } = testFamily(members, { q: rate, method, assumed });
  const ofFamily = familyDispersion(
    members.map(({ past }) => past),
    assumed,
  );
  const found = new Map(members.map((test, i) => [test, inFamily[i]]));
  return tests.map((test) => {
    if (!test) return null;
    const member = found.get(test);
    return {
      // A segment too small for the family is tested with its dispersion.
      ...figuresOf(test, member ?? dispersedTest(test.deviation, test.past, ofFamily)),
      // A segment too small to be tested with the others cannot stand out among them.
      family: { tested, adjustedP: Math.max(member?.adjustedP ?? 1, test.leastP) },
    };
  });
}

function assumedFor({ window, baseline }: FigureRule): Dispersion {
  if (window !== 'hour') return ASSUMED_DISPERSION.day;
  return baseline.to === 'previous_period' ? ASSUMED_DISPERSION.hour : ASSUMED_DISPERSION.hourOfWeek;
}

interface Test extends Member {
  exactP: number | null;
  /** Lower limit of the test's p. */
  leastP: number;
}

function figuresOf({ exactP, leastP }: Test, { z, p, tau, clustering, pairs }: DispersedTest) {
  return { z, p: Math.max(p, leastP), tau, clustering, pairs, exactP };
}

function testOf(rule: FigureRule, metric: Metric, evidence: Evidence): Test | null {
  const { current, baseline, baselinePair, past } = evidence;
  if (rule.baseline.to === 'seasonal' || !hasOwnLevel(rule) || !baseline) return null;
  if (metric.kind === 'ratio') return ratioTestOf(metric, { ...evidence, baseline });
  const deviation = deviationOf(metric, { current, baseline });
  if (!deviation) return null;
  const [ofBaseline] = pastDeviations(metric, baselinePair ? [baselinePair] : []);
  return {
    deviation: withoutRebound(deviation, ofBaseline),
    past: pastDeviations(metric, past),
    events: sizeOf(current) + sizeOf(baseline),
    exactP: null,
    leastP: 0,
  };
}

/** The events, sessions or users that a reading is about. */
function sizeOf({ value, weight, events }: WindowReading): number {
  return weight ?? events ?? value ?? 0;
}

type Pair = Evidence['past'][number];

/** How far both windows are apart; `undefined` if there is no model of chance for them. */
function deviationOf(metric: Metric, pair: Pair): Deviation | undefined {
  switch (metric.kind) {
    case 'count': {
      const exposed = exposedPair(metric, pair);
      return exposed && countDeviation(exposed);
    }
    case 'mean': {
      const exposed = exposedPair(metric, pair);
      return exposed && (metric.ofProperty ? averageDeviation(exposed) : meanDeviation(exposed));
    }
    case 'total': {
      const summed = ({ window, value, events = 0 }: WindowReading) =>
        value === null ? undefined : { amount: value, exposure: hoursOf(window), events };
      const [current, baseline] = [summed(pair.current), summed(pair.baseline)];
      return current && baseline && sumDeviation(current, baseline);
    }
    case 'ratio':
    case 'extreme':
    case 'percentile':
    case 'value':
      return undefined;
  }
}

function pastDeviations(metric: Metric, past: Evidence['past']): Deviation[] {
  return past.flatMap((each) => deviationOf(metric, each) ?? []);
}

/** The deviation of a pair of readings, and for small counts of a ratio Fisher's p. */
export function deviationsOf(
  rule: FigureRule,
  pair: Pair,
): { deviation: Deviation; exactP: number | null } | undefined {
  const metric = metricOf(rule);
  if (metric.kind !== 'ratio') {
    const deviation = deviationOf(metric, pair);
    return deviation && { deviation, exactP: null };
  }
  const exposed = exposedPair(metric, pair);
  if (!exposed) return undefined;
  const ratios = ratioPair(exposed);
  const isOfEvents = metric.counted !== undefined;
  const [deviation] = isOfEvents ? ratioDeviations(ratios, []) : rateDeviations(ratios, []);
  return { deviation, exactP: isOfEvents ? exactRatioP(ratios) : null };
}

/** With small counts p is at least Fisher's. */
function ratioTestOf(
  metric: Metric & { kind: 'ratio' },
  { current, baseline, baselinePair, past: earlier }: Evidence & { baseline: WindowReading },
): Test | null {
  const ratiosOf = (pairs: Evidence['past']) =>
    pairs.flatMap((each) => exposedPair(metric, each) ?? []).map(ratioPair);
  const [pair] = ratiosOf([{ current, baseline }]);
  if (!pair) return null;
  const [pairs, [ofBaseline]] = [ratiosOf(earlier), ratiosOf(baselinePair ? [baselinePair] : [])];
  const isOfEvents = metric.counted !== undefined;
  const all = ofBaseline ? [...pairs, ofBaseline] : pairs;
  const [whole, ...deviations] = isOfEvents ? ratioDeviations(pair, all) : rateDeviations(pair, all);
  const [past, before] = [deviations.slice(0, pairs.length), deviations[pairs.length]];
  const deviation = withoutRebound(whole, before);
  const exactP = isOfEvents ? exactRatioP(pair) : null;
  return { deviation, past, events: pair.current.to + pair.baseline.to, exactP, leastP: exactP ?? 0 };
}

/** Medians are not integers, but the test needs counts. */
function ratioPair({ current, baseline }: ExposedPair): RatioPair {
  const ratio = ({ amount, exposure }: Exposed) => ({ of: Math.round(amount), to: Math.round(exposure) });
  return { current: ratio(current), baseline: ratio(baseline) };
}

/** Input of the count test: counts over hours, or totals of means over their weights. */
function exposedPair(metric: Metric, { current, baseline }: Pair): ExposedPair | undefined {
  const exposed = ({ window, value, weight }: WindowReading): Exposed | undefined => {
    if (value === null) return undefined;
    if (metric.kind === 'count') return { amount: value, exposure: hoursOf(window) };
    return weight ? { amount: value * weight, exposure: weight } : undefined;
  };
  const [a, b] = [exposed(current), exposed(baseline)];
  return a && b && { current: a, baseline: b };
}
