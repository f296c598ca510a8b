/**
 * The part of an hour's calls that a question may use: `whole` for required questions. `spare` for optional ones, which
 * must leave half of the calls for the rest of the hour.
 */
export type CallBudget = 'whole' | 'spare';

/** The calls that `budget` may use, of `perHour` in total. */
export function callsWithin(budget: CallBudget, perHour: number): number {
  return budget === 'whole' ? perHour : Math.floor(perHour / 2);
}
