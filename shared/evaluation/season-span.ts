import type { FigureRule } from '../rules/rule.ts';

/** Windows of history for the model: as long as readings are kept. */
export const SEASONAL_WINDOWS = { hour: 10 * 168, day: 57 * 7 } as const;

/** Whether the seasonal model takes part in the verdict. */
export function asksForSeason(rule: FigureRule): boolean {
  return rule.anomaly !== undefined || rule.baseline.to === 'seasonal';
}
