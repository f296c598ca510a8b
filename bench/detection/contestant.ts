import type { Point, Series } from './series.ts';

export interface Contestant {
  name: string;
  /** Whether the detector depends on `isOpen`. If not, scores can be computed without the alert lifecycle. */
  usesAlertState: boolean;
  watch(series: Pick<Series, 'grain' | 'kind'>): Detector;
}

/** Reads one series, window by window. Each window is scored first and learned second. */
export interface Detector {
  /** A score of 1 or more is an alarm at the published default. */
  score(point: Point): number;
  learn(point: Point, isOpen: boolean): void;
}
