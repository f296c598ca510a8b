import { readingFrom } from '../../functions/check-rules/read-families.ts';
import type { ReplayedGap, ReplayedWindow } from '../../local/replay/replayed.ts';
import { createSystem, type Run, runsBetween, type System } from '../../local/system.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { Message } from '../../shared/messages/message.ts';
import { isUnsentEscalation } from '../../shared/notifications/escalations.ts';
import { notificationKey } from '../../shared/notifications/notification-key.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import { coveredUntil } from '../../shared/time/route-calendar.ts';
import { lastClosedWindow } from '../../shared/time/window.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import type { BoundTest } from './bind-test.ts';
import { seriesSource } from './series-source.ts';

/** Failures show in the notifications and in unevaluated windows. */
const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Limit of the wait for a run after the last figure: over a month, for monthly rules. */
const PATIENCE_MS = 40 * DAY_MS;

/** A notification, once for all its channels, and its time. */
export interface NotifiedAlert {
  at: number;
  pending: PendingNotification;
}

export interface SentMessage {
  at: number;
  channel: string;
  message: Message;
}

/** The outcome of running a test. */
export interface Outcome {
  notified: NotifiedAlert[];
  messages: SentMessage[];
  evaluated: ReplayedWindow[];
  unevaluated: ReplayedGap[];
}

/** Runs the functions that run in AWS on the figures of a test, run by run and sweep by sweep. */
export async function runTest(test: BoundTest): Promise<Outcome> {
  const { ruleSet, series, silences } = test;
  const clock = new ManualClock(test.startsAt);
  const outcome: Outcome = { notified: [], messages: [], evaluated: [], unevaluated: [] };
  const { messages, evaluated, unevaluated } = outcome;
  const source = seriesSource(series, clock);
  const stores = inMemoryStores();
  const { alerts } = stores;
  const system = createSystem({
    stores: {
      ...stores,
      // One rule set for all runs, because its facts are cached by identity.
      rules: { ...stores.rules, loadCurrent: async () => ruleSet },
      // A test names its own events, so no owner is notified that a rule is new and matches nothing.
      alerts: {
        ...alerts,
        save: ({ unmatched, ...alert }) =>
          alerts.save({ ...alert, unmatched: unmatched && { ...unmatched, isNew: false } }),
      },
    },
    clock,
    sourceFor: () => source,
    // Calendars are cached from run to run.
    readFamilies: readingFrom(source, stores.readings, () => clock.now()),
    channelFor: async (_, channel) => ({
      async send(message) {
        messages.push({ at: clock.now(), channel, message });
        return { kind: 'sent' };
      },
    }),
    findings: {
      evaluated: ({ ruleId, segment }, evaluation, state) =>
        void evaluated.push({ kind: 'evaluated', at: clock.now(), ruleId, segment, evaluation, state }),
      unevaluated: (ruleId, { reason }) =>
        void unevaluated.push({ kind: 'unevaluated', at: clock.now(), ruleId, reason }),
    },
    logger: SILENT,
    meter: silentMeter,
  });
  for (const silence of silences) await system.silences.save(silence);
  const known = new Set<string>();
  const note = (sent: PendingNotification[]) => {
    for (const pending of sent) {
      const key = notificationKey(pending.alert, { ...pending.notification, channel: '' });
      if (!known.has(key)) outcome.notified.push({ at: clock.now(), pending });
      known.add(key);
    }
  };
  for (const run of runsOf(test)) {
    for (let at = await nextSweep(system, test, clock.now()); at < run.at; ) {
      // Reminders and escalations after the last window are not part of the outcome.
      if (run.isBeyond && !(await hasPendingNews(system))) break;
      clock.advanceTo(at);
      note((await system.notify()).sent);
      at = await nextSweep(system, test, at);
    }
    if (run.isBeyond) continue;
    clock.advanceTo(run.at);
    note(await system.tick(run.cadence, run.at, run.isAsked));
  }
  return outcome;
}

/** A run of the cadence's rules that still have windows in the series. */
interface TestedRun extends Run {
  isAsked: (rule: Rule) => boolean;
  isBeyond: boolean;
}

/**
 * Runs that evaluate windows of the series, and for each cadence the first run beyond them. Messages are sent
 * until then; later figures are unknown. Rules that settle slowly evaluate the last windows in later runs than
 * others of their cadence.
 */
function* runsOf({ ruleSet: { rules }, startsAt, endsAt }: BoundTest): Generator<TestedRun> {
  const byCadence = Map.groupBy(rules, ({ cadence }) => cadenceName(cadence));
  const over = new Set<string>();
  const isBegun = (rule: Rule, at: number) => lastWindowOf(rule, at).startAt >= startsAt;
  const isPast = (rule: Rule, at: number) =>
    at - rule.settle * MINUTE_MS > endsAt && lastWindowOf(rule, at).endAt > endsAt;
  for (const { cadence, at } of runsBetween(rules, startsAt, endsAt + PATIENCE_MS)) {
    if (over.has(cadence)) continue;
    const own = byCadence.get(cadence) ?? [];
    const isBeyond = own.every((rule) => isPast(rule, at));
    if (isBeyond) over.add(cadence);
    const isAsked = (rule: Rule) => isBegun(rule, at) && !isPast(rule, at);
    if (isBeyond || own.some(isAsked)) yield { cadence, at, isAsked, isBeyond };
    if (over.size === byCadence.size) return;
  }
}

function lastWindowOf({ settle, window: grain, zone }: Rule, at: number) {
  return lastClosedWindow(at - settle * MINUTE_MS, { grain, zone });
}

/** The next sweep after `now` that may send something. Sweeps run every minute. */
async function nextSweep(system: System, test: BoundTest, now: number): Promise<number> {
  const withPending = await system.alerts.loadPending(Infinity);
  const due = withPending.flatMap(({ pendingAt }) => pendingAt ?? []);
  const { calendars } = test.ruleSet.routes;
  // A notification still pending at its due time waits for a calendar or silence to end.
  const ends = due.some((at) => at <= now)
    ? [
        ...Object.keys(calendars).flatMap((name) => coveredUntil(name, calendars, now) ?? []),
        ...test.silences.flatMap(({ untilAt }) => (untilAt > now ? untilAt : [])),
      ]
    : [];
  const next = Math.min(...due.filter((at) => at > now), ...ends);
  return Math.ceil(next / MINUTE_MS) * MINUTE_MS;
}

/** Whether a notification is pending that is no reminder and no escalation. */
async function hasPendingNews({ alerts }: System): Promise<boolean> {
  const withPending = await alerts.loadPending(Infinity);
  return withPending.some(({ pending }) =>
    Object.values(pending).some((each) => each.transition !== 'reminded' && !isUnsentEscalation(each)),
  );
}
