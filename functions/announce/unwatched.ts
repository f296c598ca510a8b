import { dueDebts } from '../../shared/alerting/debt-order.ts';
import { endUnwatched, watchedBy } from '../../shared/alerting/unwatched.ts';
import { eachOf } from './alert-book.ts';
import type { Ready, Sweep } from './announce.ts';

/**
 * Of what is watched no longer nothing is told but that it is over. One that cannot be saved waits for the next sweep, and
 * one of a rule that cannot be read until it can.
 */
export async function withoutUnwatched(ready: Ready[], sweep: Sweep): Promise<Ready[]> {
  const { book, now, ruleSet, logger } = sweep;
  const isWatched = watchedBy(ruleSet);
  const kept = await eachOf(ready, async (each) => {
    if (ruleSet.unreadable?.includes(each.alert.ruleId)) return [];
    if (isWatched(each.alert)) return [each];
    try {
      const alert = await book.change(each.alert, (stored) => endUnwatched(stored, ruleSet.routes, now));
      return alert ? [{ alert, due: dueDebts(alert, now) }] : [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      logger.error('the alert of a removed rule could not be ended', { rule: each.alert.ruleId, reason });
      return [];
    }
  });
  return kept.flat();
}
