import type { AttributeName } from '../analytics/attributes.ts';
import type { Baseline } from './baseline.ts';
import type { Gate } from './evaluation.ts';
import { deltaOf } from './gates.ts';
import type { Evidence } from './judge.ts';
import { metricOf } from './metrics.ts';
import type { FigureRule } from './rule.ts';
import { figure } from './wording.ts';

/** Attributes whose values replace one another: users move from one to the next by themselves. */
const VERSIONS: ReadonlySet<AttributeName> = new Set([
  'app_version',
  'sdk_version',
  'device_os_version',
  'browser_version',
] as const);

/** What a roll-out moved to a version (positive) or away from it, and the baseline that is left to compare with. */
export interface Rollout {
  moved: number;
  baseline: Baseline;
}

interface Version {
  place: number;
  from: number;
  to: number;
  /** `-Infinity` for one that is as old as its event. */
  sinceAt: number;
}

/**
 * What moved between the versions of one window, in the order of `evidences`; `undefined` where nothing did. A version
 * that is new takes over from older ones: the newest first, and first from those that fell by most. None gains more than
 * it rose by, nor more than the older ones fell by or may have by chance.
 */
export function rolloutsOf(rule: FigureRule, evidences: readonly Evidence[]): (Rollout | undefined)[] {
  const metric = metricOf(rule);
  const isByVersion = rule.group_by !== undefined && VERSIONS.has(rule.group_by);
  if (!isByVersion || metric.kind !== 'count' || !metric.addsUp) return evidences.map(() => undefined);

  const versions = evidences.flatMap((evidence, place) => versionOf(evidence, place) ?? []);
  const rising = versions
    .filter(({ from, to, sinceAt }) => to > from && sinceAt > -Infinity)
    .sort((a, b) => b.sinceAt - a.sinceAt);
  const falling = versions
    .filter(({ from, to }) => to < from)
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  const gained = shared(rising, (version) => versions.filter(({ sinceAt }) => sinceAt < version.sinceAt));
  const lost = shared(falling, (version) => rising.filter(({ sinceAt }) => sinceAt > version.sinceAt));
  return evidences.map(({ current, baseline }, place): Rollout | undefined => {
    const moved = (gained.get(place) ?? 0) - (lost.get(place) ?? 0);
    const delta = baseline && deltaOf(current, baseline);
    if (moved === 0 || !delta) return undefined;
    const reading = { value: delta.baseline + moved, weight: null };
    // The figure is by the hours of the window itself.
    return { moved, baseline: { ...baseline, window: current.window, reading } };
  });
}

/** What each of `versions`, by its place, may owe to the others that moved the other way: the first take first. */
function shared(versions: Version[], othersOf: (version: Version) => Version[]): Map<number, number> {
  let taken = 0;
  return new Map(
    versions.map((version) => {
      const sign = Math.sign(version.to - version.from);
      const others = othersOf(version);
      const opposite = others.map(({ from, to }) => Math.max(0, sign * (from - to)));
      const chance = Math.sqrt(sumOf(others.map(varianceOf)));
      const most = others.length > 0 ? sumOf(opposite) + WITHIN_CHANCE * chance : 0;
      const moved = Math.max(0, Math.min(sign * (version.to - version.from), most - taken));
      taken += moved;
      return [version.place, moved];
    }),
  );
}

/** In standard deviations: by so much the others may have moved and hidden it. */
const WITHIN_CHANCE = 2;

/** How much a quiet version differs from window to window, as a part of its size. */
const USUAL_SPREAD = 0.15;

/** Of a difference between two windows of one version, without a roll-out. */
function varianceOf({ from, to }: Version): number {
  const size = Math.max(from, to);
  return (USUAL_SPREAD * size) ** 2 + size;
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function versionOf({ current, baseline, newSinceAt }: Evidence, place: number): Version | undefined {
  const sinceAt = newSinceAt ?? -Infinity;
  const before = baseline ?? (newSinceAt === null ? undefined : { ...current, reading: NOTHING });
  const delta = before && deltaOf(current, before);
  return delta && { place, from: delta.baseline, to: delta.current, sinceAt };
}

const NOTHING = { value: 0, weight: null };

/** Fails where what is left of a breach, once the roll-out is taken out of it, is none. */
export function rolloutGate({ moved, baseline }: Rollout, passed: boolean): Gate {
  const expected = baseline.reading.value ?? 0;
  const [verb, from] = moved > 0 ? ['gained', 'from older versions'] : ['lost', 'to newer versions'];
  const detail = `a roll-out: it ${verb} ${figure(Math.abs(moved))} ${from}, so ${figure(expected)} are expected`;
  return {
    gate: 'rollout',
    passed,
    detail: passed ? `${detail}, and it is still outside the bounds` : detail,
    figures: { moved, expected },
  };
}
