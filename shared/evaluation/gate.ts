import type { Bounds } from '../rules/bounds.ts';
import type { Watched } from '../rules/metrics.ts';
import type { Borrowed } from '../statistics/dispersion.ts';

/** The gates, in the order in which they run. */
export const GATES = [
  'settled',
  'fresh',
  'holiday',
  'volume',
  'threshold',
  'significance',
  'season',
  'family',
  'rollout',
  'member',
] as const;
export type GateName = (typeof GATES)[number];

/** The result of one gate and its figures. `code` says how it went; `gate-text.ts` has the text. */
export type Gate =
  | Found<'settled', true, 'settled', { closedAt: number; settleMinutes: number }>
  | Found<'fresh', true, 'fresh', { newestDataAt: number }>
  | Found<'fresh', false, 'data-late', { newestDataAt: number }>
  | Found<'fresh', false, 'no-data-yet', None>
  | Found<'holiday', true, 'not-a-holiday', None>
  | (Found<'holiday', true, 'zero-on-a-holiday', None> & { holiday: string })
  | (Found<'holiday', false, 'holiday', None> & { holiday: string })
  | Found<'volume', true, 'enough-volume', VolumeFigures>
  | (Found<'volume', false, 'too-little-volume', VolumeFigures & { minimum: number }> & {
      short: keyof VolumeFigures;
    })
  | (Found<'threshold', true, 'outside-bounds', ThresholdFigures> & { bounds: Bounds })
  | (Found<'threshold', false, 'within-bounds', ThresholdFigures> & { bounds: Bounds })
  | (Found<'significance', true, 'significant', CountFigures> & Learned)
  | (Found<'significance', false, 'not-significant', CountFigures> & Learned)
  | Found<'season', true, 'unusual', SeasonFigures>
  | Found<'season', false, 'expected' | 'back-to-expected' | 'too-variable-to-tell', SeasonFigures>
  | (Found<'season', false, 'other-direction', SeasonFigures> & { anomaly: 'rise' | 'fall' })
  | Found<'family', true, 'stands-out', FamilyFigures>
  | Found<'family', false, 'does-not-stand-out', FamilyFigures>
  | Found<'rollout', true, 'beyond-rollout', RolloutFigures>
  | Found<'rollout', false, 'explained-by-rollout', RolloutFigures>
  | (Found<'member', true, 'member-firing', None> & Member & { firing: FiringSeries[]; more: number })
  | (Found<'member', false, 'member-not-firing', None> & Member);

type None = Record<string, never>;

interface Found<Name extends GateName, Passed extends boolean, Code extends string, Figures> {
  gate: Name;
  passed: Passed;
  code: Code;
  figures: Figures;
}

/** Sizes; `difference` is absolute. */
type VolumeFigures = {
  current: number;
  baseline: number;
  difference: number;
};

/** `change` is absent for a rise from 0, which has no percentage. */
type ThresholdFigures = {
  current: number;
  baseline: number;
  difference: number;
  change?: number | undefined;
};

/** Figures of the count test; `pairs`: past pairs used. */
export type CountFigures = {
  z: number;
  p: number;
  tau: number;
  clustering: number;
  pairs: number;
  exactP?: number | undefined;
  /** With little history: since when the service has any. */
  knownSinceAt?: number | undefined;
  pairsInRollouts?: number | undefined;
};

/** How much history the count test had; `rollouts`: little, as rollouts are part of most of it. */
export interface Learned {
  history: 'enough' | 'little' | 'rollouts';
  borrowed?: Borrowed | undefined;
}

export type SeasonFigures = {
  current: number;
  expected: number;
  low: number;
  high: number;
  z: number;
  limit: number;
  /** Number of `remembered` days with at least as large a deviation in this direction. */
  larger: number;
  remembered: number;
};

type FamilyFigures = {
  tested: number;
  adjustedP: number;
  rate: number;
};

/** `moved`: the most that a rollout may have moved to a version or, if negative, from it. */
type RolloutFigures = {
  moved: number;
  expected: number;
};

/** A member of a composite rule. */
interface Member {
  title: string;
  watched: Watched;
}

/** A firing series of a member; `movement` is absent if the alert did not fire on this window. */
export interface FiringSeries {
  segment: string | null;
  movement?: MemberMovement | undefined;
}

/** `change` is `null` for a rise from 0. */
export interface MemberMovement {
  from: number;
  to: number;
  change: number | null;
}
