/**
 * Which of an hour's calls a question may use: `whole` is what cannot wait, `spare` what only helps, and must leave half
 * of them to the rest of the hour.
 */
export type CallBudget = 'whole' | 'spare';

/** The calls of an hour that `budget` may use up, of `perHour` in all. */
export function callsWithin(budget: CallBudget, perHour: number): number {
  return budget === 'whole' ? perHour : Math.floor(perHour / 2);
}
