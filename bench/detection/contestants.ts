import { DAILY, HOURLY, SeasonalModel } from '../../shared/statistics/seasonal.ts';
import { RIVALS } from './rivals.ts';
import type { Point, Series } from './series.ts';

/** Watches one series, window by window. */
export interface Detector {
  /** How unusual the window is, told before it is learned from; from 1 on it is an alarm by the published default. */
  step(point: Point, isOpen: boolean): number;
}

export interface Contestant {
  name: string;
  watch(series: Pick<Series, 'grain' | 'kind'>): Detector;
}

const DELTAWATCH: Contestant = {
  name: 'deltawatch',
  watch({ grain, kind }) {
    const model = new SeasonalModel(grain === 'hour' ? HOURLY : DAILY, kind);
    return {
      step({ slot, value }, isOpen) {
        const observation = { slot, value, exposure: 1 };
        const surprise = model.surpriseOf(observation);
        model.learn(observation, !isOpen);
        return surprise ? Math.abs(surprise.z) / surprise.limit : 0;
      },
    };
  },
};

export const CONTESTANTS: Contestant[] = [DELTAWATCH, ...RIVALS];
