import { LITTLE_HISTORY } from '../statistics/past-tail.ts';
import type { Fired } from './alert.ts';
import { type Bounds, isOutside } from './bounds.ts';
import { stretchOf } from './comparable.ts';
import type { Gate, Significance, Surprise } from './evaluation.ts';
import type { Reading } from './reading.ts';
import type { Rule } from './rule.ts';
import type { Window } from './window.ts';
import { boundsText, figure, percentText, pText, reachText } from './wording.ts';

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
  const expected = before.value * stretchOf(now, current.window, baseline.window);
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
    figures: { closedAt: window.endAt, settleMinutes: rule.settle },
  };
}

export function freshGate(window: Window, newestDataAt: number): Gate {
  const passed = newestDataAt >= window.endAt;
  const isKnown = Number.isFinite(newestDataAt);
  const newest = isKnown ? `the newest is of ${new Date(newestDataAt).toISOString()}` : 'none yet';
  return {
    gate: 'fresh',
    passed,
    detail: passed
      ? 'the source has data past the end of the window'
      : `the source has no data past the end of the window: ${newest}`,
    figures: isKnown ? { newestDataAt } : {},
  };
}

/** A holiday says nothing about the product, but for an outage. */
export function holidayGate(holiday: string | null, current: Reading): Gate {
  const passed = holiday === null || current.value === 0;
  const detail =
    holiday === null
      ? 'no holiday'
      : passed
        ? `${holiday}, but nothing at all is an outage on any day`
        : `${holiday} is not judged`;
  return { gate: 'holiday', passed, detail, figures: {} };
}

/**
 * Too little to tell? What is new (from 0) has no baseline to be large enough: its own size decides. A firing alert
 * asks only what could make quiet look like recovered: a baseline that is large enough, unless it fired on one of 0, and
 * for a fall also a current value that is. A recovered value differs little from its baseline, and the end of a surge is
 * small, so neither may hold the alert.
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
  const detail = short
    ? `too little to tell: ${short.name} ${figure(figures[short.name])} is under the minimum of ${short.least}`
    : 'enough volume to tell';
  return { gate: 'volume', passed: short === undefined, detail, figures };
}

export function thresholdGate(bounds: Bounds, delta: Delta): Gate {
  const passed = isOutside(bounds, delta);
  const change = delta.change === null ? 'new, from 0' : percentText(delta.change);
  const { current, baseline, difference } = delta;
  return {
    gate: 'threshold',
    passed,
    detail: `${figure(current)} against ${figure(baseline)} (${change}) ${reachText(passed)} (${boundsText(bounds)})`,
    figures: { current, baseline, difference, ...(delta.change !== null && { change: delta.change }) },
  };
}

/** From when on the series has windows to learn from, where that is known, and how many of them roll-outs leave out. */
interface Learned {
  knownSinceAt?: number | null;
  pastInRollouts?: number;
}

export function significanceGate(
  rule: Rule,
  test: Significance,
  { knownSinceAt = null, pastInRollouts = 0 }: Learned = {},
): Gate {
  const passed = test.p <= 1 - rule.confidence;
  const { z, p, tau, clustering, pairs } = test;
  const earlier = `${pairs} earlier ${pairs === 1 ? 'pair' : 'pairs'}`;
  const isLittle = pairs + pastInRollouts < LITTLE_HISTORY;
  const isRolled = !isLittle && pairs < LITTLE_HISTORY;
  const history = isLittle
    ? `, little history (${earlier})`
    : `, from ${earlier}${isRolled ? ' outside of roll-outs' : ''}`;
  return {
    gate: 'significance',
    passed,
    detail: `${passed ? 'more' : 'no more'} than noise: p ${pText(p)}, z ${z.toFixed(1)}, usual spread ${spreadText(test)}${history}${lenderText(test)}`,
    figures: {
      z,
      p,
      tau,
      clustering,
      pairs,
      ...(test.exactP !== null && { exactP: test.exactP }),
      ...(isLittle && knownSinceAt !== null && { knownSinceAt }),
      ...(isRolled && { pairsInRollouts: pastInRollouts }),
    },
  };
}

/**
 * Outside of what is usual for this hour or day of the week, on the side that the rule asks for. What follows an
 * incident is held against the season alone: the expectation goes along with the incident, so that its end surprises.
 */
export function seasonGate(rule: Rule, current: number, surprise: Surprise, fired: Fired | null): Gate {
  const { z, limit, expected, low, high, isBeyond, larger, remembered } = surprise;
  const isBack = fired !== null && surprise.isUsual;
  const isMute = isBack && !surprise.wouldTell && !rule.fire;
  const isOnSide = rule.anomaly === 'rise' ? z > 0 : rule.anomaly === 'fall' ? z < 0 : true;
  const passed = isBeyond && isOnSide && !isBack;
  const days = `${remembered} ${remembered === 1 ? 'day' : 'days'}`;
  const rank = larger === 0 ? `the largest gap in ${days}` : `as large a gap on ${larger} of ${days}`;
  const why = isMute
    ? '; too little is usual here to tell whether it is back'
    : seasonRemark(rule, { isBeyond, passed, isBack });
  return {
    gate: 'season',
    passed,
    detail: `${figure(current)}; expected ${figure(expected)} (${figure(low)} to ${figure(high)}); ${rank}${why}`,
    figures: { current, expected, low, high, z, limit, larger, remembered },
  };
}

/** Why a gap that is beyond the limit is no breach. */
function seasonRemark(
  { anomaly }: Rule,
  { isBeyond, passed, isBack }: { isBeyond: boolean; passed: boolean; isBack: boolean },
): string {
  if (!isBeyond || passed) return '';
  return isBack ? '; usual again' : `; only a ${anomaly} is asked for`;
}

/** Among many segments some look significant by chance: p is held against how many were tested. */
export function familyGate(rule: Rule, { tested, adjustedP }: { tested: number; adjustedP: number }): Gate {
  const { rate } = rule.false_discovery;
  const passed = adjustedP <= rate;
  const among = `${tested} ${tested === 1 ? 'segment' : 'segments'} tested`;
  return {
    gate: 'family',
    passed,
    detail: `${passed ? 'stands out' : 'does not stand out'} among ${among}: adjusted p ${pText(adjustedP)}, where ${pText(rate)} is asked for`,
    figures: { tested, adjustedP, rate },
  };
}

/** What the spread was drawn towards, as the past is too short to say it alone. */
function lenderText({ borrowed, pairs }: Significance): string {
  if (!borrowed) return '';
  const spread = percentText(borrowed.tau).replace('+', '');
  const lender =
    borrowed.from === 'other segments' ? "of the rule's other segments" : 'assumed of any series';
  return `, ${pairs === 0 ? 'so it is' : 'so drawn towards'} the ${spread} ${lender}`;
}

/** "12 %", and how clustered where it is. */
function spreadText({ tau, clustering }: Significance): string {
  const spread = percentText(tau).replace('+', '');
  return clustering > 1 ? `${spread}, in clusters of ${figure(clustering)}` : spread;
}
