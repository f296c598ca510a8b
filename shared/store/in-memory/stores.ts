import type { Alert, AlertKey } from '../../alerts/alert.ts';
import type { AlertStore } from '../../alerts/alert-store.ts';
import type { Move } from '../../alerts/moves.ts';
import type { AppVersions } from '../../alerts/new-versions.ts';
import { isAtRest, openAlert } from '../../alerts/open-alert.ts';
import { hasListedIncident, pastIncidents } from '../../alerts/past-incidents.ts';
import {
  type Deployed,
  deployedBy,
  onlyWanted,
  type RuleSet,
  type RuleStore,
  type SourceLinks,
} from '../../deployments/rule-store.ts';
import type { Delivery, DeliveryLog } from '../../notifications/delivery-log.ts';
import { cadenceOfTick } from '../../planning/plan.ts';
import type { LastTick, RunStore } from '../../planning/run-store.ts';
import type { Snapshot } from '../../readings/reading.ts';
import type { ReadingStore } from '../../readings/reading-store.ts';
import { ManualClock } from '../../runtime/clock.ts';
import { ConfigError, ConflictError } from '../../runtime/errors.ts';
import { unchangeable } from '../../runtime/unchangeable.ts';
import { HOUR_MS } from '../../units/durations.ts';
import { noteStoreIn } from '../note-store.ts';
import { silenceStoreIn } from '../silence-store.ts';
import { openSqliteTable } from '../sqlite-table.ts';
import type { Stores } from '../stores.ts';
import { testNotificationsIn } from '../test-notifications.ts';

export function inMemoryStores(): Stores {
  // Of what people do, which is little. Nothing in it expires.
  const table = openSqliteTable(':memory:', new ManualClock(0));
  return {
    rules: inMemoryRuleStore(),
    alerts: inMemoryAlertStore(),
    readings: inMemoryReadingStore(),
    runs: inMemoryRunStore(),
    silences: silenceStoreIn(table),
    notes: noteStoreIn(table),
    deliveries: inMemoryDeliveryLog(),
    // Of replays, rule tests and tests, in which nobody does anything.
    audit: { save: async () => {}, load: async () => [] },
    testNotifications: testNotificationsIn(table),
  };
}

export function inMemoryRuleStore(): RuleStore {
  const ruleSets = new Map<string, RuleSet>();
  let current: Deployed | undefined;
  let sourceLinks: SourceLinks = {};

  const load = async (version: string): Promise<RuleSet> => {
    const ruleSet = ruleSets.get(version);
    if (!ruleSet) throw new ConfigError(`no rules of version ${version} were deployed`);
    return ruleSet;
  };

  return {
    load,
    findCurrent: async () => current,
    loadCurrent: async (wanted) => current && onlyWanted(await load(current.version), wanted),
    async save(ruleSet, saving = {}) {
      const { replacing } = saving;
      const { sourceLinks: _, ...kept } = ruleSet;
      const { version } = kept;
      if (replacing !== undefined && replacing !== (current?.version ?? null)) {
        if (version === current?.version) return;
        throw new ConflictError('other rules were deployed meanwhile');
      }
      if (!ruleSets.has(version)) ruleSets.set(version, unchangeable(structuredClone(kept)));
      current = deployedBy(version, saving);
    },
    loadSourceLink: async (ruleId) => sourceLinks[ruleId],
    async saveSourceLinks(links) {
      sourceLinks = { ...links };
    },
  };
}

export function inMemoryAlertStore(): AlertStore {
  const alerts = new Map<string, Alert>();
  const keyOf = ({ ruleId, segment }: AlertKey) => JSON.stringify([ruleId, segment]);

  return {
    async load(keys) {
      const distinct = [...new Set(keys.map(keyOf))];
      return distinct.flatMap((key) => alerts.get(key) ?? []);
    },
    async loadOfRule(ruleId) {
      return [...alerts.values()].filter((alert) => alert.ruleId === ruleId);
    },
    async save(alert) {
      const stored = alerts.get(keyOf(alert))?.revision ?? 0;
      if (stored !== alert.revision) throw new ConflictError(`${keyOf(alert)} was changed by another run`);
      const saved = unchangeable({ ...alert, revision: alert.revision + 1 });
      alerts.set(keyOf(alert), saved);
      return saved;
    },
    async loadPending(dueAt) {
      const withPending = [...alerts.values()].flatMap((alert) =>
        alert.pendingAt !== null && alert.pendingAt <= dueAt ? [{ alert, pendingAt: alert.pendingAt }] : [],
      );
      return withPending.sort((a, b) => a.pendingAt - b.pendingAt).map(({ alert }) => alert);
    },
    loadOpen: async () => [...alerts.values()].filter((alert) => !isAtRest(alert)).map(openAlert),
    loadIncidents: async () =>
      [...alerts.values()].filter((alert) => !isAtRest(alert) || hasListedIncident(alert)).map(pastIncidents),
  };
}

export function inMemoryReadingStore(): ReadingStore {
  const keys = new Set<string>();
  /** By family, in order of their windows. */
  const byFamily = new Map<string, Snapshot[]>();

  return {
    async load(family, { fromEndAt, throughEndAt }, wanted) {
      const snapshots = byFamily.get(family) ?? [];
      return snapshots
        .slice(firstAfter(snapshots, fromEndAt - 1), firstAfter(snapshots, throughEndAt))
        .filter(
          ({ eventNames }) => !wanted || !eventNames || eventNames.some((name) => wanted.includes(name)),
        );
    },
    async save(snapshot) {
      const { family, window } = snapshot;
      const key = keyOfSnapshot(snapshot);
      if (keys.has(key)) return;
      keys.add(key);
      const snapshots = byFamily.get(family) ?? [];
      byFamily.set(family, snapshots);
      snapshots.splice(firstAfter(snapshots, window.endAt), 0, unchangeable(structuredClone(snapshot)));
    },
  };
}

/** Of two snapshots with the same key, the first one is kept. */
function keyOfSnapshot({ family, window, rereadAt, eventNames, keys }: Snapshot): string {
  return JSON.stringify([family, window, rereadAt, eventNames?.toSorted(), keys.toSorted()]);
}

/** The index of the first snapshot of a window that ends after `endAt`. */
function firstAfter(snapshots: Snapshot[], endAt: number): number {
  let [low, high] = [0, snapshots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((snapshots[middle]?.window.endAt ?? Infinity) <= endAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function inMemoryRunStore(): RunStore {
  const planned = new Map<string, string[]>();
  const lastTicks = new Map<string, LastTick>();
  const finished = new Map<string, Set<string>>();
  const taken = new Map<string, number>();
  const newestEventAt = new Map<string, number>();
  const turns = new Map<string, number>();
  const moves = new Map<string, Map<string, Move[]>>();
  const versions = new Map<string, AppVersions>();

  return {
    async saveTick({ id, scheduledAt, batches }) {
      if (!planned.has(id)) planned.set(id, [...batches]);
      const cadence = cadenceOfTick(id);
      if (scheduledAt > (lastTicks.get(cadence)?.scheduledAt ?? Number.NEGATIVE_INFINITY))
        lastTicks.set(cadence, { cadence, tick: id, scheduledAt });
    },
    loadLastTicks: async () => structuredClone([...lastTicks.values()]),
    async finishBatch(tick, batchId) {
      finished.set(tick, new Set(finished.get(tick)).add(batchId));
    },
    async isTickComplete(tick) {
      return planned.get(tick)?.every((batch) => finished.get(tick)?.has(batch)) ?? false;
    },
    async saveMoves(tick, batchId, found) {
      moves.set(tick, new Map(moves.get(tick)).set(batchId, found));
    },
    loadMoves: async (tick) => [...(moves.get(tick)?.values() ?? [])].flat(),
    async takeLock(name, now, untilAt) {
      if ((turns.get(name) ?? now) > now) return false;
      turns.set(name, untilAt);
      return true;
    },
    async releaseLock(name, untilAt) {
      if (turns.get(name) === untilAt) turns.delete(name);
    },
    async takeCalls(app, at, calls, perHour) {
      const hour = JSON.stringify([app, Math.floor(at / HOUR_MS)]);
      const before = taken.get(hour) ?? 0;
      if (before + calls > perHour) return false;
      taken.set(hour, before + calls);
      return true;
    },
    loadCalls: async (app, at) => taken.get(JSON.stringify([app, Math.floor(at / HOUR_MS)])) ?? 0,
    loadNewestEventAt: async (app) => newestEventAt.get(app),
    async saveNewestEventAt(app, at) {
      newestEventAt.set(app, Math.max(at, newestEventAt.get(app) ?? at));
    },
    loadVersions: async (app) => structuredClone(versions.get(app)),
    async saveVersions(app, next, replacing) {
      if (versions.get(app)?.askedAt !== replacing) return false;
      versions.set(app, structuredClone(next));
      return true;
    },
  };
}

export function inMemoryDeliveryLog(): DeliveryLog {
  const deliveries: Delivery[] = [];

  return {
    async save(delivery) {
      deliveries.push(structuredClone(delivery));
    },
    loadLast: async (count) => structuredClone(deliveries.toSorted((a, b) => b.at - a.at).slice(0, count)),
  };
}
