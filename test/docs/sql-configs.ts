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
