import type { CurrentReadings } from '../../functions/check-rules/gather-readings.ts';
import { History } from '../../shared/readings/history.ts';
import type { ReadingStore } from '../../shared/readings/reading-store.ts';
import { SnapshotCache, SnapshotCacheView } from '../../shared/readings/snapshots.ts';
import { keyOfSnapshot } from '../../shared/store/in-memory/stores.ts';

interface CurrentFamily {
  cache: SnapshotCache;
  keys: Set<string>;
}

/**
 * Readings whose snapshots stay decoded between runs. Each run sees only the snapshots that it would have loaded.
 * If `kept` is given, also writes them there; nothing else may write to `kept` at the same time.
 */
export function currentReadings(kept?: ReadingStore): CurrentReadings {
  const families = new Map<string, Promise<CurrentFamily>>();
  const begin = async (name: string): Promise<CurrentFamily> => {
    const snapshots = (await kept?.load(name, { fromEndAt: -Infinity, throughEndAt: Infinity })) ?? [];
    const family = { cache: new SnapshotCache(), keys: new Set(snapshots.map(keyOfSnapshot)) };
    for (const snapshot of snapshots) family.cache.add(snapshot);
    return family;
  };
  const familyOf = (name: string): Promise<CurrentFamily> => {
    const family = families.get(name) ?? begin(name);
    families.set(name, family);
    return family;
  };
  return {
    async save(snapshot) {
      const { cache, keys } = await familyOf(snapshot.family);
      const key = keyOfSnapshot(snapshot);
      if (keys.has(key)) return;
      keys.add(key);
      cache.add(snapshot);
      await kept?.save(snapshot);
    },
    loadHistory: async (family, ranges) =>
      new History(new SnapshotCacheView((await familyOf(family)).cache, ranges)),
  };
}
