import { MOST_NOTES, NOTE_KEPT_DAYS, type Note, type NoteStore, noteSchema } from '../alerts/note.ts';
import { expiryAfter, type Table } from './table.ts';
import { readable } from './unreadable-items.ts';

const PARTITION = 'NOTES';
/** Follows every id. */
const LAST = '~';

/** Stores one item per note, in the order of their times in one partition: there are a few per day. */
export function noteStoreIn(table: Table): NoteStore {
  const put = (note: Note, expiresAt: number) =>
    table.put({ ...note, pk: PARTITION, sk: sortKeyOf(note.at, note.id), expiresAt });
  return {
    save: (note) => put(note, expiryAfter(note.at, NOTE_KEPT_DAYS)),

    async load({ app, fromAt, throughAt }) {
      const items = await table.query({
        partition: PARTITION,
        from: sortKeyOf(fromAt, ''),
        through: sortKeyOf(throughAt, LAST),
        newestFirst: true,
      });
      const isWanted = (note: Note) => app === undefined || note.app === null || note.app === app;
      return readable(table, noteSchema, items).filter(isWanted).slice(0, MOST_NOTES);
    },

    // Every reader skips an expired item, so that removing needs no right to delete.
    remove: (note) => put(note, Math.floor(table.clock.now() / 1000)),
  };
}

function sortKeyOf(at: number, id: string): string {
  return `NOTE#${new Date(at).toISOString()}#${id}`;
}
