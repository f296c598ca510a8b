import { setImmediate } from 'node:timers/promises';
import { type ReadFamilies, readingFrom } from '../../functions/check-rules/read-families.ts';
import { begunRuns } from '../../local/runs-since-data.ts';
import { createSystem } from '../../local/system.ts';
import { silentMeter, terminalLogger } from '../../local/terminal.ts';
import { inMemoryStores } from '../../shared/adapters/in-memory/stores.ts';
import type { Stores } from '../../shared/adapters/stores.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import type { Message } from '../../shared/alerting/messages/message.ts';
import { itemKeyOf } from '../../shared/alerting/messages/shared-cause-item.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/owed.ts';
import { standInFor } from '../../shared/alerting/notifications/routes.ts';
import type { MetricSource } from '../../shared/alerting/readings/metric-source.ts';
import { hasSegments } from '../../shared/alerting/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { Archive } from './archive.ts';
import { archiveSource } from './archive-source.ts';
import { currentReadings } from './current-readings.ts';
import type { ReplayEvent } from './replayed.ts';

export interface ReplayOptions {
  ruleSet: RuleSet;
  /** Epoch milliseconds; runs in `(from, to]` are replayed. */
  from: number;
  to: number;
  /** Read for these rules or for more. */
  figures: Archive;
  /** Where it is kept what the rules find; by default it is forgotten with the replay. */
  stores?: Stores;
  onProgress?: (done: number, total: number) => void;
  /** Ends the replay between two runs, by throwing its reason. */
  signal?: AbortSignal;
}

/** Nobody asks what drove a fire: it would take a dozen calls, and who replays a rule asks whether it fires. */
const UNASKED = { kind: 'budget-spent', reason: 'nothing is asked while the past is replayed' } as const;

/**
 * The past does not change any more: what is read again is as it was, and only who looks into the stores can tell. Of
 * segments it also says which of them are still looked at.
 */
function readingOnce(read: ReadFamilies): ReadFamilies {
  return (dueRules, run) =>
    read(
      dueRules.map((dueRule) => (hasSegments(dueRule.rule) ? dueRule : { ...dueRule, again: [] })),
      run,
    );
}

/**
 * Lets the rules loose on the past: every run of every cadence in its order and at its scheduled time, planned, judged
 * and announced by the functions that run in AWS, over stores in memory. Runs before an app begins to send are left out.
 * The same rules, figures and span give the same events.
 */
export async function* replay(options: ReplayOptions): AsyncGenerator<ReplayEvent> {
  const { ruleSet, from, to, figures, stores = inMemoryStores(), onProgress, signal } = options;
  const clock = new ManualClock(from);
  const source = archiveSource(figures, clock);
  const fresh: MetricSource = { ...source, read: async () => UNASKED, readRange: async () => UNASKED };
  const readings = currentReadings(options.stores?.readings);
  const read = readingFrom(source, readings, () => clock.now());
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
      unjudged: (ruleId, { reason }) => found.push({ kind: 'unjudged', at: clock.now(), ruleId, reason }),
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
    // What is in memory is never waited for: without this, a signal to the process would not be heard.
    await setImmediate();
    signal?.throwIfAborted();
    clock.advanceTo(at);
    const sent = await system.tick(cadence, at, isAsked);
    yield* found.splice(0);
    for (const { channel, message } of messages.splice(0)) {
      const pending = notifiedBy(message, sent, (each) => standInFor(each, ruleSet.routes) === channel);
      yield { kind: 'sent', at, channel, route: pending[0]?.notification.route ?? '', message, pending };
    }
    onProgress?.(at - from, to - from);
  }
}

/** What of `sent` the message told of. */
function notifiedBy(
  message: Message,
  sent: PendingNotification[],
  isItsChannel: (channel: string) => boolean,
): PendingNotification[] {
  const keys = new Set(message.items.map(({ key }) => key));
  return sent.filter((each) => isItsChannel(each.notification.channel) && keys.has(itemKeyOf(each)));
}
