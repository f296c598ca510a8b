import { SeasonalModel } from '../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY, type Sensitivity } from '../../shared/statistics/seasonality.ts';
import type { Contestant } from './contestant.ts';
import { RIVALS } from './rivals.ts';

export function deltawatch(sensitivity: Sensitivity): Contestant {
  return {
    name: 'deltawatch',
    usesAlertState: true,
    watch({ grain, kind }) {
      const model = new SeasonalModel(grain === 'hour' ? HOURLY : DAILY, kind, sensitivity);
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
}

export const CONTESTANTS: readonly [own: Contestant, ...rivals: Contestant[]] = [
  deltawatch('normal'),
  ...RIVALS,
];
