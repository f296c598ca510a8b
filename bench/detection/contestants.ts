import { SeasonalModel } from '../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY } from '../../shared/statistics/seasonality.ts';
import type { Contestant } from './contestant.ts';
import { RIVALS } from './rivals.ts';

const DELTAWATCH: Contestant = {
  name: 'deltawatch',
  usesAlertState: true,
  watch({ grain, kind }) {
    const model = new SeasonalModel(grain === 'hour' ? HOURLY : DAILY, kind);
    return {
      score({ slot, value }) {
        return model.surpriseOf({ slot, value, exposure: 1 })?.ratio ?? 0;
      },
      learn({ slot, value }, isOpen) {
        model.learn({ slot, value, exposure: 1 }, isOpen ? 'incident' : 'usual');
      },
    };
  },
};

export const CONTESTANTS: readonly [own: Contestant, ...rivals: Contestant[]] = [DELTAWATCH, ...RIVALS];
