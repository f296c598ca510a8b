import { serve } from '@hono/node-server';
import { createDataAccessApp } from '../../functions/data-access/app.ts';
import { type Apps, appsIn } from '../../functions/data-access/apps/apps.ts';
import { DuckDbCompiler } from '../../functions/data-access/engines/duckdb/compiler.ts';
import type { Query } from '../../functions/data-access/engines/query.ts';
import { hashOf } from '../../shared/access/api-key.ts';
import { HOURS_TABLES } from '../../shared/contract/tables.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { APP_IDS } from './apps.ts';
import { NOW } from './rows.ts';

export const API_KEY = 'bench';
/** The callers of the fairness benchmark, each with its own key. */
export const CALLERS = ['heavy', 'light-1', 'light-2', 'light-3'] as const;
export const keyOf = (caller: (typeof CALLERS)[number]): string => `${API_KEY}-${caller}`;

export interface Service {
  readonly port: number;
  /** The number of queries so far that read sums of hours. */
  queriesOfHours(): number;
  close(): void;
}

/** Starts the service over the files in `directory`. */
export const openService = (directory: string): Promise<Service> => serveApps(appsIn(directory));

/** Starts the service as deployed, except for its clock and its keys, on a loopback port. It closes the apps. */
export function serveApps(given: Apps): Promise<Service> {
  let queriesOfHours = 0;
  const apps = observed(given, (query) => {
    if (readsHours(query)) queriesOfHours += 1;
  });
  const names = [API_KEY, ...CALLERS.map(keyOf)];
  const known = new Map(
    names.map((id) => [hashOf(id), { id, sha256: hashOf(id), apps: [...APP_IDS] }] as const),
  );
  const keys = { find: async (sha256: string) => known.get(sha256), noteUse: async () => {} };
  const app = createDataAccessApp({ apps, keys, clock: new ManualClock(NOW), logger: console });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({
        port,
        queriesOfHours: () => queriesOfHours,
        close() {
          server.close();
          apps.close();
        },
      }),
    );
  });
}

const observed = (apps: Apps, onQuery: (query: Query) => void): Apps => ({
  ...apps,
  withApp: (of, use) =>
    apps.withApp(of, ({ engine, ...app }) => {
      const answer: typeof engine.answer = (query, signal) => {
        onQuery(query);
        return engine.answer(query, signal);
      };
      return use({ ...app, engine: { ...engine, answer } });
    }),
});

function readsHours(query: Query): boolean {
  const { sql } = new DuckDbCompiler().compile(query);
  return HOURS_TABLES.some((table) => sql.includes(`"${table}"`));
}
