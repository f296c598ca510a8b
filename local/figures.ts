import { randomBytes } from 'node:crypto';
import type { TableDeps } from '../functions/data-access/apps/mapped-apps.ts';
import { openTables } from '../functions/data-access/apps/open-tables.ts';
import type { SqlTables } from '../shared/config/sql-tables.ts';
import { callsWithin } from '../shared/readings/call-budget.ts';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import { type Clock, ManualClock } from '../shared/runtime/clock.ts';
import { createHttpMetricSource } from '../shared/source/metric-source.ts';
import { inMemoryRunStore } from '../shared/store/in-memory/stores.ts';
import { CALLS_PER_HOUR, openDataAccess, serveTables } from './data-access.ts';
import { terminalLogger } from './terminal.ts';

/** The source of the figures of a command. */
export interface Figures {
  sourceFor: (app: string) => MetricSource;
  /** The source, as the end of a sentence: `the demo shop of these days`. */
  describe: string;
  /** The data folder, if the data is on this machine. */
  dataDir?: string;
  close(): void;
}

/**
 * The current figures of a data folder, read by the service in this process. Other processes can read the folder
 * at the same time. Its clock is simulated, so rate limits cause no waiting.
 */
export function figuresOfFolder(
  dataDir: string,
  apps: string[],
  { clock, describe }: { clock: Clock; describe: string },
): Figures {
  const dataAccess = openDataAccess({
    dataDir,
    clock: new ManualClock(clock.now()),
    apiKey: randomBytes(32).toString('base64url'),
    appIds: apps,
    logger: terminalLogger,
  });
  const runs = inMemoryRunStore();
  const sourceFor = eachOnce((app) => dataAccess.sourceFor(app, runs));
  return { sourceFor, describe, dataDir, close: () => dataAccess.close() };
}

/**
 * The figures of a team's own tables, read by the service in this process. Looks up all tables and columns first.
 * Throws `ConfigError` for a table or column that does not exist or fit, `UpstreamError` if the database cannot be
 * reached. Neither contains the URL of the database.
 */
export async function figuresOfTables(
  config: SqlTables,
  deps: TableDeps,
  { clock, describe }: { clock: Clock; describe: string },
): Promise<Figures> {
  const dataAccess = serveTables(await openTables(config, deps), {
    clock: new ManualClock(clock.now()),
    apiKey: randomBytes(32).toString('base64url'),
    appIds: Object.keys(config.apps),
    logger: terminalLogger,
    timeoutSeconds: config.timeoutSeconds,
  });
  const runs = inMemoryRunStore();
  const sourceFor = eachOnce((app) => dataAccess.sourceFor(app, runs));
  return { sourceFor, describe, close: () => dataAccess.close() };
}

/** The figures of a remote service, queried within its rate limits. */
export function figuresOfService(
  baseUrl: string,
  apiKey: string,
  { clock, describe }: { clock: Clock; describe: string },
): Figures {
  const runs = inMemoryRunStore();
  const sourceFor = eachOnce(() =>
    createHttpMetricSource({
      baseUrl,
      apiKey,
      clock,
      budget: {
        takeCalls: (app, at, calls, part) =>
          runs.takeCalls(app, at, calls, callsWithin(part, CALLS_PER_HOUR)),
      },
    }),
  );
  return { sourceFor, describe, close: () => {} };
}

function eachOnce(open: (app: string) => MetricSource): (app: string) => MetricSource {
  const sources = new Map<string, MetricSource>();
  return (app) => {
    const source = sources.get(app) ?? open(app);
    sources.set(app, source);
    return source;
  };
}
