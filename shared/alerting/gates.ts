import { MINIMUM_PAIRS } from '../statistics/counts.ts';
import type { Fired } from './alert.ts';
import type { Gate, Significance } from './evaluation.ts';
import type { Reading } from './reading.ts';
import type { Bounds, Rule } from './rule.ts';
import { hoursOf, type Window } from './window.ts';
import { boundsText, figure, percentText, pText } from './wording.ts';

/** A reading with the window that it is of. */
export interface WindowReading {
  window: Window;
  reading: Reading;
}

/** Difference and change of a window against its baseline, both as rates per hour where windows differ in length. */
export interface Delta {
  current: number;
  baseline: number;
  difference: number;
  /** `null` for a rise from zero, which has no percentage. */
  change: number | null;
}

/** How far `current` is from `baseline`; `undefined` where either has no value. */
export function deltaOf(current: WindowReading, baseline: WindowReading): Delta | undefined {
  const [now, before] = [current.reading, baseline.reading];
  if (now.value === null || before.value === null) return undefined;
  // A mean is no amount: its window's length says nothing about it.
  const stretch = now.weight === null ? hoursOf(current.window) / hoursOf(baseline.window) : 1;
  const expected = before.value * stretch;
  const difference = now.value - expected;
  const change = difference === 0 ? 0 : expected === 0 ? null : difference / expected;
  return { current: now.value, baseline: expected, difference, change };
}

export function settledGate(rule: Rule, window: Window): Gate {
  const end = new Date(window.endAt).toISOString();
  return {
    gate: 'settled',
    passed: true,
    detail: `closed at ${end} and left to settle for ${rule.settle} minutes`,
  };
}

export function freshGate(window: Window, newestDataAt: number): Gate {
  const passed = newestDataAt >= window.endAt;
  const newest = Number.isFinite(newestDataAt)
    ? `the newest is of ${new Date(newestDataAt).toISOString()}`
    : 'none yet';
  return {
    gate: 'fresh',
    passed,
    detail: passed
      ? 'the source has data past the end of the window'
      : `the source has no data past the end of the window: ${newest}`,
  };
}

/**
 * Too little to tell? A firing alert asks only what could make quiet look like recovered: a baseline that is
 * large enough, and for a fall also a current value that is. A recovered value differs little from its baseline,
 * and the end of a surge is small, so neither may hold the alert.
 */
export function volumeGate(
  rule: Rule,
  delta: Delta,
  { current, baseline }: { current: Reading; baseline: Reading },
  fired: Fired | null,
): Gate {
  const size = (reading: Reading, value: number) => reading.weight ?? value;
  const asked = [
    { name: 'current', value: size(current, delta.current), needed: fired?.direction !== 'up' },
    { name: 'baseline', value: size(baseline, delta.baseline), needed: true },
    { name: 'difference', value: Math.abs(delta.difference), needed: fired === null },
  ] as const;
  const short = asked.find(({ name, value, needed }) => needed && value < rule.minimum[name]);
  const detail = short
    ? `too little to tell: ${short.name} ${figure(short.value)} is under the minimum of ${rule.minimum[short.name]}`
    : 'enough volume to tell';
  return { gate: 'volume', passed: short === undefined, detail };
}

export function thresholdGate(rule: Rule, delta: Delta): Gate {
  const passed = isOutside(rule.fire, delta);
  const change = delta.change === null ? 'new, from 0' : percentText(delta.change);
  return {
    gate: 'threshold',
    passed,
    detail: `${figure(delta.current)} against ${figure(delta.baseline)} (${change}) is ${passed ? 'outside' : 'within'} the bounds ${boundsText(rule.fire)}`,
  };
}

export function significanceGate(rule: Rule, test: Significance): Gate {
  const passed = test.p <= 1 - rule.confidence;
  const earlier = `${test.pairs} earlier ${test.pairs === 1 ? 'pair' : 'pairs'}`;
  const history = test.pairs < MINIMUM_PAIRS ? `, little history (${earlier})` : `, from ${earlier}`;
  return {
    gate: 'significance',
    passed,
    detail: `${passed ? 'more' : 'no more'} than noise: p ${pText(test.p)}, z ${test.z.toFixed(1)}, usual spread ${spreadText(test)}${history}`,
  };
}

/** Beyond a bound of every kind that is given. A rise from zero is beyond every upper bound of change. */
function isOutside(bounds: Bounds, delta: Delta): boolean {
  const beyond = (
    side: { above?: number | undefined; below?: number | undefined } | undefined,
    value: number,
  ) => side === undefined || value > (side.above ?? Infinity) || value < (side.below ?? -Infinity);
  return (
    beyond(bounds.change, delta.change ?? Infinity) &&
    beyond(bounds.difference, delta.difference) &&
    beyond(bounds.current, delta.current)
  );
}

export function isInside(bounds: Bounds, delta: Delta): boolean {
  return !isOutside(bounds, delta);
}

/** "12 %", and how clustered where it is. */
function spreadText({ tau, clustering }: Significance): string {
  const spread = percentText(tau).replace('+', '');
  return clustering > 1 ? `${spread}, in clusters of ${figure(clustering)}` : spread;
}
