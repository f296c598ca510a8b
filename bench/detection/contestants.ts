import { DAILY, HOURLY, SeasonalModel } from '../../shared/statistics/seasonal.ts';
import type { Contestant } from './contestant.ts';
import { RIVALS } from './rivals.ts';

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
