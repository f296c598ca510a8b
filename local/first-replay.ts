import { appAlertKey } from '../shared/alerts/app-alert.ts';
import { inBatchesOf } from '../shared/aws/requests.ts';
import type { ShowProgress } from '../shared/pages/progress.ts';
import { seriesOf } from '../shared/readings/series.ts';
import type { Rule } from '../shared/rules/rule.ts';
import type { Millis } from '../shared/runtime/clock.ts';
import { inMemoryStores } from '../shared/store/in-memory/stores.ts';
import type { Stores } from '../shared/store/stores.ts';
import { type CaughtUp, fastForward, type Past } from './fast-forward.ts';
import type { System } from './system.ts';

export interface FirstReplay extends Past {
  /** The system of the table, which gets the result. */
  system: System;
  /** The same system with other stores. */
  systemWith: (stores: Stores) => System;
  /** Deploys the rules. */
  sync: (system: System) => Promise<unknown>;
  /** The present: the end of the replay. */
  now: Millis;
}

const SAVES_AT_ONCE = 25;

/**
 * Runs the past in memory and then writes the result to the table, because each write to the table costs much more. An
 * interrupted replay leaves nothing that a repeated one does not replace.
 */
export async function firstReplay(replay: FirstReplay, show: ShowProgress): Promise<CaughtUp> {
  const { spans, clock, now, signal } = replay;
  const stores = inMemoryStores();
  const system = replay.systemWith(stores);
  await replay.sync(system);
  const caughtUp = await fastForward({ ...replay, system, onTicked: async () => {} }, show);
  signal.throwIfAborted();
  clock.advanceTo(now);
  show('Writing the state', 0, 1);
  await saveReplayed(stores, replay.system, [...new Set(spans.flatMap(({ rules }) => rules))]);
  await replay.onTicked(caughtUp.ticked);
  return caughtUp;
}

/** Copies what a replay of these rules has left. */
async function saveReplayed(from: Stores, to: Stores, rules: readonly Rule[]): Promise<void> {
  const always = { fromEndAt: -Infinity, throughEndAt: Infinity };
  for (const family of new Set(rules.flatMap((rule) => (rule.members ? [] : [seriesOf(rule).family]))))
    await saveAll(await from.readings.load(family, always), to.readings.save);
  for (const { tick: id, scheduledAt } of await from.runs.loadLastTicks()) {
    await to.runs.saveTick({ id, scheduledAt, batches: [] });
    await to.runs.saveMoves(id, 'replay', await from.runs.loadMoves(id));
  }
  await saveAll(await from.deliveries.loadLast(Infinity), to.deliveries.save);
  await saveAll(await from.notes.load({ fromAt: 0, throughAt: Infinity }), to.notes.save);
  for (const app of new Set(rules.map((rule) => rule.app))) {
    const newestEventAt = await from.runs.loadNewestEventAt(app);
    if (newestEventAt !== undefined) await to.runs.saveNewestEventAt(app, newestEventAt);
    const versions = await from.runs.loadVersions(app);
    if (versions) await to.runs.saveVersions(app, versions, (await to.runs.loadVersions(app))?.askedAt);
  }
  const appAlerts = new Set(rules.map(({ app }) => appAlertKey(app).ruleId));
  for (const ruleId of [...rules.map(({ id }) => id), ...appAlerts]) {
    // Left by an interrupted write.
    const saved = new Map((await to.alerts.loadOfRule(ruleId)).map((alert) => [alert.segment, alert]));
    await saveAll(await from.alerts.loadOfRule(ruleId), (alert) =>
      to.alerts.save({ ...alert, revision: saved.get(alert.segment)?.revision ?? 0 }),
    );
  }
}

async function saveAll<T>(items: T[], save: (item: T) => Promise<unknown>): Promise<void> {
  for (const batch of inBatchesOf(SAVES_AT_ONCE, items)) await Promise.all(batch.map(save));
}
