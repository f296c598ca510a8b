import type { Alert, Notification } from '../alerts/alert.ts';
import { notificationKey } from './notification-key.ts';
import { withNotifications } from './pending-set.ts';
import { type Routes, replacementFor } from './routes.ts';

/** Whether its channel was renamed or removed. */
export function isReplaced({ channel }: Notification, routes: Routes): boolean {
  return replacementFor(channel, routes) !== channel;
}

/**
 * The alert with its pending notifications moved from renamed and removed channels to their replacements. Reminders,
 * answers and the end then follow on the channel that gets the beginning. `mayMove`: by default all.
 */
export function withReplacedChannels(
  alert: Alert,
  routes: Routes,
  mayMove: (notification: Notification) => boolean = () => true,
): Alert {
  const isMoved = (each: Notification) => isReplaced(each, routes) && mayMove(each);
  const all = Object.entries(alert.pending);
  const moved = all.filter(([, each]) => isMoved(each));
  if (moved.length === 0) return alert;
  const entries = [
    ...moved.map(([, each]) => {
      const next = { ...each, channel: replacementFor(each.channel, routes) };
      return [notificationKey(alert, next), next] as const;
    }),
    ...all.filter(([, each]) => !isMoved(each)),
  ].map(([key, each]) => [key, withStartsOf(each, routes)] as const);
  // Of two that are the same on one channel, its own one counts, and the start instead of its escalation.
  const byUrgency = entries.toSorted(([, a], [, b]) => waitOf(b) - waitOf(a));
  return withNotifications(alert, Object.fromEntries(byUrgency));
}

/** An escalation also follows the starts that moved. */
function withStartsOf(notification: Notification, routes: Routes): Notification {
  const { startChannels: own } = notification;
  if (!own) return notification;
  const startChannels = [...new Set([...own, ...own.map((channel) => replacementFor(channel, routes))])];
  return { ...notification, startChannels };
}

const waitOf = ({ escalatedAfterMinutes = 0 }: Notification): number => escalatedAfterMinutes;
