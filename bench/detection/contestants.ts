import { SeasonalModel, type Surprise } from '../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY, type Sensitivity } from '../../shared/statistics/seasonality.ts';
import type { Contestant } from './contestant.ts';
import { RIVALS } from './rivals.ts';

/** `onSurprise` sees every comparison with the model. */
export function deltawatch(
  sensitivity: Sensitivity,
  onSurprise?: (surprise: Surprise | undefined) => void,
): Contestant {
  return {
    name: 'deltawatch',
    usesAlertState: true,
    watch({ grain, kind }) {
      const model = new SeasonalModel(grain === 'hour' ? HOURLY : DAILY, kind, sensitivity);
      return {
        score({ slot, value, occasion }) {
          const surprise = model.surpriseOf({ slot, value, occasion, exposure: 1 });
          onSurprise?.(surprise);
          return surprise?.ratio ?? 0;
        },
        learn({ slot, value, occasion }, isOpen) {
          model.learn({ slot, value, occasion, exposure: 1 }, isOpen ? 'incident' : 'usual');
        },
      };
    },
  };
}

export const CONTESTANTS: readonly [own: Contestant, ...rivals: Contestant[]] = [
  deltawatch('normal'),
  ...RIVALS,
];
