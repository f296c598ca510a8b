import type { LivingReadings } from '../../functions/check-rules/read-request.ts';
import { keyOfSheet } from '../../shared/adapters/in-memory/stores.ts';
import { History } from '../../shared/alerting/readings/history.ts';
import type { ReadingStore } from '../../shared/alerting/readings/reading-store.ts';
import { Shelf, ShelfView } from '../../shared/alerting/readings/snapshots.ts';

interface LivingFamily {
  shelf: Shelf;
  keys: Set<string>;
}

/**
 * Readings whose sheets stay laid out from run to run: each run sees those that it would have loaded, and no more. They
 * are written into `kept` too where anybody will look there; nobody else may write into it meanwhile.
 */
export function livingReadings(kept?: ReadingStore): LivingReadings {
  const families = new Map<string, Promise<LivingFamily>>();
  const begin = async (name: string): Promise<LivingFamily> => {
    const sheets = (await kept?.load(name, { fromEndAt: -Infinity, throughEndAt: Infinity })) ?? [];
    const family = { shelf: new Shelf(), keys: new Set(sheets.map(keyOfSheet)) };
    for (const sheet of sheets) family.shelf.add(sheet);
    return family;
  };
  const familyOf = (name: string): Promise<LivingFamily> => {
    const family = families.get(name) ?? begin(name);
    families.set(name, family);
    return family;
  };
  return {
    async save(sheet) {
      const { shelf, keys } = await familyOf(sheet.family);
      const key = keyOfSheet(sheet);
      if (keys.has(key)) return;
      keys.add(key);
      shelf.add(sheet);
      await kept?.save(sheet);
    },
    loadHistory: async (family, ranges) => new History(new ShelfView((await familyOf(family)).shelf, ranges)),
  };
}
