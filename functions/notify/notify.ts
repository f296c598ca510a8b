import type { Alert, Notification } from '../../shared/alerts/alert.ts';
import { isByHand } from '../../shared/alerts/answers.ts';
import { appOf } from '../../shared/alerts/app-alert.ts';
import { appsIn, type RuleSet } from '../../shared/deployments/rule-store.ts';
import { waitingForStart } from '../../shared/notifications/escalations.ts';
import { groupsOf } from '../../shared/notifications/groups.ts';
import { type Holds, holdsAt } from '../../shared/notifications/holds.ts';
import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import { type PendingNotification, plannedAt } from '../../shared/notifications/pending.ts';
import { LONGEST_WAIT_MS } from '../../shared/notifications/retries.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import { withNotes } from './compose.ts';
import { isWaiting } from './delivery-results.ts';
import { LoadedAlerts } from './loaded-alerts.ts';
import { dropObsolete, moveToReplacements, withoutRemovedRules } from './outdated.ts';
import { channelNamed, type GroupOutcome, sendGroup } from './send-group.ts';
import type { NotifyDeps, Ready, Sweep } from './sweep.ts';

/**
 * How long notifications wait for the rest of their tick, from its scheduled time, to be sent as one message. A tick
 * that takes longer is sent in several messages.
 */
const GROUP_WAIT_MS = 180_000;

/** A sweep starts no message after this, so that it ends before the function times out. */
const BEGIN_WITHIN_MS = 30_000;

/** A sweep leases and settles within this time, which leaves the channel a quarter of the function's minute. */
const WRITE_WITHIN_MS = 40_000;

/** The lock of the sweep: two at a time would split one message. After a crash it expires after `LOCK_MS`. */
const LOCK = 'notify';
const LOCK_MS = 70_000;

export interface NotifyResult {
  sent: PendingNotification[];
  failed: PendingNotification[];
}

/**
 * Sends pending notifications: one message per channel, route and group. A notification is leased before it is sent,
 * so that no two sweeps send it, and settled before the next message. After a failure or crash it stays pending, and a
 * later sweep sends it. So each message is sent at least once. Channels are served concurrently, so that a slow one
 * delays no other. Does nothing while another sweep holds the lock.
 */
export async function notifyPending(deps: NotifyDeps): Promise<NotifyResult> {
  const beganAt = deps.clock.now();
  const untilAt = beganAt + LOCK_MS;
  if (!(await deps.runs.takeLock(LOCK, beganAt, untilAt))) return { sent: [], failed: [] };
  try {
    return await sweepTwice(deps, beganAt);
  } finally {
    await releaseLock(untilAt, deps);
  }
}

/** Wake-ups that came during the first pass found the lock taken, so a second pass sends what became due. */
async function sweepTwice(deps: NotifyDeps, beganAt: number): Promise<NotifyResult> {
  const sweep = {
    ...deps,
    loadedAlerts: new LoadedAlerts(deps.alerts),
    beginUntilAt: beganAt + BEGIN_WITHIN_MS,
    writeUntilAt: beganAt + WRITE_WITHIN_MS,
    failing: new Set<string>(),
  };
  const first = await sendDue({ ...sweep, now: deps.clock.now() });
  const now = deps.clock.now();
  if (first.sent.length === 0 || now >= sweep.beginUntilAt) return first;
  return together([first, await sendDue({ ...sweep, now })]);
}

async function releaseLock(untilAt: number, { runs, logger }: NotifyDeps): Promise<void> {
  try {
    await runs.releaseLock(LOCK, untilAt);
  } catch (error) {
    logger.warn('the lock of the sweep could not be released; it expires by itself', {
      reason: errorText(error),
    });
  }
}

async function sendDue(begun: Omit<Sweep, 'ruleSet'>): Promise<NotifyResult> {
  const { alerts, loadedAlerts, now, rules, silences, meter } = begun;
  // Refused notifications are due later, but pending now.
  const withPending = loadedAlerts.newest(await alerts.loadPending(now + LONGEST_WAIT_MS));
  const ready = await readyToSend(withPending, now, begun);
  const overdue = withPending.filter((alert) => overdueNotifications(alert, now).length > 0);
  if (overdue.length === 0) meter.measure('OldestPendingSeconds', 0);
  // Loaded after the alerts, so that an alert of a rule added meanwhile does not count as one of a removed rule.
  const ids = new Set([...ready.map(({ alert }) => alert), ...overdue].map(({ ruleId }) => ruleId));
  const ruleSet = ids.size > 0 ? await rules.loadCurrent({ ids }) : undefined;
  if (!ruleSet) return { sent: [], failed: [] };
  const sweep = { ...begun, ruleSet };
  const watched = await moveToReplacements(await withoutRemovedRules(ready, sweep), sweep);
  const pending = await dropObsolete(pendingBy(watched, ruleSet), sweep);
  const holds = holdsAt(now, ruleSet.routes, await silences.loadAll());
  const waiting = await waitingAmong(pending, sweep);
  const waitsForStart = waitingForStart(withPending, holds, waiting, now);
  const sendable = pending
    .filter((each) => !holds.isHeld(each) && !waitsForStart(each) && !waiting.has(channelOf(each)))
    .map((each) => ({ ...each, heldBy: holds.heldBy(each) }));
  const byChannel = Map.groupBy(await withNotes(sendable, sweep), channelOf);
  const served = await Promise.allSettled([...byChannel].map(([name, own]) => serve(name, own, sweep)));
  if (overdue.length > 0) {
    // Alerts of rules that cannot be read wait for them, and those have their own alarm.
    const left = loadedAlerts
      .newest(overdue)
      .filter(({ ruleId }) => !ruleSet.unreadable?.includes(ruleId))
      .map((alert) => ({ alert, due: overdueNotifications(alert, now) }));
    const late = pendingBy(left, ruleSet).filter((each) => !waitsForStart(each));
    meter.measure('OldestPendingSeconds', oldestPendingSeconds(late, holds, now));
  }
  return together(
    served.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    }),
  );
}

function together(outcomes: NotifyResult[]): NotifyResult {
  return {
    sent: outcomes.flatMap(({ sent }) => sent),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

/** Alerts whose tick is complete or has waited long enough, with their due notifications. */
async function readyToSend(
  withPending: Alert[],
  now: number,
  { runs }: Pick<NotifyDeps, 'runs'>,
): Promise<Ready[]> {
  const due = withPending.map((alert) => ({ alert, due: dueNotifications(alert, now) }));
  const ticks = new Set(due.flatMap((each) => each.due.map(([, { tick }]) => tick)));
  const complete = new Set<string>();
  for (const tick of ticks) if (isByHand(tick) || (await runs.isTickComplete(tick))) complete.add(tick);
  return due.filter(
    (each) =>
      each.due.length > 0 &&
      each.due.every(([, { tick, since }]) => complete.has(tick) || now - since >= GROUP_WAIT_MS),
  );
}

const channelOf = ({ notification }: PendingNotification): string => notification.channel;

/** The channels of `pending` that have failed in this sweep or have asked to wait. */
async function waitingAmong(pending: PendingNotification[], sweep: Sweep): Promise<Set<string>> {
  const channels = [...new Set(pending.map(channelOf))];
  const waits = await Promise.all(
    channels.map(async (name) => sweep.failing.has(name) || isWaiting(name, sweep)),
  );
  return new Set(channels.filter((_, i) => waits[i]));
}

function pendingBy(ready: Ready[], ruleSet: RuleSet): PendingNotification[] {
  const byId = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const zones = new Map(appsIn(ruleSet).map((each) => [each.app, each.zones]));
  return ready.flatMap(({ alert, due }) => {
    const rule = byId.get(alert.ruleId);
    const [shared, ...others] = zones.get(appOf(alert) ?? '') ?? [];
    const zone = others.length === 0 ? shared : undefined;
    return due.map(([key, notification]): PendingNotification => ({ key, alert, notification, rule, zone }));
  });
}

/** Sends one message after another. If the channel fails, the rest waits for a later sweep. */
async function serve(name: string, pending: PendingNotification[], sweep: Sweep): Promise<NotifyResult> {
  const channel = await channelNamed(name, sweep);
  const outcomes: GroupOutcome[] = [];
  for (const group of groupsOf(pending, sweep.ruleSet.routes)) {
    if (sweep.clock.now() >= sweep.beginUntilAt) break;
    const outcome = await sendGroup({ name, channel }, group, sweep);
    outcomes.push(outcome);
    if (!outcome.isFailing) continue;
    sweep.failing.add(name);
    break;
  }
  return together(outcomes);
}

/** The notifications that should have been sent by `now`, by key. A reminder repeats what was sent already. */
function overdueNotifications({ pending }: Alert, now: number): [string, Notification][] {
  return Object.entries(pending).filter(
    ([, { transition, dueAt, attempts }]) => transition !== 'reminded' && (dueAt <= now || attempts > 0),
  );
}

/** The seconds since the oldest of these could be sent. 0 without notifications, or if all are held. */
function oldestPendingSeconds(overdue: PendingNotification[], holds: Holds, now: number): number {
  const since = overdue
    .filter((each) => !holds.isHeld(each))
    .map((each) => Math.max(plannedAt(each), holds.heldBy(each)?.untilAt ?? -Infinity));
  return Math.max(0, ...since.map((at) => (now - at) / 1000));
}
