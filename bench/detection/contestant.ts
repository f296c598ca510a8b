import type { Point, Series } from './series.ts';

export interface Contestant {
  name: string;
  watch(series: Pick<Series, 'grain' | 'kind'>): Detector;
}

/** Watches one series, window by window. */
export interface Detector {
  /** How unusual the window is, told before it is learned from; from 1 on it is an alarm by the published default. */
  step(point: Point, isOpen: boolean): number;
}
