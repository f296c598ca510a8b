import { countDeviation, type Exposed, type ExposedPair, exactConditionalP } from '../statistics/counts.ts';
import { type DispersedTest, dispersedTest } from '../statistics/dispersion.ts';
import { familyDispersion, testFamily } from '../statistics/families.ts';
import type { Significance } from './evaluation.ts';
import type { WindowReading } from './gates.ts';
import type { Evidence } from './judge.ts';
import { type Metric, metricOf } from './metrics.ts';
import type { Rule } from './rule.ts';
import { hoursOf } from './window.ts';

/**
 * The test of each window against its baseline, in the order of `evidences`: the one series of a rule, or its segments,
 * which are tested together. `null` where there is nothing to test: no value, or a model in place of a baseline.
 */
export function significancesOf(rule: Rule, evidences: Evidence[]): (Significance | null)[] {
  const metric = metricOf(rule.metric);
  const tests = evidences.map((evidence) => testOf(rule, metric, evidence));
  if (!rule.group_by)
    return tests.map(
      (test) => test && { ...figuresOf(test, dispersedTest(test.deviation, test.past)), family: null },
    );

  const { rate, method } = rule.false_discovery;
  const members = tests.filter((test) => test !== null);
  const { tested, members: inFamily } = testFamily(members, { q: rate, method });
  const unlearned = familyDispersion(members.map(({ past }) => past));
  const found = new Map(members.map((test, i) => [test, inFamily[i]]));
  return tests.map((test) => {
    if (!test) return null;
    const member = found.get(test);
    return {
      ...figuresOf(test, member ?? dispersedTest(test.deviation, test.past, unlearned)),
      // What is too small to be tested beside the others cannot stand out among them.
      family: { tested, adjustedP: member?.adjustedP ?? 1 },
    };
  });
}

type Test = NonNullable<ReturnType<typeof testOf>>;

function figuresOf({ exactP }: Test, { z, p, tau, clustering, pairs }: DispersedTest) {
  return { z, p, tau, clustering, pairs, exactP };
}

function testOf(rule: Rule, metric: Metric, { current, baseline, past }: Evidence) {
  const pair = rule.baseline.to !== 'seasonal' && baseline && exposedPair(metric, current, baseline);
  if (!pair) return null;
  const pairs = past.flatMap((each) => exposedPair(metric, each.current, each.baseline) ?? []);
  const isCount = metric.kind === 'count';
  return {
    deviation: countDeviation(pair),
    past: pairs.map(countDeviation),
    events: isCount
      ? pair.current.amount + pair.baseline.amount
      : pair.current.exposure + pair.baseline.exposure,
    exactP: isCount && Number.isInteger(pair.baseline.amount) ? exactConditionalP(pair) : null,
  };
}

/** What the count test compares: counts over hours, or the totals of means over their weights. */
function exposedPair(
  metric: Metric,
  current: WindowReading,
  baseline: WindowReading,
): ExposedPair | undefined {
  const exposed = ({ window, reading }: WindowReading): Exposed | undefined => {
    if (reading.value === null) return undefined;
    if (metric.kind === 'count') return { amount: reading.value, exposure: hoursOf(window) };
    return reading.weight ? { amount: reading.value * reading.weight, exposure: reading.weight } : undefined;
  };
  const [a, b] = [exposed(current), exposed(baseline)];
  return a && b && { current: a, baseline: b };
}
