import { expect, test } from 'vitest';
import type { FoundColumn } from '../../../../functions/data-access/engines/table-reader.ts';
import { proposeColumns } from '../../../../local/data/tables/propose-events.ts';

const text = (name: string): FoundColumn => ({ name, kind: 'text' });
const time = (name: string): FoundColumn => ({ name, kind: 'timestamptz' });

test.each<{ name: string; found: FoundColumn[]; columns: object; properties?: string[]; missing?: string[] }>(
  [
    {
      name: 'names of another tool',
      found: [text('event'), text('distinct_id'), time('timestamp'), { name: 'properties', kind: 'json' }],
      columns: {
        event_name: 'event',
        user_id: 'distinct_id',
        recorded_at: 'timestamp',
        properties: 'properties',
      },
    },
    {
      name: 'other columns as properties, without lists and times',
      found: [
        ...[text('action'), { name: 'customer', kind: 'number' as const }, time('at'), time('loaded')],
        ...[
          { name: 'price', kind: 'number' as const },
          { name: 'tags', kind: 'texts' as const },
        ],
      ],
      columns: { event_name: 'action', user_id: 'customer', recorded_at: 'at' },
      properties: ['price'],
    },
    {
      name: 'a time that is a text',
      found: [text('event'), text('user'), text('time')],
      columns: { event_name: 'event', user_id: 'user' },
      properties: ['time'],
      missing: ['recorded_at'],
    },
    {
      name: 'a number as the time and a text with JSON, if no other column is one',
      found: [
        ...[{ name: 'ts', kind: 'number' as const }, text('event'), text('user_id'), text('properties')],
        { name: 'platform', kind: 'other' as const },
      ],
      columns: {
        ...{ event_name: 'event', user_id: 'user_id', recorded_at: 'ts' },
        ...{ properties: 'properties', platform: 'platform' },
      },
    },
    {
      name: 'a column with a time rather than a number of a surer name',
      found: [{ name: 'time', kind: 'number' }, time('created_at'), text('event'), text('user_id')],
      columns: { event_name: 'event', user_id: 'user_id', recorded_at: 'created_at' },
      properties: ['time'],
    },
    {
      name: 'the surest of several names',
      found: [text('name'), text('event_type'), text('user_id'), time('created_at'), time('event_time')],
      columns: { event_name: 'event_type', user_id: 'user_id', recorded_at: 'event_time' },
      properties: ['name'],
    },
  ],
)('$name', ({ found, columns, properties = [], missing = [] }) => {
  const proposed = proposeColumns(found);
  expect(Object.fromEntries([...proposed.columns].map(([field, { name }]) => [field, name]))).toEqual(
    columns,
  );
  expect(proposed.properties).toEqual(properties);
  expect(proposed.missing).toEqual(missing);
});
