import type { Said } from '../../shared/alerts/alert.ts';
import type { UsedLinks } from '../../shared/messages/link-purposes.ts';

export function inMemoryUsedLinks(): UsedLinks {
  const used = new Map<string, Said>();

  return {
    find: async (id) => structuredClone(used.get(id)),
    async save(id, said) {
      if (used.has(id)) return false;
      used.set(id, structuredClone(said));
      return true;
    },
  };
}
