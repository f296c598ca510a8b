import { OTHERS } from '../contract/grouping.ts';
import type { Baseline, WindowReading } from '../readings/reading.ts';
import { versionPlace } from '../rules/group-by.ts';
import type { FigureRule } from '../rules/rule.ts';
import { discoveriesAmong } from '../statistics/false-discovery.ts';
import { BETWEEN_SEGMENTS, twoSampleTest } from '../statistics/two-samples.ts';
import { segmentValues } from '../text/segment-name.ts';
import { compareVersions } from '../text/version-order.ts';
import type { Significance } from './evaluation.ts';
import { type Evidence, SUMMED_WINDOWS } from './evidence.ts';
import { deviationsOf } from './significance.ts';

/** With this many times the minimum on both sides, older windows are left out: what happens now counts. */
const PLENTY = 10;

/**
 * The evidence of each segment with its sum of windows as `current`, and as the baseline that of the other segments or
 * of the version before, in the same windows. Without the minimum of both over all windows there is no baseline.
 */
export function comparedSegments(rule: FigureRule, all: readonly Evidence[]): Evidence[] {
  const { minimum, window } = rule;
  return all.map((evidence) => {
    const rivals = rivalsOf(rule, evidence, all);
    const over = (count: number, times: number): Evidence | undefined => {
      const current = summed([evidence], count);
      if (!hasEnough(current, times * minimum.current)) return undefined;
      for (const { members, origin } of rivals) {
        const baseline = summed(members, count);
        if (hasEnough(baseline, times * minimum.baseline))
          return { ...evidence, current, baseline: { ...baseline, origin } };
      }
      return undefined;
    };
    const most = SUMMED_WINDOWS[window];
    for (let count = 1; count < most; count++) {
      const found = over(count, PLENTY);
      if (found) return found;
    }
    return over(most, 1) ?? { ...evidence, current: summed([evidence], most), baseline: undefined };
  });
}

interface Rival {
  members: Evidence[];
  origin: Baseline['origin'];
}

/** What the segment is compared with, best first: the versions before it, newest first, or all other segments. */
function rivalsOf(rule: FigureRule, evidence: Evidence, all: readonly Evidence[]): Rival[] {
  const others = all.filter((each) => each !== evidence);
  if (rule.baseline.to === 'other_segments')
    return [{ members: others, origin: { of: 'segments', segment: null } }];
  const place = versionPlace(rule);
  const own = valuesOf(rule, evidence);
  const version = own[place] ?? '';
  if (!isVersion(version)) return [];
  return others
    .flatMap((each) => {
      const values = valuesOf(rule, each);
      const other = values[place] ?? '';
      const isAlike = values.every((value, i) => i === place || value === own[i]);
      if (!isVersion(other) || !isAlike || compareVersions(other, version) >= 0) return [];
      const origin = { of: 'segments' as const, segment: each.segment ?? null };
      return [{ version: other, members: [each], origin }];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
}

function valuesOf({ group_by }: FigureRule, { segment = '' }: Evidence): string[] {
  return Array.isArray(group_by) ? segmentValues(segment) : [segment];
}

/** Whether the value has an order: not the rest, and not a missing value. */
function isVersion(value: string): boolean {
  return value !== '' && value !== OTHERS && /\d/.test(value);
}

function hasEnough({ weight }: WindowReading, minimum: number): boolean {
  return (weight ?? 0) >= Math.max(1, minimum);
}

/** The mean of the last `count` windows of these series together. */
function summed(members: readonly Evidence[], count: number): WindowReading {
  const readings = members.flatMap(({ recent = [] }) => recent.slice(0, count));
  const windows = readings.map(({ window }) => window);
  const weight = readings.reduce((sum, each) => sum + (each.weight ?? 0), 0);
  const amount = readings.reduce((sum, each) => sum + (each.value ?? 0) * (each.weight ?? 0), 0);
  const window = {
    startAt: Math.min(...windows.map(({ startAt }) => startAt)),
    endAt: Math.max(...windows.map(({ endAt }) => endAt)),
  };
  return { window, value: weight > 0 ? amount / weight : null, weight };
}

/** The two-sample test of each segment, as one family. */
export function testsBetweenSegments(
  rule: FigureRule,
  evidences: readonly Evidence[],
): (Significance | null)[] {
  const tests = evidences.map((evidence) => {
    const { baseline, current } = evidence;
    const found = baseline && deviationsOf(rule, { current, baseline });
    if (!found) return null;
    const { z, p } = twoSampleTest(found.deviation);
    return { ...BETWEEN_SEGMENTS, z, p: Math.max(p, found.exactP ?? 0), pairs: 0, exactP: found.exactP };
  });
  const { rate, method } = rule.false_discovery;
  const known = tests.filter((test) => test !== null);
  const discoveries = new Map(discoveriesAmong(known, rate, method).map((each, i) => [known[i], each]));
  return tests.map((test) => {
    const found = test && discoveries.get(test);
    if (!test || !found) return null;
    return { ...test, family: { tested: known.length, adjustedP: found.adjustedP } };
  });
}
