import { appsIn } from '../../shared/deployments/rule-store.ts';
import type { Channel, SendResult } from '../../shared/messages/channel.ts';
import { itemKeyOf, type Message } from '../../shared/messages/message.ts';
import type { Delivery } from '../../shared/notifications/delivery-log.ts';
import type { Group } from '../../shared/notifications/groups.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { ConfigError, errorText } from '../../shared/runtime/errors.ts';
import { compose } from './compose.ts';
import { isPartial, leaseAll, putOff, recordSent, waitAsAsked } from './delivery-results.ts';
import { nameOf } from './loaded-alerts.ts';
import type { Sweep } from './sweep.ts';

/** Failed attempts after which a notification counts as stuck: it is some minutes late. */
const STUCK_AFTER = 3;

/** The number of item keys in a logged delivery. */
const REMEMBERED_KEYS = 20;

export interface GroupOutcome {
  sent: PendingNotification[];
  failed: PendingNotification[];
  /** Whether the next message would fail too. */
  isFailing: boolean;
}

/** Leases the notifications, sends them as one message and settles the accepted ones. The rest are retried later. */
export async function sendGroup(
  { name, channel }: { name: string; channel: Channel },
  group: Group,
  sweep: Sweep,
): Promise<GroupOutcome> {
  const pending = await leaseAll(group.pending, sweep);
  if (pending.length === 0) return { sent: [], failed: [], isFailing: false };
  const message = await compose(pending, appsIn(sweep.ruleSet), sweep);
  const result = await attempt(channel, message);
  const gotThrough = new Set(
    result.kind === 'refused' ? result.sentKeys : message.items.map(({ key }) => key),
  );
  const isSent = (each: PendingNotification) => gotThrough.has(itemKeyOf(each));
  const [sent, failed] = [pending.filter(isSent), pending.filter((each) => !isSent(each))];
  await Promise.all([
    recordSent(sent, result.receipts, sweep),
    result.kind === 'refused' && putOff(failed, result, sweep),
    result.kind === 'refused' && waitAsAsked(name, result, sweep),
  ]);
  report(name, { sent, failed }, result, sweep);
  await logDelivery(
    { channel: name, route: group.route, ...deliveryOf(message, pending), ...outcomeOf(result, sweep) },
    sweep,
  );
  return { sent, failed, isFailing: result.kind === 'refused' && !result.permanent };
}

/** The channel of this name. If it cannot be created, it fails on send, so that the others are still served. */
export async function channelNamed(
  name: string,
  { ruleSet, channelFor }: Pick<Sweep, 'ruleSet' | 'channelFor'>,
): Promise<Channel> {
  try {
    const config = ruleSet.routes.channels[name];
    if (!config) throw new ConfigError(`rules/routes.yaml has no channel "${name}"`);
    return await channelFor(config, name);
  } catch (error) {
    return { send: () => Promise.reject(error) };
  }
}

export async function attempt(channel: Channel, message: Message): Promise<SendResult> {
  try {
    return await channel.send(message);
  } catch (error) {
    return { kind: 'refused', permanent: false, reason: errorText(error) };
  }
}

function report(
  channel: string,
  { sent, failed }: { sent: PendingNotification[]; failed: PendingNotification[] },
  result: SendResult,
  sweep: Sweep,
): void {
  const { meter, logger } = sweep;
  if (sent.length > 0) meter.count('NotificationsSent', sent.length);
  if (result.kind !== 'refused') return;
  const isStuck = ({ notification }: PendingNotification) =>
    result.permanent || notification.attempts >= STUCK_AFTER;
  const stuck = isPartial(result) ? [] : failed.filter(isStuck);
  if (stuck.length > 0) meter.count('NotificationsStuck', stuck.length);
  const fields = { channel, messages: failed.length, reason: result.reason };
  logger.error('a message could not be sent; it stays pending', fields);
}

function deliveryOf({ title, items }: Message, pending: PendingNotification[]) {
  const alerts = new Set(pending.map(({ alert }) => nameOf(alert))).size;
  return { title, alerts, keys: items.slice(0, REMEMBERED_KEYS).map(({ key }) => key) };
}

export function outcomeOf(
  result: SendResult,
  { clock }: Pick<Sweep, 'clock'>,
): Pick<Delivery, 'at' | 'outcome'> {
  const at = clock.now();
  if (result.kind === 'sent') return { at, outcome: { kind: 'sent' } };
  if (result.kind === 'kept') return { at, outcome: { kind: 'kept', reason: result.reason } };
  const { reason, permanent } = result;
  return { at, outcome: { kind: 'failed', reason, permanent } };
}

/** Failing here would send the message again, and the log is only for people to read. */
export async function logDelivery(
  delivery: Delivery,
  { deliveries, logger }: Pick<Sweep, 'deliveries' | 'logger'>,
): Promise<void> {
  try {
    await deliveries.save(delivery);
  } catch (error) {
    logger.warn('a delivery could not be logged', { channel: delivery.channel, reason: errorText(error) });
  }
}
