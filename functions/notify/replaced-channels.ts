import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import { isReplaced, withReplacedChannels } from '../../shared/notifications/replaced-channels.ts';
import { eachOf } from './loaded-alerts.ts';
import type { Ready, Sweep } from './sweep.ts';

/** Moves notifications of renamed and removed channels to their replacements. An alert that cannot be saved waits. */
export async function moveToReplacements(ready: Ready[], sweep: Sweep): Promise<Ready[]> {
  const { loadedAlerts, now, ruleSet, logger } = sweep;
  const moved = await eachOf(ready, async (each) => {
    const pending = Object.values(each.alert.pending);
    if (!pending.some((notification) => isReplaced(notification, ruleSet.routes))) return [each];
    try {
      const alert = await loadedAlerts.change(each.alert, (stored) =>
        withReplacedChannels(stored, ruleSet.routes),
      );
      return alert ? [{ alert, due: dueNotifications(alert, now) }] : [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      logger.error('notifications of a removed channel could not be moved', {
        rule: each.alert.ruleId,
        reason,
      });
      return [];
    }
  });
  return moved.flat();
}
