import type { FigureRule } from '../rules/rule.ts';

/** Windows before the one under judgement that the model is told: as long as readings are kept. */
export const SEASONAL_WINDOWS = { hour: 10 * 168, day: 57 * 7 } as const;

/** Whether what is usual for the hour or day of the week takes part in the verdict. */
export function asksForSeason(rule: FigureRule): boolean {
  return rule.anomaly !== undefined || rule.baseline.to === 'seasonal';
}
