import { randomBytes } from 'node:crypto';
import type { TableDeps } from '../functions/data-access/apps/mapped-apps.ts';
import type { SqlTables } from '../shared/config/sql-tables.ts';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import { type Clock, ManualClock } from '../shared/runtime/clock.ts';
import { inMemoryRunStore } from '../shared/store/in-memory/stores.ts';
import { type FigureSource, openDataAccess, openTables } from './data-access.ts';

/** The source of the figures of a command. */
export interface Figures {
  sourceFor: (app: string) => MetricSource;
  /** The source, as the end of a sentence: `the demo shop of these days`. */
  describe: string;
  /** The data folder, if the data is on this machine. */
  dataDir?: string;
  close(): void;
}

interface About {
  clock: Clock;
  describe: string;
}

/** The current figures of a data folder. Other processes can read the folder at the same time. */
export const figuresOfFolder = (dataDir: string, { clock, describe }: About): Figures => ({
  ...opened({ kind: 'folder', dataDir }, simulated(clock), describe),
  dataDir,
});

/** The figures of a remote service, queried within its rate limits. */
export const figuresOfService = (url: string, apiKey: string, { clock, describe }: About): Figures =>
  opened({ kind: 'service', url, apiKey, describe }, clock, describe);

/**
 * The figures of a team's own tables. Looks up all tables and columns first. Throws `ConfigError` for a table or column
 * that does not exist or fit, `UpstreamError` if the database cannot be reached. Neither contains the URL of the database.
 */
export async function figuresOfTables(
  tables: SqlTables,
  deps: TableDeps,
  { clock, describe }: About,
): Promise<Figures> {
  const apps = await openTables(tables, deps);
  const figures = opened({ kind: 'tables', apps, tables, describe }, simulated(clock), describe);
  return { ...figures, close: () => apps.close() };
}

/** Rate limits of a service in this process cause no waiting. */
const simulated = (clock: Clock): Clock => new ManualClock(clock.now());

function opened(from: FigureSource, clock: Clock, describe: string): Figures {
  const dataAccess = openDataAccess(from, { clock, apiKey: randomBytes(32).toString('base64url') });
  const runs = inMemoryRunStore();
  const sources = new Map<string, MetricSource>();
  return {
    describe,
    sourceFor(app) {
      const source = sources.get(app) ?? dataAccess.sourceFor(app, runs);
      sources.set(app, source);
      return source;
    },
    close: () => dataAccess.close(),
  };
}
