import { type Alert, debtKey } from '../../shared/alerting/alert.ts';
import type { ChannelConfig } from '../../shared/alerting/channels.ts';
import { isLeased, postpone, settle } from '../../shared/alerting/debts.ts';
import { messageFor, type Owed } from '../../shared/alerting/message.ts';
import type { AlertStore, Channel, RuleStore, RunStore, SendResult } from '../../shared/alerting/ports.ts';
import type { Routes } from '../../shared/alerting/routes.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';

/**
 * How long messages wait for the rest of their tick, counted from its scheduled time, so that one message can tell of
 * all of it. A tick that takes longer is told in parts.
 */
const GROUP_WAIT_MS = 180_000;

/** How long one announcer may take to send; after that its alerts are free for another. */
const LEASE_MS = 120_000;

/** Attempts after which a message counts as stuck: it is some minutes late, and nobody has heard. */
const STUCK_AFTER = 3;

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
 * Sends what is owed: one message per channel for all alerts that owe it one. A message is struck off only after it was
 * sent, and before the next channel is tried; whatever fails or crashes before stays owed and is found by the next
 * sweep. So each message is sent at least once, and the lease keeps two announcers from sending the same.
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
  const sent: Owed[] = [];
  const failed: Owed[] = [];
  const byChannel = Map.groupBy(owed, ({ debt }) => existing(debt.channel, ruleSet.routes));
  const lastChannel = new Map<Alert, string>();
  for (const [channel, debts] of byChannel) for (const { alert } of debts) lastChannel.set(alert, channel);
  for (const [channel, debts] of byChannel) {
    const result = await sendTo(channel, debts, ruleSet.routes, deps);
    (result.kind === 'sent' ? sent : failed).push(...debts);
    const recorded = [...Map.groupBy(debts, ({ alert }) => alert)].map(([alert, own]) =>
      record(alert, own, { result, isLast: lastChannel.get(alert) === channel }, deps),
    );
    await Promise.all(recorded);
  }
  return { sent, failed };
}

/** A channel that was renamed or removed is stood in for by the default: nothing goes unheard. */
function existing(channel: string, routes: Routes): string {
  return routes.channels[channel] ? channel : (routes.default[0] ?? channel);
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
  if (result.kind === 'sent') {
    deps.meter.count('AnnouncementsSent', owed.length);
    return result;
  }
  const stuck = owed.filter(({ debt }) => result.permanent || debt.attempts + 1 >= STUCK_AFTER);
  if (stuck.length > 0) deps.meter.count('AnnouncementsStuck', stuck.length);
  const fields = { channel: name, messages: owed.length, reason: result.reason };
  deps.logger.error('a message could not be sent and stays owed', fields);
  return result;
}

/** A channel that throws is one that failed: the others must still be served. */
async function attempt(name: string, owed: Owed[], routes: Routes, deps: AnnounceDeps): Promise<SendResult> {
  try {
    const config = routes.channels[name];
    if (!config) throw new ConfigError(`rules/routes.yaml has no channel "${name}"`);
    const channel = await deps.channelFor(config);
    return await channel.send(messageFor(distinct(owed)));
  } catch (error) {
    return {
      kind: 'refused',
      permanent: false,
      reason: error instanceof Error ? error.message : 'unknown error',
    };
  }
}

/** A channel that stands in for another may be owed the same twice. */
function distinct(owed: Owed[]): Owed[] {
  const identity = ({ alert, debt }: Owed) => debtKey(alert, { ...debt, channel: '' });
  return [...new Map(owed.map((each) => [identity(each), each])).values()];
}

/**
 * Strikes what was sent from the alert or puts off what was not, whatever was saved to it meanwhile; frees it after its
 * last message.
 */
async function record(
  leased: Alert,
  owed: Owed[],
  { result, isLast }: { result: SendResult; isLast: boolean },
  deps: AnnounceDeps,
): Promise<void> {
  const now = deps.clock.now();
  let [alert] = await deps.alerts.load([leased]);
  while (alert) {
    const told = owed.reduce((each, { key }) => settledBy(each, key, result, now), alert);
    try {
      await deps.alerts.save({ ...told, leasedUntilAt: isLast ? null : alert.leasedUntilAt });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      [alert] = await deps.alerts.load([leased]);
    }
  }
}

function settledBy(alert: Alert, key: string, result: SendResult, now: number): Alert {
  if (result.kind === 'sent') return settle(alert, key, now);
  return postpone(alert, key, now, result.permanent ? REFUSED_WAIT_MS : result.retryAfterMs);
}
