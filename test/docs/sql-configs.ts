import { runInNewContext } from 'node:vm';
import { blocksIn, type Document } from './documents.ts';

/** The `sql` of the TypeScript blocks of a page. */
export function configsIn(page: Document): unknown[] {
  return blocksIn('ts', [page]).map(({ text }) => {
    const [, source = ''] = /(?:defineConfig\(|const sql = )([\s\S]*?)\)?;\n$/.exec(text) ?? [];
    const value: unknown = runInNewContext(`(${source})`);
    const whole = structuredClone(value) as { figures?: { sql: unknown } };
    return whole.figures?.sql ?? whole;
  });
}
