import { setImmediate } from 'node:timers/promises';
import { type ReadFamilies, readingFrom } from '../../functions/check-rules/read-families.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Message } from '../../shared/messages/message.ts';
import { itemKeyOf } from '../../shared/messages/message.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { replacementFor } from '../../shared/notifications/routes.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { begunRuns, createSystem } from '../system.ts';
import { silentMeter, terminalLogger } from '../terminal.ts';
import type { Archive } from './archive.ts';
import { archiveSource } from './archive-source.ts';
import type { ReplayEvent } from './replayed.ts';

export interface ReplayOptions {
  ruleSet: RuleSet;
  /** Epoch milliseconds; runs in `(from, to]` are replayed. */
  from: number;
  to: number;
  /** Archive of these rules, or more. */
  figures: Archive;
  /** Stores for the results; discarded with the replay by default. */
  stores?: Stores | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Aborts between two runs and throws its reason. */
  signal?: AbortSignal | undefined;
}

/** Drivers would cost a dozen calls per fire, and a replay is about whether a rule fires. */
const UNASKED = { kind: 'budget-spent', reason: 'drivers are not queried in a replay' } as const;

/** Past data does not change, so rereads matter only to readers of the stores, and decide which segments are watched. */
function readingOnce(read: ReadFamilies): ReadFamilies {
  return (dueRules, run) =>
    read(
      dueRules.map((dueRule) => (hasSegments(dueRule.rule) ? dueRule : { ...dueRule, again: [] })),
      run,
    );
}

/**
 * Replays the past: every run of every cadence, in order and at its scheduled time, with the functions that
 * run in AWS and in-memory stores. Runs before an app's first data are skipped. The same rules, figures and
 * period give the same events.
 */
export async function* replay(options: ReplayOptions): AsyncGenerator<ReplayEvent> {
  const { ruleSet, from, to, figures, stores = inMemoryStores(), onProgress, signal } = options;
  const clock = new ManualClock(from);
  const source = archiveSource(figures, clock);
  const fresh: MetricSource = {
    ...source,
    read: async () => UNASKED,
    // How long the app is usually silent is the only question about many windows.
    readRange: async ({ app, windows }) => ({
      kind: 'read',
      value: windows.map(({ startAt }) => [{ current: { event_count: figures.eventsIn(app, startAt) } }]),
    }),
  };
  const read = readingFrom(source, stores.readings, () => clock.now());
  const found: ReplayEvent[] = [];
  const messages: { channel: string; message: Message }[] = [];
  const system = createSystem({
    stores,
    clock,
    sourceFor: () => fresh,
    readFamilies: options.stores ? read : readingOnce(read),
    findings: {
      evaluated: ({ ruleId, segment }, evaluation, state) =>
        found.push({ kind: 'evaluated', at: clock.now(), ruleId, segment, evaluation, state }),
      unseen: ({ ruleId, segment }, window, state) =>
        found.push({ kind: 'unseen', at: clock.now(), ruleId, segment, window, state }),
      unevaluated: (ruleId, { reason }) =>
        found.push({ kind: 'unevaluated', at: clock.now(), ruleId, reason }),
    },
    channelFor: async (_config, channel) => ({
      async send(message) {
        messages.push({ channel, message });
        return { kind: 'sent' };
      },
    }),
    logger: terminalLogger,
    meter: silentMeter,
  });
  await system.rules.save(ruleSet);
  const span = { after: from, through: to };
  for (const { cadence, at, isAsked } of begunRuns(ruleSet.rules, span, (app) => figures.beginsAt(app))) {
    // In-memory stores never wait, so signals to the process need an explicit turn.
    await setImmediate();
    signal?.throwIfAborted();
    clock.advanceTo(at);
    const sent = await system.tick(cadence, at, isAsked);
    yield* found.splice(0);
    for (const { channel, message } of messages.splice(0)) {
      const pending = notifiedBy(message, sent, (each) => replacementFor(each, ruleSet.routes) === channel);
      yield { kind: 'sent', at, channel, route: pending[0]?.notification.route ?? '', message, pending };
    }
    onProgress?.(at - from, to - from);
  }
}

/** The notifications in `sent` that the message covers. */
function notifiedBy(
  message: Message,
  sent: PendingNotification[],
  isItsChannel: (channel: string) => boolean,
): PendingNotification[] {
  const keys = new Set(message.items.map(({ key }) => key));
  return sent.filter((each) => isItsChannel(each.notification.channel) && keys.has(itemKeyOf(each)));
}
