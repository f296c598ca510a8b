import {
  dispersedCountTest,
  type Exposed,
  type ExposedPair,
  exactConditionalP,
} from '../statistics/counts.ts';
import type { Fired } from './alert.ts';
import type { Evaluation, Significance } from './evaluation.ts';
import {
  deltaOf,
  freshGate,
  isInside,
  settledGate,
  significanceGate,
  thresholdGate,
  volumeGate,
  type WindowReading,
} from './gates.ts';
import { type Metric, metricOf } from './metrics.ts';
import type { Reading } from './reading.ts';
import type { Rule } from './rule.ts';
import { hoursOf } from './window.ts';

/** All that a verdict on one window of one series depends on. */
export interface Evidence {
  current: WindowReading;
  /** `undefined` where the baseline could not be had. */
  baseline: WindowReading | undefined;
  previous: Reading;
  /** Earlier windows of the series with their baselines at the same lag. */
  past: { current: WindowReading; baseline: WindowReading }[];
  /** When the source's newest data was recorded. */
  newestDataAt: number;
  /** What a firing alert fired on. */
  fired: Fired | null;
}

/**
 * Judges one closed window. Pure: the same rule and evidence give the same evaluation, in a Lambda, in a
 * simulation and on a page. Gates are taken in order; the first that fails decides what the window means.
 */
export function evaluate(rule: Rule, evidence: Evidence): Evaluation {
  const { current, baseline, previous, fired } = evidence;
  const metric = metricOf(rule.metric);
  const facts = {
    window: current.window,
    baselineWindow: baseline?.window ?? current.window,
    current: current.reading,
    baseline: baseline?.reading ?? { value: null, weight: null },
    previous,
  };
  const settled = settledGate(rule, current.window);
  const fresh = freshGate(current.window, evidence.newestDataAt);
  const delta = baseline && deltaOf(current, baseline);
  if (!fresh.passed || !delta) {
    const reason = fresh.passed ? missingReading(facts, metric) : fresh.detail;
    const verdict = fresh.passed && current.reading.value === null ? 'no-data' : 'inconclusive';
    const unknown = { difference: null, change: null, significance: null, recovered: false };
    return { ...facts, ...unknown, gates: [settled, fresh], verdict, reason };
  }

  const volume = volumeGate(rule, delta, facts, fired);
  const threshold = thresholdGate(rule, delta);
  const pair = exposedPair(metric, current, baseline);
  const test = pair && significanceOf(metric, pair, evidence);
  const significance = test ? significanceGate(rule, test) : undefined;
  const gates = [settled, fresh, volume, threshold, ...(significance ? [significance] : [])];
  const failed = gates.find((gate) => !gate.passed);
  return {
    ...facts,
    difference: delta.difference,
    change: delta.change,
    significance: test ?? null,
    gates,
    verdict: failed ? 'clear' : 'breached',
    reason: (failed ?? threshold).detail,
    recovered: volume.passed && isInside(rule.recover ?? rule.fire, delta),
  };
}

function significanceOf(metric: Metric, pair: ExposedPair, { past }: Evidence): Significance {
  const pairs = past.flatMap((each) => exposedPair(metric, each.current, each.baseline) ?? []);
  const isCount = metric.kind === 'count';
  const exactP = isCount && Number.isInteger(pair.baseline.amount) ? exactConditionalP(pair) : null;
  return { ...dispersedCountTest(pair, pairs), exactP };
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

function missingReading(
  { current, baseline }: { current: Reading; baseline: Reading },
  metric: Metric,
): string {
  if (current.value === null) return `no ${metric.unit} were recorded in the window`;
  return baseline.value === null
    ? 'the baseline has no value to compare with'
    : 'the windows cannot be compared';
}
