import { MOST_NOTES, NOTE_KEPT_DAYS, type Note, type NoteStore, noteSchema } from '../alerts/note.ts';
import { expiryAfter, itemsIn, putItem, type Table } from './dynamodb-table.ts';
import { readable } from './unreadable-items.ts';

const PARTITION = 'NOTES';
/** Follows every id. */
const LAST = '~';

/** Stores one item per note, in the order of their times in one partition: there are a few per day. */
export function noteStoreIn(table: Table): NoteStore {
  const put = (note: Note, expiresAt: number) =>
    putItem(table, { Item: { ...note, pk: PARTITION, sk: sortKeyOf(note.at, note.id), expiresAt } });
  return {
    save: (note) => put(note, expiryAfter(note.at, NOTE_KEPT_DAYS)),

    async load({ app, fromAt, throughAt }) {
      const items = await itemsIn(
        table,
        PARTITION,
        {
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :through',
          ...(app !== undefined && {
            FilterExpression: '#app = :app OR #app = :all',
            ExpressionAttributeNames: { '#app': 'app' },
          }),
          ExpressionAttributeValues: {
            ':from': sortKeyOf(fromAt, ''),
            ':through': sortKeyOf(throughAt, LAST),
            ...(app !== undefined && { ':app': app, ':all': null }),
          },
          ScanIndexForward: false,
        },
        MOST_NOTES,
      );
      return readable(table, noteSchema, items);
    },

    // Every reader skips an expired item, so that removing needs no right to delete.
    remove: (note) => put(note, Math.floor(table.clock.now() / 1000)),
  };
}

function sortKeyOf(at: number, id: string): string {
  return `NOTE#${new Date(at).toISOString()}#${id}`;
}
