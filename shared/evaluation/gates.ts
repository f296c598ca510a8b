import type { Reading, WindowReading } from '../readings/reading.ts';
import { type Bounds, isOutside } from '../rules/bounds.ts';
import { comparesSegments, type FigureRule, type Rule } from '../rules/rule.ts';
import { LITTLE_HISTORY } from '../statistics/past-tail.ts';
import type { Window } from '../time/window.ts';
import { type Significance, type Surprise, stretchOf } from './evaluation.ts';
import type { Evidence } from './evidence.ts';
import type { Fired } from './fired.ts';
import type { Gate } from './gate.ts';

/** Difference and change from the baseline, per hour if the windows differ in length. */
export interface Delta {
  current: number;
  baseline: number;
  difference: number;
  /** `null` for a rise from zero, which has no percentage. */
  change: number | null;
}

/** A value that is compared with nothing but its bounds. */
export interface Level {
  current: number;
  baseline?: undefined;
  difference: null;
  change: null;
}

/** The deviation of `current` from `baseline`; `undefined` if either has no value. */
export function deltaOf(current: WindowReading, baseline: WindowReading): Delta | undefined {
  if (current.value === null || baseline.value === null) return undefined;
  const expected = baseline.value * stretchOf(current, baseline);
  const difference = current.value - expected;
  const change = difference === 0 ? 0 : expected === 0 ? null : difference / Math.abs(expected);
  return { current: current.value, baseline: expected, difference, change };
}

export function settledGate(rule: Rule, window: Window): Gate {
  const figures = { closedAt: window.endAt, settleMinutes: rule.settle };
  return { gate: 'settled', passed: true, code: 'settled', figures };
}

export function freshGate(window: Window, newestDataAt: number): Gate {
  const figures = { newestDataAt };
  if (newestDataAt >= window.endAt) return { gate: 'fresh', passed: true, code: 'fresh', figures };
  return Number.isFinite(newestDataAt)
    ? { gate: 'fresh', passed: false, code: 'data-late', figures }
    : { gate: 'fresh', passed: false, code: 'no-data-yet', figures: {} };
}

/** Without a season, holidays are not evaluated, except for an outage. */
export function holidayGate(holiday: string | null, current: Reading): Gate {
  const gate = 'holiday' as const;
  if (holiday === null) return { gate, passed: true, code: 'not-a-holiday', figures: {} };
  return current.value === 0
    ? { gate, passed: true, code: 'zero-on-a-holiday', figures: {}, holiday }
    : { gate, passed: false, code: 'holiday', figures: {}, holiday };
}

/** Whether the value is about enough events, sessions or users. It need not be to recover. */
export function levelVolumeGate(rule: Rule, current: WindowReading, fired: Fired | null): Gate {
  const figures = { current: current.weight ?? current.value ?? 0 };
  const minimum = rule.minimum.current;
  return fired !== null || figures.current >= minimum
    ? { gate: 'volume', passed: true, code: 'enough-volume', figures }
    : {
        ...{ gate: 'volume', passed: false, code: 'too-little-volume' },
        ...{ figures: { ...figures, minimum }, short: 'current' },
      };
}

/**
 * Whether there is enough volume to evaluate. A rise from 0 has no baseline, so its own size decides. For a firing
 * alert only what could hide a missing recovery counts: the baseline, unless it was 0, and for a fall the current
 * value. A recovered value is close to its baseline and the end of a surge is small, so neither holds the alert.
 */
export function volumeGate(
  rule: Rule,
  delta: Delta,
  { current, baseline }: { current: Reading; baseline: Reading },
  fired: Fired | null,
): Gate {
  const size = (reading: Reading, value: number) => reading.weight ?? value;
  const { minimum } = rule;
  const isNew = delta.change === null;
  const figures = {
    current: size(current, delta.current),
    baseline: size(baseline, delta.baseline),
    difference: Math.abs(delta.difference),
  };
  const asked = [
    {
      name: 'current',
      least: isNew ? Math.max(minimum.current, minimum.baseline) : minimum.current,
      needed: fired?.direction !== 'up',
    },
    { name: 'baseline', least: minimum.baseline, needed: !isNew && fired?.baseline.value !== 0 },
    { name: 'difference', least: minimum.difference, needed: fired === null },
  ] as const;
  const short = asked.find(({ name, least, needed }) => needed && figures[name] < least);
  if (!short) return { gate: 'volume', passed: true, code: 'enough-volume', figures };
  return {
    gate: 'volume',
    passed: false,
    code: 'too-little-volume',
    figures: { ...figures, minimum: short.least },
    short: short.name,
  };
}

export function thresholdGate(bounds: Bounds, delta: Delta | Level): Gate {
  const { current, baseline, difference, change } = delta;
  const compared = baseline === undefined ? {} : { baseline, difference };
  const figures = { current, ...compared, ...(change !== null && { change }) };
  const passed = isOutside(bounds, delta);
  return { gate: 'threshold', passed, code: passed ? 'outside-bounds' : 'within-bounds', figures, bounds };
}

export function significanceGate(
  rule: FigureRule,
  test: Significance,
  {
    knownSinceAt = null,
    pastInRollouts = 0,
  }: Partial<Pick<Evidence, 'knownSinceAt' | 'pastInRollouts'>> = {},
): Gate {
  const { z, p, tau, clustering, pairs, exactP } = test;
  const isOfSegments = comparesSegments(rule);
  const isLittle = !isOfSegments && pairs + pastInRollouts < LITTLE_HISTORY;
  const isRolled = !isLittle && !isOfSegments && pairs < LITTLE_HISTORY;
  const figures = {
    ...{ z, p, tau, clustering, pairs },
    ...(exactP !== null && { exactP }),
    ...(isLittle && knownSinceAt !== null && { knownSinceAt }),
  };
  const history = isOfSegments ? 'segments' : isLittle ? 'little' : isRolled ? 'rollouts' : 'enough';
  const passed = p <= 1 - rule.confidence;
  return { gate: 'significance', passed, code: passed ? 'significant' : 'not-significant', figures, history };
}

/**
 * Whether the value is abnormal for this hour or day of the week, on the side that the rule selects. After an incident
 * only the time of the week counts: the expectation follows the incident, so its end would look abnormal.
 */
export function seasonGate(rule: Rule, current: number, surprise: Surprise, fired: Fired | null): Gate {
  const { isBeyond, isUsual: _, canDetect: __, sums: ___, ...deviation } = surprise;
  const isBack = fired !== null && surprise.isUsual;
  const { anomaly } = rule;
  const isRise = (surprise.sum ?? surprise).z > 0;
  const isOnSide = anomaly === 'rise' ? isRise : anomaly === 'fall' ? !isRise : true;
  const gate = 'season' as const;
  const figures = { current, ...deviation };
  if (isBack && !surprise.canDetect && !rule.fire)
    return { gate, passed: false, code: 'too-variable-to-tell', figures };
  if (!isBeyond) return { gate, passed: false, code: 'expected', figures };
  if (isBack) return { gate, passed: false, code: 'back-to-expected', figures };
  if (!isOnSide && (anomaly === 'rise' || anomaly === 'fall'))
    return { gate, passed: false, code: 'other-direction', figures, anomaly };
  return { gate, passed: true, code: 'unusual', figures };
}

/** Among many segments some look significant by chance, so p is adjusted for the number tested. */
export function familyGate(rule: Rule, { tested, adjustedP }: { tested: number; adjustedP: number }): Gate {
  const { rate } = rule.false_discovery;
  const figures = { tested, adjustedP, rate };
  const passed = adjustedP <= rate;
  return { gate: 'family', passed, code: passed ? 'stands-out' : 'does-not-stand-out', figures };
}
