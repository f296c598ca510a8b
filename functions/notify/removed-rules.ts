import { endRemovedRule, watchedBy } from '../../shared/deployments/removed-rules.ts';
import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import { eachOf } from './loaded-alerts.ts';
import type { Ready, Sweep } from './sweep.ts';

/**
 * Ends the alerts of removed rules: only their end is sent. An alert that cannot be saved waits for the next sweep. An
 * alert of a rule that cannot be read waits until the rule can be read.
 */
export async function withoutRemovedRules(ready: Ready[], sweep: Sweep): Promise<Ready[]> {
  const { loadedAlerts, now, ruleSet, logger } = sweep;
  const isWatched = watchedBy(ruleSet);
  const kept = await eachOf(ready, async (each) => {
    if (ruleSet.unreadable?.includes(each.alert.ruleId)) return [];
    if (isWatched(each.alert)) return [each];
    try {
      const alert = await loadedAlerts.change(each.alert, (stored) =>
        endRemovedRule(stored, ruleSet.routes, now),
      );
      return alert ? [{ alert, due: dueNotifications(alert, now) }] : [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      logger.error('the alert of a removed rule could not be ended', { rule: each.alert.ruleId, reason });
      return [];
    }
  });
  return kept.flat();
}
