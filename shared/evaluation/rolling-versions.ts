import type { AttributeName } from '../contract/attributes.ts';
import type { Baseline, WindowReading } from '../readings/reading.ts';
import { onlyGroupOf } from '../rules/group-by.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import { minutesAfter } from '../time/window.ts';
import { WEEK_MS } from '../units/durations.ts';
import type { Evidence } from './evidence.ts';
import { deltaOf } from './gates.ts';

/** Attributes whose values replace one another: users move to the next value by themselves. */
const VERSIONS: ReadonlySet<AttributeName> = new Set([
  'app_version',
  'sdk_version',
  'device_os_version',
  'browser_version',
] as const);

/**
 * Duration of a rollout from the version's first window. Stores stage a release over one or two weeks; a version that
 * still grows steadily after three grows by a third in the next.
 */
const ROLLOUT_MINUTES = 21 * 24 * 60;

/** How much a stable version varies between windows, relative to its size. */
export const USUAL_SPREAD = 0.15;

/** One version in one window, with its comparison. */
export interface Version {
  place: number;
  from: number;
  to: number;
  /** As `from`, with zeros for the weeks of a median before its first window. */
  fromWhole: number;
  /** `-Infinity` for a version as old as its event. */
  sinceAt: number;
  isRollingOut: boolean;
}

export function isByVersion(rule: FigureRule): boolean {
  const metric = metricOf(rule);
  const attribute = onlyGroupOf(rule);
  return attribute !== undefined && VERSIONS.has(attribute) && metric.kind === 'count' && metric.addsUp;
}

export function versionsOf(rule: FigureRule, evidences: readonly Evidence[]): Version[] {
  return evidences.flatMap(({ current, baseline, newSinceAt }, place): Version[] => {
    const before = baseline ?? (newSinceAt === null ? undefined : { ...current, ...NOTHING });
    const delta = before && deltaOf(current, before);
    if (!delta) return [];
    const isRollingOut = newSinceAt !== null && comparedFrom(current, baseline) < endOf(newSinceAt, rule);
    const sinceAt = newSinceAt ?? -Infinity;
    const fromWhole = newSinceAt !== null && isMostlyBefore(rule, baseline) ? 0 : delta.baseline;
    return [{ place, from: delta.baseline, to: delta.current, fromWhole, sinceAt, isRollingOut }];
  });
}

/** Whether half of a median's weeks are missing, so that zeros make it about 0. */
function isMostlyBefore({ baseline: asked }: FigureRule, baseline: Baseline | undefined): boolean {
  return (
    asked.to === 'median' && baseline?.origin.of === 'median' && 2 * baseline.origin.windows <= asked.weeks
  );
}

const NOTHING = { value: 0, weight: null };

interface Span {
  sinceAt: number;
  untilAt: number;
  /** The largest value of the version in one window. */
  size: number;
}

/** The evidences without past pairs that contain a rollout: their changes say nothing about normal variance. */
export function outsideRollouts(rule: FigureRule, evidences: Evidence[]): Evidence[] {
  if (!isByVersion(rule)) return evidences;
  const rollouts = evidences.flatMap((evidence) => spanOf(rule, evidence) ?? []);
  if (rollouts.length === 0) return evidences;
  return evidences.map((evidence) => {
    const isOutside = (pair: Evidence['past'][number]) =>
      !rollouts.some((rollout) => isPartOf(rollout, pair, evidence.newSinceAt ?? -Infinity));
    const past = evidence.past.filter(isOutside);
    const baselinePair =
      evidence.baselinePair && isOutside(evidence.baselinePair) ? evidence.baselinePair : undefined;
    const pastInRollouts = evidence.past.length - past.length;
    return { ...evidence, past, baselinePair, ...(pastInRollouts > 0 && { pastInRollouts }) };
  });
}

function spanOf(rule: FigureRule, { newSinceAt, current, past }: Evidence): Span | undefined {
  if (newSinceAt === null) return undefined;
  const readings = [current, ...past.map((pair) => pair.current)];
  const size = Math.max(...readings.map(({ value }) => value ?? 0));
  return { sinceAt: newSinceAt, untilAt: endOf(newSinceAt, rule), size };
}

/**
 * Whether a rollout affects a version that exists since `sinceAt`: its own, or that of a newer one large enough to
 * matter.
 */
function isPartOf(rollout: Span, { current, baseline }: Evidence['past'][number], sinceAt: number): boolean {
  if (rollout.sinceAt < sinceAt || rollout.sinceAt > current.window.endAt) return false;
  if (comparedFrom(current, baseline) >= rollout.untilAt) return false;
  return rollout.sinceAt === sinceAt || rollout.size > USUAL_SPREAD * (baseline.value ?? 0);
}

function endOf(sinceAt: number, { zone }: FigureRule): number {
  return minutesAfter(sinceAt, ROLLOUT_MINUTES, zone);
}

/** Start of the oldest compared window. */
function comparedFrom(current: WindowReading, baseline: WindowReading | Baseline | undefined): number {
  if (!baseline) return current.window.startAt;
  const origin = 'origin' in baseline ? baseline.origin : undefined;
  const weeks = origin?.of === 'median' ? origin.windows - 1 : 0;
  return baseline.window.startAt - weeks * WEEK_MS;
}
