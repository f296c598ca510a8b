import { type ReadFamilies, readingFrom } from '../functions/check-rules/read-families.ts';
import { appAlertKey } from '../shared/alerts/app-alert.ts';
import { inBatchesOf } from '../shared/aws/requests.ts';
import type { ShowProgress } from '../shared/pages/progress.ts';
import type { RunStore } from '../shared/planning/run-store.ts';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import { seriesOf } from '../shared/readings/series.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { type Clock, ManualClock, type Millis } from '../shared/runtime/clock.ts';
import { UpstreamError } from '../shared/runtime/errors.ts';
import { inMemoryStores } from '../shared/store/in-memory/stores.ts';
import type { Stores } from '../shared/store/stores.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { type CaughtUp, fastForward, type Past } from './fast-forward.ts';
import type { Figures } from './figures.ts';
import { type Archive, readArchive } from './replay/archive.ts';
import { archiveSource } from './replay/archive-source.ts';
import type { System } from './system.ts';

type SourceFor = (app: string, runs: RunStore) => MetricSource;

/** What differs in a system that replays the past in memory. */
export interface ReplayParts {
  stores: Stores;
  sourceFor: SourceFor;
  readFamilies?: ReadFamilies;
}

export interface FirstReplay extends Past {
  /** The system of the table, which gets the result. */
  system: System;
  systemWith: (parts: ReplayParts) => System;
  sync: (system: System) => Promise<unknown>;
  /** The present: the end of the replay. */
  now: Millis;
  /** Answers what the past does not hold, such as the drivers of a change. */
  sourceFor: SourceFor;
  /** Opens the same figures at another time. */
  openFigures: (clock: Clock) => Pick<Figures, 'sourceFor' | 'close'>;
}

const SAVES_AT_ONCE = 25;

/** Runs the past in memory, then writes the result: the table is much slower. Interrupted, it leaves nothing. */
export async function firstReplay(replay: FirstReplay, show: ShowProgress): Promise<CaughtUp> {
  const { spans, clock, now, signal } = replay;
  const parts = await partsOf(replay, show);
  const system = replay.systemWith(parts);
  await replay.sync(system);
  const caughtUp = await fastForward({ ...replay, system, onTicked: async () => {} }, show);
  signal.throwIfAborted();
  clock.advanceTo(now);
  show('Writing the state', 0, 1);
  await saveReplayed(parts.stores, replay.system, [...new Set(spans.flatMap(({ rules }) => rules))]);
  await replay.onTicked(caughtUp.ticked);
  return caughtUp;
}

/** If part of the past cannot be read in advance, each run reads its own windows, so that other rules continue. */
async function partsOf(replay: FirstReplay, show: ShowProgress): Promise<ReplayParts> {
  const { clock, sourceFor } = replay;
  const stores = inMemoryStores();
  const past = await readPast(replay, show);
  if (!past) return { stores, sourceFor };
  const source = archiveSource(past, clock);
  return {
    stores,
    readFamilies: readingFrom(source, stores.readings, () => clock.now()),
    sourceFor(app, runs) {
      const exact = sourceFor(app, runs);
      return {
        ...exact,
        async readNewestEventAt(of, since) {
          const newest = await source.readNewestEventAt(of, since);
          // The past knows only the hour. A message about missing data names the minute.
          const isFresh = newest.kind === 'read' && (newest.value ?? 0) > clock.now() - 2 * HOUR_MS;
          return isFresh ? newest : exact.readNewestEventAt(of, since);
        },
      };
    },
  };
}

/** Everything that the rules read in the past, late uploads included, with few calls. */
async function readPast(
  { spans, now, openFigures, signal }: FirstReplay,
  show: ShowProgress,
): Promise<Archive | undefined> {
  const clock = new ManualClock(now);
  const figures = openFigures(clock);
  const rules = [...new Set(spans.flatMap((span) => span.rules))];
  const from = Math.min(...spans.map(({ fromAt }) => fromAt));
  const to = Math.max(...spans.map(({ throughAt }) => throughAt));
  try {
    const onProgress = (done: number, total: number) => show('Reading the past', done, total);
    return await readArchive({ rules, from, to, sourceFor: figures.sourceFor, signal, clock, onProgress });
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  } finally {
    figures.close();
  }
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
  await saveAll(await from.notes.load({ fromAt: 0, throughAt: Date.UTC(9999, 0) }), to.notes.save);
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
