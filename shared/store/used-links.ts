import { saidSchema } from '../alerts/alert.ts';
import type { UsedLinks } from '../messages/link-purposes.ts';
import { expiryAfter, type Key, type Table, tookPlace } from './table.ts';
import { loadSole } from './unreadable-items.ts';

/** Stores the first use of each link, one item per link, until the link expires. */
export function usedLinksIn(table: Table): UsedLinks {
  return {
    find: (id) => loadSole(table, saidSchema, usedLinkKey(id)),

    save: (id, { by, at, reason }, expiresAt) =>
      tookPlace(table.putNew({ ...usedLinkKey(id), by, at, reason, expiresAt: expiryAfter(expiresAt) })),
  };
}

function usedLinkKey(id: string): Key {
  return { pk: `LINK#${id}`, sk: 'USED' };
}
