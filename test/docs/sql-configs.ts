import { runInNewContext } from 'node:vm';
import { blocksIn, type Document } from './documents.ts';

/** The values of the TypeScript blocks of a page: whole configurations, or their `sql`. */
export const valuesIn = (page: Document): { figures?: { sql: unknown } }[] =>
  blocksIn('ts', [page]).map(({ text }) => {
    const [, source = ''] = /(?:defineConfig\(|const sql = )([\s\S]*?)\)?;\n$/.exec(text) ?? [];
    const value: unknown = runInNewContext(`(${source})`);
    return structuredClone(value) as { figures?: { sql: unknown } };
  });

/** The `sql` of the TypeScript blocks of a page. */
export const configsIn = (page: Document): unknown[] =>
  valuesIn(page).map((value) => value.figures?.sql ?? value);

/** A question about the events that the page inserts: the orders of a day and their prices. */
export const ORDERS_BY_PLATFORM = {
  filters: [
    { attribute: 'event_name', operator: 'equal', value: 'order' },
    {
      attribute: 'date_range',
      operator: 'between_dates',
      value: { lower: '2026-04-01', upper: '2026-04-01' },
    },
  ],
  group_by: [{ attribute: 'device_platform' }],
  aggregation: [
    { attribute: 'event_count' },
    { attribute: 'event_custom_property', property_name: 'price', operator: 'sum' },
  ],
};
