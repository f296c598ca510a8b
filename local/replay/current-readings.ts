import type { ReadingStore } from '../../shared/readings/reading-store.ts';
import { inMemoryReadingStore } from '../../shared/store/in-memory/stores.ts';

/**
 * Readings that stay decoded in memory between runs. If `kept` is given, also writes them there; nothing else may write to
 * `kept` at the same time.
 */
export function currentReadings(kept?: ReadingStore): ReadingStore {
  const readings = inMemoryReadingStore();
  const families = new Map<string, Promise<void>>();
  const begin = async (name: string): Promise<void> => {
    const snapshots = (await kept?.load(name, { fromEndAt: -Infinity, throughEndAt: Infinity })) ?? [];
    for (const snapshot of snapshots) await readings.save(snapshot);
  };
  const begun = (name: string): Promise<void> => {
    const family = families.get(name) ?? begin(name);
    families.set(name, family);
    return family;
  };
  return {
    async load(family, range, eventNames) {
      await begun(family);
      return readings.load(family, range, eventNames);
    },
    async save(snapshot) {
      await begun(snapshot.family);
      await readings.save(snapshot);
      await kept?.save(snapshot);
    },
  };
}
