import type { Point, Series } from './series.ts';

export interface Contestant {
  name: string;
  watch(series: Pick<Series, 'grain' | 'kind'>): Detector;
}

/** Watches one series, window by window. */
export interface Detector {
  /** The score of the window, before the detector learns from it. A score of 1 or more is an alarm with the published default. */
  step(point: Point, isOpen: boolean): number;
}
