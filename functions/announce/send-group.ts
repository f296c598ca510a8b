import type { Alert } from '../../shared/alerting/alert.ts';
import { postpone, settle, take, waitAfter } from '../../shared/alerting/debts.ts';
import type { Group } from '../../shared/alerting/groups.ts';
import { itemKeyOf } from '../../shared/alerting/joint-cause-item.ts';
import type { Message, Owed } from '../../shared/alerting/message.ts';
import type { Delivery, Refusal, SendResult } from '../../shared/alerting/ports.ts';
import { settingsOf } from '../../shared/alerting/routes.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { eachOf, nameOf } from './alert-book.ts';
import type { Sweep } from './announce.ts';
import { compose } from './compose.ts';

/** How long one announcer may take to send; after that what it took is due again. */
const LEASE_MS = 120_000;

/** Attempts after which a message counts as stuck: it is some minutes late, and nobody has heard. */
const STUCK_AFTER = 3;

/** A channel that refuses for good is tried again this much later: a person may have mended it. */
const REFUSED_WAIT_MS = 3_600_000;

/** Keys that a delivery remembers. */
const REMEMBERED_KEYS = 20;

export interface GroupOutcome {
  sent: Owed[];
  failed: Owed[];
  /** Whether the channel is in trouble, and the next message would fare no better. */
  isInTrouble: boolean;
}

/** Takes what is owed, sends it as one message and strikes off what got through; the rest is due again later. */
export async function sendGroup(channel: string, group: Group, sweep: Sweep): Promise<GroupOutcome> {
  const owed = await takeAll(group.owed, sweep);
  if (owed.length === 0) return { sent: [], failed: [], isInTrouble: false };
  const message = await compose(owed, sweep.ruleSet.rules, sweep);
  const result = await attempt(channel, message, sweep);
  const gotThrough = new Set(
    result.kind === 'refused' ? result.sentKeys : message.items.map(({ key }) => key),
  );
  const isSent = (each: Owed) => gotThrough.has(itemKeyOf(each));
  const [sent, failed] = [owed.filter(isSent), owed.filter((each) => !isSent(each))];
  await Promise.all([strikeOff(sent, sweep), result.kind === 'refused' && putOff(failed, result, sweep)]);
  report(channel, { sent, failed }, result, sweep);
  await logDelivery(
    { channel, route: group.route, ...deliveryOf(message, owed), ...outcomeOf(result, sweep) },
    sweep,
  );
  const isInTrouble = result.kind === 'refused' && !result.permanent;
  return { sent, failed, isInTrouble };
}

/** What was still owed, with its alert as it is now: from here on nobody else sends it. */
async function takeAll(owed: Owed[], { book, now, clock }: Sweep): Promise<Owed[]> {
  const causes = new Map(owed.flatMap(({ key, debt }) => (debt.cause ? [[key, debt.cause] as const] : [])));
  const byAlert = [...Map.groupBy(owed, ({ alert }) => nameOf(alert)).values()];
  const taken = await eachOf(byAlert, async (own) => {
    const [first] = own;
    if (!first) return [];
    let still: Owed[] = [];
    const alert = await book.change(first.alert, (stored) => {
      still = own.filter(({ key }) => (stored.owed[key]?.dueAt ?? Infinity) <= now);
      const keys = still.map(({ key }) => key);
      return take(stored, keys, clock.now() + LEASE_MS, causes);
    });
    return still.flatMap((each) => {
      const debt = alert?.owed[each.key];
      return alert && debt ? [{ ...each, alert, debt }] : [];
    });
  });
  return taken.flat();
}

/** A channel that throws is one that failed: the others must still be served. */
async function attempt(name: string, message: Message, { ruleSet, channelFor }: Sweep): Promise<SendResult> {
  try {
    const config = ruleSet.routes.channels[name];
    if (!config) throw new ConfigError(`rules/routes.yaml has no channel "${name}"`);
    const channel = await channelFor(config);
    return await channel.send(message);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return { kind: 'refused', permanent: false, reason };
  }
}

async function strikeOff(sent: Owed[], sweep: Sweep): Promise<void> {
  const sentAt = sweep.clock.now();
  const { routes, rules } = sweep.ruleSet;
  const quiet = new Set(rules.filter((rule) => rule.quiet).map(({ id }) => id));
  await change(sent, sweep, (alert, { key, debt }) => {
    const repeat = quiet.has(alert.ruleId) ? undefined : settingsOf(debt.route, routes).repeat;
    return settle(alert, key, sentAt, repeat);
  });
}

async function putOff(failed: Owed[], refusal: Refusal, sweep: Sweep): Promise<void> {
  const now = sweep.clock.now();
  await change(failed, sweep, (alert, { key, debt }) => {
    const wait = refusal.permanent ? REFUSED_WAIT_MS : waitAfter(isPartial(refusal) ? 1 : debt.attempts);
    const dueAt = now + Math.max(wait, refusal.retryAfterMs ?? 0);
    // One that takes items one by one may have failed for this one in another way.
    return postpone(alert, key, dueAt, refusal.permanent && refusal.sentKeys === undefined);
  });
}

/** A channel that takes items one by one may take more of them the next time. */
function isPartial({ permanent, sentKeys = [] }: Refusal): boolean {
  return !permanent && sentKeys.length > 0;
}

async function change(
  owed: Owed[],
  { book }: Sweep,
  changed: (alert: Alert, owed: Owed) => Alert,
): Promise<void> {
  const byAlert = [...Map.groupBy(owed, ({ alert }) => nameOf(alert)).values()];
  await eachOf(byAlert, async (own) => {
    const [first] = own;
    if (first) await book.change(first.alert, (stored) => own.reduce(changed, stored));
  });
}

function report(
  channel: string,
  { sent, failed }: { sent: Owed[]; failed: Owed[] },
  result: SendResult,
  { meter, logger }: Sweep,
): void {
  if (sent.length > 0) meter.count('AnnouncementsSent', sent.length);
  if (result.kind === 'sent') return;
  const isStuck = ({ debt }: Owed) => result.permanent || debt.attempts >= STUCK_AFTER;
  const stuck = isPartial(result) ? [] : failed.filter(isStuck);
  if (stuck.length > 0) meter.count('AnnouncementsStuck', stuck.length);
  const fields = { channel, messages: failed.length, reason: result.reason };
  logger.error('a message could not be sent and stays owed', fields);
}

function deliveryOf({ title, items }: Message, owed: Owed[]) {
  const alerts = new Set(owed.map(({ alert }) => nameOf(alert))).size;
  return { title, alerts, keys: items.slice(0, REMEMBERED_KEYS).map(({ key }) => key) };
}

function outcomeOf(result: SendResult, { clock }: Sweep): Pick<Delivery, 'at' | 'outcome'> {
  const at = clock.now();
  if (result.kind === 'sent') return { at, outcome: { kind: 'sent' } };
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
