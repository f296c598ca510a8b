import { isOutside } from '../rules/bounds.ts';
import { boundsLevel, comparesSegments, type FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { Evaluation, Significance, VerdictReason } from './evaluation.ts';
import type { Evidence } from './evidence.ts';
import type { Gate } from './gate.ts';
import {
  type Delta,
  deltaOf,
  familyGate,
  freshGate,
  holidayGate,
  type Level,
  levelVolumeGate,
  seasonGate,
  settledGate,
  significanceGate,
  thresholdGate,
  volumeGate,
} from './gates.ts';
import { comparedSegments, testsBetweenSegments } from './other-segments.ts';
import { outsideRollouts, rolloutGate, rolloutsOf } from './rollout.ts';
import { asksForSeason } from './season.ts';
import { significancesOf } from './significance.ts';

/**
 * Evaluates one closed window. Pure: the same arguments give the same evaluation. Gates run in order; the first that
 * fails decides. `significance`: the test of the series, or its part of the family's test (`significancesOf`).
 */
export function evaluate(
  rule: FigureRule,
  evidence: Evidence,
  significance: Significance | null = significancesOf(rule, [evidence])[0] ?? null,
): Evaluation {
  const { current, baseline, previous, surprise, fired } = evidence;
  const { value } = current;
  const facts: Pick<Evaluation, 'current' | 'baseline' | 'previous' | 'surprise'> = {
    current,
    baseline: baseline ?? { window: current.window, value: null, weight: null, origin: { of: 'window' } },
    previous,
    surprise: surprise ?? null,
  };
  const fresh = freshGate(current.window, evidence.newestDataAt);
  const gates = [settledGate(rule, current.window), fresh];
  const isLevel = boundsLevel(rule);
  const delta = baseline && deltaOf(current, baseline);
  const level = value === null ? undefined : ({ current: value, difference: null, change: null } as const);
  const measured = isLevel ? level : delta;
  const missing = fresh.passed ? missingFor(rule, evidence, measured) : FRESH;
  if (missing !== undefined || !measured) {
    // A firing segment, or what it is compared with, has too little left: the users have moved on.
    const isGone = comparesSegments(rule) && fired !== null && !baseline;
    // Other segments disappear with their data; a funnel step exists as long as the rule does.
    const isEmpty = fresh.passed && !evidence.isSilent && (value === null || isGone) && !rule.funnel;
    const verdict = isEmpty ? 'no-data' : 'inconclusive';
    return { ...facts, ...UNKNOWN, gates, verdict, reason: missing ?? NOT_COMPARABLE };
  }

  // A season knows what a holiday changes.
  const holiday = rule.holidays && !asksForSeason(rule) && holidayGate(evidence.holiday, current);
  const volume =
    delta && !isLevel ? volumeGate(rule, delta, facts, fired) : levelVolumeGate(rule, current, fired);
  const threshold = rule.fire && thresholdGate(rule.fire, measured);
  const noise = significance && significanceGate(rule, significance, evidence);
  const season = asksForSeason(rule) && surprise && seasonGate(rule, measured.current, surprise, fired);
  const family = significance?.family && familyGate(rule, significance.family);
  const decided = [holiday, volume, threshold, noise, season, family].filter((gate) => isGate(gate));
  const failed = decided.find(({ passed }) => !passed);
  const decisive = failed ?? threshold ?? season ?? volume;
  const isBack = rule.fire
    ? !isOutside(rule.recover ?? rule.fire, measured)
    : surprise?.isUsual && surprise.canDetect;
  return {
    ...facts,
    difference: delta?.difference ?? null,
    change: delta?.change ?? null,
    significance,
    gates: [...gates, ...decided],
    verdict: failed ? 'clear' : 'breached',
    reason: { code: 'gate', gate: (isGate(decisive) ? decisive : volume).gate },
    recovered: volume.passed && (!holiday || holiday.passed) && Boolean(isBack),
  };
}

const UNKNOWN = { difference: null, change: null, significance: null, recovered: false };

const NOT_COMPARABLE: VerdictReason = { code: 'not-comparable' };
const FRESH: VerdictReason = { code: 'gate', gate: 'fresh' };

function isGate(gate: Gate | false | null | undefined): gate is Gate {
  return Boolean(gate);
}

function missingFor(
  rule: FigureRule,
  { current, baseline, surprise, isTooNew, isSilent }: Evidence,
  measured: Delta | Level | undefined,
): VerdictReason | undefined {
  if (isSilent) return { code: 'app-silent' };
  if (current.value === null)
    return { code: metricOf(rule).kind === 'ratio' ? 'no-denominator' : 'no-value' };
  if (asksForSeason(rule) && !surprise) return { code: 'no-season' };
  if (isTooNew) return { code: 'new-segment' };
  if (comparesSegments(rule) && !baseline) return { code: 'too-few-to-compare' };
  if (!measured && (!baseline || baseline.value === null)) return { code: 'no-baseline' };
  return measured ? undefined : NOT_COMPARABLE;
}

/**
 * Evaluates one window of all series of a rule, in the order of `evidences`. Whether one stands out depends on their
 * number, and events can move from one version to another.
 */
export function evaluateTogether(rule: FigureRule, evidences: Evidence[]): Evaluation[] {
  if (comparesSegments(rule)) {
    const compared = comparedSegments(rule, evidences);
    const tests = testsBetweenSegments(rule, compared);
    return compared.map((evidence, i) => evaluate(rule, evidence, tests[i] ?? null));
  }
  const rollouts = rolloutsOf(rule, evidences);
  const learned = outsideRollouts(rule, evidences);
  const evaluations = evaluateAll(rule, learned);
  if (!evaluations.some(({ verdict }, i) => verdict === 'breached' && rollouts[i])) return evaluations;

  const left = evaluateAll(
    rule,
    learned.map((evidence, i) => ({ ...evidence, baseline: rollouts[i]?.baseline ?? evidence.baseline })),
  );
  return evaluations.map((evaluation, i): Evaluation => {
    const rollout = rollouts[i];
    if (!rollout || evaluation.verdict !== 'breached') return evaluation;
    const isBreached = left[i]?.verdict === 'breached';
    const gate = rolloutGate(rollout, isBreached);
    const gates = [...evaluation.gates, gate];
    return isBreached
      ? { ...evaluation, gates }
      : { ...evaluation, gates, verdict: 'clear', reason: { code: 'gate', gate: 'rollout' } };
  });
}

function evaluateAll(rule: FigureRule, evidences: Evidence[]): Evaluation[] {
  const tests = significancesOf(rule, evidences);
  return evidences.map((evidence, i) => evaluate(rule, evidence, tests[i] ?? null));
}
