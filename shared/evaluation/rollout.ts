import type { Baseline, WindowReading } from '../readings/reading.ts';
import { onlyGroupOf, VERSIONS } from '../rules/group-by.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { minutesAfter } from '../time/window.ts';
import { WEEK_MS } from '../units/durations.ts';
import type { Evidence } from './evidence.ts';
import type { Gate } from './gate.ts';
import { deltaOf } from './gates.ts';

/** What a rollout moved to a version (positive) or from it, and the baseline that remains for comparison. */
export interface Rollout {
  moved: number;
  baseline: Baseline;
}

/**
 * The movements between the versions of one window, in the order of `evidences`; `undefined` if nothing moved. A
 * version that rolls out takes over from older ones: the newest first, and first from those that fell most.
 * It gains no more than it rose, and no more than the older ones fell plus as much again as chance may hide; nothing
 * if none fell. An old version that is small beside the newer ones may lose what they may have risen within chance. A
 * version that ends may lose at most as much again as they rose.
 */
export function rolloutsOf(rule: FigureRule, evidences: readonly Evidence[]): (Rollout | undefined)[] {
  if (!isByVersion(rule)) return evidences.map(() => undefined);

  const versions = versionsOf(rule, evidences);
  const rolling = versions.filter(({ isRollingOut }) => isRollingOut);
  const rising = rolling.filter(({ from, to }) => to > from).sort((a, b) => b.sinceAt - a.sinceAt);
  const gained = shared(rising, {
    othersOf: ({ sinceAt }) => versions.filter((other) => other.sinceAt < sinceAt),
    hiddenOf: (_version, opposite, chance) => Math.min(opposite, chance),
  });
  // A version that has ended is explained by what was seen to rise, so it takes first; then the largest fall.
  const falling = versions
    .filter(({ from, to }) => to < from)
    .sort((a, b) => Number(b.to === 0) - Number(a.to === 0) || a.to - a.from - (b.to - b.from));
  const lost = shared(falling, {
    othersOf: ({ sinceAt }) =>
      rolling
        .filter((other) => other.sinceAt > sinceAt)
        .map((other) => ({ ...other, from: other.fromWhole })),
    hiddenOf: ({ to }, opposite, chance) => (to > 0 ? chance : Math.min(opposite, chance)),
  });
  return evidences.map(({ current, baseline }, place): Rollout | undefined => {
    const moved = (gained.get(place) ?? 0) - (lost.get(place) ?? 0);
    const delta = baseline && deltaOf(current, baseline);
    if (moved === 0 || !delta) return undefined;
    // The value is already scaled to the hours of the current window.
    const left = { window: current.window, value: delta.baseline + moved, weight: null };
    return { moved, baseline: { ...left, origin: baseline.origin } };
  });
}

interface Sharing {
  /** The versions with which it exchanges events. */
  othersOf(version: Version): Version[];
  /** What they may have moved beyond the observed change, if they vary by up to `chance`. */
  hiddenOf(version: Version, opposite: number, chance: number): number;
}

/** What each of `versions`, by index, may have exchanged with those that moved the other way. The first take first. */
function shared(versions: Version[], { othersOf, hiddenOf }: Sharing): Map<number, number> {
  let used = 0;
  return new Map(
    versions.map((version) => {
      const sign = Math.sign(version.to - version.from);
      const others = othersOf(version);
      const opposite = sumOf(others.map(({ from, to }) => Math.max(0, sign * (from - to))));
      const chance = WITHIN_CHANCE * Math.sqrt(sumOf(others.map(varianceOf)));
      const most = opposite + hiddenOf(version, opposite, chance);
      const moved = Math.max(0, Math.min(sign * (version.to - version.from), most - used));
      used += Math.min(moved, Math.max(0, sign * (version.to - version.fromWhole)));
      return [version.place, moved];
    }),
  );
}

/** In standard deviations: movement of the others that chance may hide. */
const WITHIN_CHANCE = 2;

/** The standard deviation between two windows of one version without a rollout. */
function varianceOf({ from, to }: Version): number {
  const size = Math.max(from, to);
  return (USUAL_SPREAD * size) ** 2 + size;
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Fails if the breach disappears once the rollout is subtracted. */
export function rolloutGate({ moved, baseline }: Rollout, passed: boolean): Gate {
  const figures = { moved, expected: baseline.value ?? 0 };
  return { gate: 'rollout', passed, code: passed ? 'beyond-rollout' : 'explained-by-rollout', figures };
}

/**
 * Duration of a rollout from the version's first window. Stores stage a release over one or two weeks; a version that
 * still grows steadily after three grows by a third in the next.
 */
const ROLLOUT_MINUTES = 21 * 24 * 60;

/** How much a stable version varies between windows, relative to its size. */
const USUAL_SPREAD = 0.15;

/** One version in one window, with its comparison. */
interface Version {
  place: number;
  from: number;
  to: number;
  /** As `from`, with zeros for the weeks of a median before its first window. */
  fromWhole: number;
  /** `-Infinity` for a version as old as its event. */
  sinceAt: number;
  isRollingOut: boolean;
}

function isByVersion(rule: FigureRule): boolean {
  const metric = metricOf(rule);
  const attribute = onlyGroupOf(rule);
  return attribute !== undefined && VERSIONS.has(attribute) && metric.kind === 'count' && metric.addsUp;
}

function versionsOf(rule: FigureRule, evidences: readonly Evidence[]): Version[] {
  return evidences.flatMap(({ current, baseline, newSinceAt }, place): Version[] => {
    const before = baseline ?? (newSinceAt === null ? undefined : { window: current.window, ...NOTHING });
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

/** Whether a rollout affects the version: its own, or that of a newer one large enough to matter. */
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
