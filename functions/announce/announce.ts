import type { Alert } from '../../shared/alerting/alert.ts';
import { isLeased, postpone, settle } from '../../shared/alerting/debts.ts';
import { messageFor, type Owed } from '../../shared/alerting/message.ts';
import type { AlertStore, Channel, RuleStore, RunStore, SendResult } from '../../shared/alerting/ports.ts';
import type { ChannelConfig, Routes } from '../../shared/alerting/routes.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';

/** How long messages wait for the rest of their tick, so that one message can tell of all of it. */
const GROUP_WAIT_MS = 60_000;

/** How long one announcer may take to send; after that its alerts are free for another. */
const LEASE_MS = 120_000;

/** A channel that refuses for good is tried again this much later: a person may have mended it. */
const REFUSED_WAIT_MS = 3_600_000;

export interface AnnounceDeps {
  rules: RuleStore;
  alerts: AlertStore;
  runs: RunStore;
  channelFor: (config: ChannelConfig) => Promise<Channel>;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/**
 * Sends what is owed: one message per channel for all alerts that owe it one. A message is struck off only after
 * it was sent; whatever fails or crashes before stays owed and is found by the next sweep. So each message is
 * sent at least once, and the lease keeps two announcers from sending the same.
 */
export async function announceOwed(deps: AnnounceDeps): Promise<{ sent: Owed[]; failed: Owed[] }> {
  const ruleSet = await deps.rules.loadCurrent();
  if (!ruleSet) return { sent: [], failed: [] };
  const due = await readyToSend(await deps.alerts.loadOwing(deps.clock.now()), deps);
  const leased = (await Promise.all(due.map((alert) => lease(alert, deps)))).flatMap((alert) => alert ?? []);
  const rules = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const owed = leased.flatMap((alert) =>
    Object.entries(alert.owed)
      .filter(([, debt]) => debt.dueAt <= deps.clock.now())
      .map(([key, debt]): Owed => ({ key, alert, debt, rule: rules.get(alert.ruleId) })),
  );
  const outcomes = new Map<string, SendResult>();
  for (const [channel, debts] of Map.groupBy(owed, ({ debt }) => debt.channel)) {
    const result = await sendTo(channel, debts, ruleSet.routes, deps);
    for (const { key } of debts) outcomes.set(key, result);
  }
  await Promise.all(leased.map((alert) => release(alert, outcomes, deps)));
  const wasSent = ({ key }: Owed) => outcomes.get(key)?.kind === 'sent';
  return { sent: owed.filter(wasSent), failed: owed.filter((each) => !wasSent(each)) };
}

/** Alerts nobody else is sending, whose tick is complete or has waited long enough. */
async function readyToSend(owing: Alert[], { runs, clock }: AnnounceDeps): Promise<Alert[]> {
  const now = clock.now();
  const free = owing.filter((alert) => !isLeased(alert, now));
  const ticks = new Set(free.flatMap((alert) => Object.values(alert.owed).map(({ tick }) => tick)));
  const complete = new Set<string>();
  for (const tick of ticks) if (await runs.isTickComplete(tick)) complete.add(tick);
  return free.filter((alert) =>
    Object.values(alert.owed).every(({ tick, since }) => complete.has(tick) || now - since >= GROUP_WAIT_MS),
  );
}

async function lease(alert: Alert, { alerts, clock }: AnnounceDeps): Promise<Alert | undefined> {
  try {
    return await alerts.save({ ...alert, leasedUntilAt: clock.now() + LEASE_MS });
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}

async function sendTo(name: string, owed: Owed[], routes: Routes, deps: AnnounceDeps): Promise<SendResult> {
  const result = await attempt(name, owed, routes, deps);
  if (result.kind === 'sent') deps.meter.count('AnnouncementsSent', owed.length);
  else {
    deps.meter.count('AnnouncementsFailed', owed.length);
    deps.logger.error('a message could not be sent and stays owed', {
      channel: name,
      messages: owed.length,
      reason: result.reason,
    });
  }
  return result;
}

/** A channel that throws is one that failed: the others must still be served. */
async function attempt(name: string, owed: Owed[], routes: Routes, deps: AnnounceDeps): Promise<SendResult> {
  const config = routes.channels[name];
  if (!config)
    return {
      kind: 'refused',
      permanent: true,
      reason: `rules/routes.yaml has no channel "${name}" any more`,
    };
  try {
    const channel = await deps.channelFor(config);
    return await channel.send(messageFor(owed));
  } catch (error) {
    return {
      kind: 'refused',
      permanent: false,
      reason: error instanceof Error ? error.message : 'unknown error',
    };
  }
}

/** Strikes what was sent, puts off what was not, and frees the alert, whatever was saved to it meanwhile. */
async function release(leased: Alert, outcomes: Map<string, SendResult>, deps: AnnounceDeps): Promise<void> {
  let alert: Alert | undefined = leased;
  while (alert) {
    try {
      await deps.alerts.save({ ...settled(alert, outcomes, deps.clock.now()), leasedUntilAt: null });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      [alert] = await deps.alerts.load([alert]);
    }
  }
}

function settled(alert: Alert, outcomes: Map<string, SendResult>, now: number): Alert {
  return Object.keys(alert.owed).reduce((each, key) => {
    const outcome = outcomes.get(key);
    if (!outcome) return each;
    if (outcome.kind === 'sent') return settle(each, key, now);
    return postpone(each, key, now, outcome.permanent ? REFUSED_WAIT_MS : outcome.retryAfterMs);
  }, alert);
}
