import type { Alert } from '../../shared/alerts/alert.ts';
import type { Receipts, Refusal } from '../../shared/messages/channel.ts';
import { itemKeyOf } from '../../shared/messages/message.ts';
import { settle, take } from '../../shared/notifications/delivery.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { LONGEST_WAIT_MS, postpone, retryAt } from '../../shared/notifications/retries.ts';
import { routeOf, settingsOf } from '../../shared/notifications/routes.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import { eachOf, nameOf } from './loaded-alerts.ts';
import type { Sweep } from './sweep.ts';

/** How long a lease lasts. After it, notifications that were not settled are due again. */
const LEASE_MS = 120_000;

/** Pauses before retries of writes after a message was sent. */
const PAUSES_MS = [100, 400, 1600];

/**
 * Leases the notifications that are still pending, so that no other sweep sends them. Returns these, with their current
 * alerts. The next sweep retries notifications that cannot be leased, or not in time; all others are sent.
 */
export async function leaseAll(pending: PendingNotification[], sweep: Sweep): Promise<PendingNotification[]> {
  const { clock, writeUntilAt, logger } = sweep;
  // Settling takes as long as leasing.
  const untilAt = (clock.now() + writeUntilAt) / 2;
  const left: { own: PendingNotification[]; error: unknown }[] = [];
  const taken = await eachOf(byAlert(pending), async (own) => {
    if (clock.now() >= untilAt) return [];
    try {
      return await takeOne(own, sweep);
    } catch (error) {
      left.push({ own, error });
      return [];
    }
  });
  const [first] = left;
  if (first)
    logger.error('alerts could not be leased; the next sweep retries them', {
      alerts: left.length,
      reason: errorText(first.error),
    });
  return taken.flat();
}

/** `own`: the pending notifications of one alert. */
async function takeOne(
  own: PendingNotification[],
  { loadedAlerts, now, clock }: Sweep,
): Promise<PendingNotification[]> {
  const [first] = own;
  if (!first) return [];
  let still: PendingNotification[] = [];
  const alert = await loadedAlerts.change(first.alert, (stored) => {
    still = own.filter(({ key }) => (stored.pending[key]?.dueAt ?? Infinity) <= now);
    const keys = still.map(({ key }) => key);
    return take(stored, keys, clock.now() + LEASE_MS);
  });
  return still.flatMap((each) => {
    const notification = alert?.pending[each.key];
    return alert && notification ? [{ ...each, alert, notification }] : [];
  });
}

/** Removes sent notifications, keeps their receipts, and schedules a reminder if the route repeats. */
export async function recordSent(
  sent: PendingNotification[],
  receipts: Receipts | undefined,
  sweep: Sweep,
): Promise<void> {
  const sentAt = sweep.clock.now();
  const { routes, rules } = sweep.ruleSet;
  const quiet = new Set(rules.filter((rule) => rule.quiet).map(({ id }) => id));
  await changeAll(sent, sweep, (alert, each) => {
    const repeat = quiet.has(alert.ruleId) ? undefined : settingsOf(routeOf(each, routes), routes).repeat;
    return settle(alert, each.key, sentAt, { repeat, receipt: receipts?.get(itemKeyOf(each)) });
  });
}

/** Schedules a retry. The wait grows with each attempt, and is at least what the channel asks for. */
export async function putOff(failed: PendingNotification[], refusal: Refusal, sweep: Sweep): Promise<void> {
  const now = sweep.clock.now();
  await changeAll(failed, sweep, (alert, { key, notification }) => {
    const dueAt = retryAt(now, isPartial(refusal) ? 1 : notification.attempts, refusal);
    // A channel that takes items one by one may have failed differently for this item.
    return postpone(alert, key, dueAt, refusal.permanent && refusal.sentKeys === undefined);
  });
}

type Waits = Pick<Sweep, 'runs' | 'clock' | 'logger'>;

/** Held while a channel waits. */
const waitOf = (channel: string): string => `wait#${channel}`;

/** A channel that asks to wait gets no digest and no message of any alert for that long, an hour at most. */
export async function waitAsAsked(
  channel: string,
  { permanent, retryAfterMs = 0 }: Refusal,
  { runs, clock, logger }: Waits,
): Promise<void> {
  if (permanent || retryAfterMs === 0) return;
  const untilAt = clock.now() + Math.min(LONGEST_WAIT_MS, retryAfterMs);
  try {
    // A shorter wait becomes this one.
    await runs.takeLock(waitOf(channel), untilAt, untilAt);
  } catch (error) {
    logger.warn('the wait of a channel could not be saved', { channel, reason: errorText(error) });
  }
}

export async function isWaiting(channel: string, { runs, clock }: Waits): Promise<boolean> {
  // A lock that has expired is one that a run with a slower clock can take.
  return !(await runs.takeLock(waitOf(channel), clock.now(), 0));
}

/** The channel takes items one by one, and took some. It may take more in the next attempt. */
export function isPartial({ permanent, sentKeys = [] }: Refusal): boolean {
  return !permanent && sentKeys.length > 0;
}

/** Changes many alerts. Failed writes are retried, and do not block others. */
export async function changeAll(
  pending: PendingNotification[],
  { loadedAlerts, clock, logger }: Sweep,
  changed: (alert: Alert, pending: PendingNotification) => Alert,
): Promise<void> {
  let reason = '';
  const failing = async (own: PendingNotification[]) => {
    try {
      const [first] = own;
      if (first) await loadedAlerts.change(first.alert, (stored) => own.reduce(changed, stored));
      return [];
    } catch (error) {
      reason = errorText(error);
      return [own];
    }
  };
  let left = (await eachOf(byAlert(pending), failing)).flat();
  for (const pause of PAUSES_MS) {
    if (left.length === 0) return;
    await clock.sleep(pause);
    left = (await eachOf(left, failing)).flat();
  }
  if (left.length > 0)
    logger.error('alerts could not be saved after their message was sent; it may be sent again', {
      alerts: left.length,
      reason,
    });
}

function byAlert(pending: PendingNotification[]): PendingNotification[][] {
  return [...Map.groupBy(pending, ({ alert }) => nameOf(alert)).values()];
}
