import type { Baseline } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { Evidence } from './evidence.ts';
import type { Gate } from './gate.ts';
import { deltaOf } from './gates.ts';
import { isByVersion, USUAL_SPREAD, type Version, versionsOf } from './rolling-versions.ts';

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
  const gained = shared(rolling.filter(isRising).sort(newestFirst), {
    othersOf: ({ sinceAt }) => versions.filter((other) => other.sinceAt < sinceAt),
    hiddenOf: (_version, opposite, chance) => Math.min(opposite, chance),
  });
  const lost = shared(versions.filter(isFalling).sort(endedAndLargestFirst), {
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

function isRising({ from, to }: Version): boolean {
  return to > from;
}

function isFalling({ from, to }: Version): boolean {
  return to < from;
}

function newestFirst(a: Version, b: Version): number {
  return b.sinceAt - a.sinceAt;
}

/** A version that has ended is explained by what was seen to rise, so it takes first. */
function endedAndLargestFirst(a: Version, b: Version): number {
  return Number(b.to === 0) - Number(a.to === 0) || a.to - a.from - (b.to - b.from);
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
  return passed
    ? { gate: 'rollout', passed, code: 'beyond-rollout', figures }
    : { gate: 'rollout', passed, code: 'explained-by-rollout', figures };
}
