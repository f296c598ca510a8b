import * as z from 'zod';
import { NOTE_KEPT_DAYS, type Note } from '../../alerts/note.ts';
import { MOST_NOTES, type NoteStore } from '../../alerts/note-store.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { putItem, queryItems, type Table } from './requests.ts';
import { parseItem, readable } from './unreadable-items.ts';

const PARTITION = 'NOTES';
/** Follows every id. */
const LAST = '~';

const noteSchema = z.object({
  id: z.string(),
  text: z.string(),
  app: z.string().nullable(),
  at: z.number(),
  by: z.string(),
}) satisfies SchemaOf<Note>;

/** Stores one item per note, in the order of their times in one partition: there are a few per day. */
export function dynamodbNoteStore(table: Table): NoteStore {
  const put = (note: Note, expiresAt: number) =>
    putItem(table, { Item: { ...note, pk: PARTITION, sk: sortKeyOf(note.at, note.id), expiresAt } });
  return {
    save: (note) => put(note, Math.ceil(note.at / 1000) + NOTE_KEPT_DAYS * 86_400),

    async load({ app, fromAt, throughAt }) {
      const items = await queryItems(
        table,
        {
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :through',
          ...(app !== undefined && {
            FilterExpression: '#app = :app OR #app = :all',
            ExpressionAttributeNames: { '#app': 'app' },
          }),
          ExpressionAttributeValues: {
            ':pk': PARTITION,
            ':from': sortKeyOf(fromAt, ''),
            ':through': sortKeyOf(throughAt, LAST),
            ...(app !== undefined && { ':app': app, ':all': null }),
          },
          ScanIndexForward: false,
          ConsistentRead: true,
        },
        MOST_NOTES,
      );
      return readable(table, items, (item) => parseItem(noteSchema, item));
    },

    // Every reader skips an expired item, so that removing needs no right to delete.
    remove: (note) => put(note, Math.floor(table.clock.now() / 1000)),
  };
}

function sortKeyOf(at: number, id: string): string {
  return `NOTE#${new Date(at).toISOString()}#${id}`;
}
