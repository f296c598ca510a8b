import type { Channel, SendResult } from '../../shared/alerting/messages/channel.ts';
import { type Message, SHOWN } from '../../shared/alerting/messages/message.ts';
import { itemKeyOf } from '../../shared/alerting/messages/shared-cause-item.ts';
import type { Delivery } from '../../shared/alerting/notifications/delivery-log.ts';
import type { Group } from '../../shared/alerting/notifications/groups.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/owed.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { itemsIn, withinCapacity } from './channel-capacity.ts';
import { compose } from './compose.ts';
import { countStuck, isLate, isPartial, leaseAll, putOff, recordSent } from './delivery-results.ts';
import { nameOf } from './loaded-alerts.ts';
import type { Sweep } from './sweep.ts';

/** Attempts after which a message counts as stuck: it is some minutes late, and nobody has heard. */
const STUCK_AFTER = 3;

/** Keys that a delivery remembers. */
const REMEMBERED_KEYS = 20;

/** A channel, and how many more items it takes in this sweep. */
export interface Receiver {
  name: string;
  channel: Channel;
  room: number;
}

export interface GroupOutcome {
  sent: PendingNotification[];
  failed: PendingNotification[];
  /** Room for more in this sweep: none where the channel is in trouble, and the next message would fare no better. */
  room: number;
}

/** Takes what is owed, sends it as one message and strikes off what got through; the rest is due again later. */
export async function sendGroup(to: Receiver, group: Group, sweep: Sweep): Promise<GroupOutcome> {
  const { name, channel } = to;
  const { pending, isAll } = await takeWithin(group.pending, to.room, sweep);
  if (pending.length === 0) return { sent: [], failed: [], room: to.room };
  const shown = channel.takes === undefined ? SHOWN : pending.length;
  const message = await compose(pending, sweep.ruleSet.rules, sweep, shown);
  const result = await attempt(channel, message);
  const gotThrough = new Set(
    result.kind === 'refused' ? result.sentKeys : message.items.map(({ key }) => key),
  );
  const isSent = (each: PendingNotification) => gotThrough.has(itemKeyOf(each));
  const [sent, failed] = [pending.filter(isSent), pending.filter((each) => !isSent(each))];
  await Promise.all([recordSent(sent, sweep), result.kind === 'refused' && putOff(failed, result, sweep)]);
  report(name, { sent, failed }, result, sweep);
  await logDelivery(
    { channel: name, route: group.route, ...deliveryOf(message, pending), ...outcomeOf(result, sweep) },
    sweep,
  );
  const isOver = (result.kind === 'refused' && !result.permanent) || !isAll;
  return { sent, failed, room: isOver ? 0 : to.room - itemsIn(pending) };
}

/**
 * The most severe notifications that fit into `room` and can be taken. Alerts that cannot be saved would else fill the
 * room of every sweep. `isAll`: nothing is left out for want of room.
 */
async function takeWithin(
  all: PendingNotification[],
  room: number,
  sweep: Sweep,
): Promise<{ pending: PendingNotification[]; isAll: boolean }> {
  for (let left = all; ; ) {
    const within = withinCapacity(left, room);
    const pending = await leaseAll(within, sweep);
    if (pending.length > 0 || within.length === left.length)
      return { pending, isAll: within.length === left.length };
    left = left.filter((each) => !within.includes(each));
  }
}

/** The channel of this name. One that cannot be made is one that fails: the others must still be served. */
export async function receiverNamed(
  name: string,
  { ruleSet, channelFor }: Pick<Sweep, 'ruleSet' | 'channelFor'>,
): Promise<Receiver> {
  try {
    const config = ruleSet.routes.channels[name];
    if (!config) throw new ConfigError(`rules/routes.yaml has no channel "${name}"`);
    const channel = await channelFor(config, name);
    return { name, channel, room: channel.takes ?? Infinity };
  } catch (error) {
    return { name, channel: { send: () => Promise.reject(error) }, room: Infinity };
  }
}

export async function attempt(channel: Channel, message: Message): Promise<SendResult> {
  try {
    return await channel.send(message);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return { kind: 'refused', permanent: false, reason };
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
  const isStuck = (each: PendingNotification) =>
    result.permanent ||
    each.notification.attempts >= STUCK_AFTER ||
    (each.notification.attempts > 1 && isLate(each, sweep));
  if (!isPartial(result)) countStuck(failed.filter(isStuck), sweep);
  const fields = { channel, messages: failed.length, reason: result.reason };
  logger.error('a message could not be sent and stays owed', fields);
}

function deliveryOf({ title, items }: Message, pending: PendingNotification[]) {
  const alerts = new Set(pending.map(({ alert }) => nameOf(alert))).size;
  return { title, alerts, keys: items.slice(0, REMEMBERED_KEYS).map(({ key }) => key) };
}

function outcomeOf(result: SendResult, { clock }: Sweep): Pick<Delivery, 'at' | 'outcome'> {
  const at = clock.now();
  if (result.kind !== 'refused') return { at, outcome: result };
  const { reason, permanent } = result;
  return { at, outcome: { kind: 'failed', reason, permanent } };
}

/** For people to look at: that it cannot be kept is no reason to send anything twice. */
async function logDelivery(delivery: Delivery, { deliveries, logger }: Sweep): Promise<void> {
  try {
    await deliveries.save(delivery);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    logger.warn('a delivery could not be logged', { channel: delivery.channel, reason });
  }
}
