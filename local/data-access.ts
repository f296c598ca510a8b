import { createDataAccessApp, type DataAccessApp } from '../functions/data-access/app.ts';
import { type Apps, appsIn } from '../functions/data-access/apps/apps.ts';

export { openTables } from '../functions/data-access/apps/open-tables.ts';

import { keysIn } from '../functions/data-access/apps/key-file.ts';
import { hashOf, type KeyStore } from '../shared/access/api-key.ts';
import type { RunStore } from '../shared/planning/run-store.ts';
import { callsWithin } from '../shared/readings/call-budget.ts';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import { requirePackages } from '../shared/runtime/optional-packages.ts';
import type { DataAccessHttpOptions } from '../shared/source/http-calls.ts';
import { createHttpMetricSource } from '../shared/source/metric-source.ts';
import { newestEventsOf } from './replay/newest-events.ts';
import { recallingCounts } from './replay/recalled-counts.ts';

/** The default limit of the service. */
export const CALLS_PER_HOUR = 500;

/** Never resolved: requests to it are answered in this process. */
const BASE_URL = 'http://data-access.local';

export interface LocalDataAccess {
  /** The service in this process; `undefined` if it runs elsewhere. */
  app?: DataAccessApp;
  sourceFor: (app: string, runs: RunStore) => MetricSource;
  close(): void;
}

export interface LocalDataAccessOptions {
  dataDir: string;
  /** Apps that `apiKey` may read, in addition to the folder's own keys. */
  appIds: string[] | (() => Promise<string[]>);
  apiKey: string;
  clock: Clock;
  logger: Logger;
}

/** Clients of a data access service that runs elsewhere, within its rate limits. */
export function openService({ url, apiKey, clock }: RemoteService): LocalDataAccess {
  return {
    sourceFor: (_app, runs) =>
      createHttpMetricSource({ baseUrl: url, apiKey, clock, budget: budgetIn(runs) }),
    close: () => {},
  };
}

export interface RemoteService {
  /** Base URL. */
  url: string;
  apiKey: string;
  clock: Clock;
}

function budgetIn(runs: RunStore): DataAccessHttpOptions['budget'] {
  return {
    takeCalls: (app, at, calls, part) => runs.takeCalls(app, at, calls, callsWithin(part, CALLS_PER_HOUR)),
  };
}

/**
 * The data access service in this process, and clients that use its HTTP interface. Throws `ConfigError` without
 * DuckDB.
 */
export function openDataAccess(options: LocalDataAccessOptions): LocalDataAccess & { app: DataAccessApp } {
  requirePackages('@duckdb/node-api');
  return serveApps(appsIn(options.dataDir), withKey(keysIn(options.dataDir), options), options);
}

/**
 * The same service for a clock that passes through the past, which answers from memory what each run of a replay asks
 * again. Its answers are the same. The data must not be replaced meanwhile.
 */
export function openReplayed(options: LocalDataAccessOptions): LocalDataAccess {
  requirePackages('@duckdb/node-api');
  const apps = recallingCounts(appsIn(options.dataDir));
  const recall = newestEventsOf(apps, options.clock);
  return serveApps(apps, withKey(keysIn(options.dataDir), options), { ...options, recall });
}

/** Time for the service to say that a request has reached its limit. */
const GRACE_MS = 5_000;

/** The same over tables of a team. Only `apiKey` may read them. `timeoutSeconds` is the limit of a request. */
export const serveTables = (
  apps: Apps,
  { timeoutSeconds, ...options }: Omit<LocalDataAccessOptions, 'dataDir'> & { timeoutSeconds: number },
): LocalDataAccess =>
  serveApps(apps, withKey(NO_KEYS, options), { ...options, timeoutMs: timeoutSeconds * 1000 + GRACE_MS });

const NO_KEYS = { find: async () => undefined, noteUse: async () => {} };

function serveApps(
  apps: Apps,
  keys: Pick<KeyStore, 'find' | 'noteUse'>,
  {
    apiKey,
    clock,
    logger,
    timeoutMs,
    recall = async () => undefined,
  }: Omit<LocalDataAccessOptions, 'dataDir'> &
    Pick<DataAccessHttpOptions, 'timeoutMs'> & { recall?: ReturnType<typeof newestEventsOf> },
): LocalDataAccess & { app: DataAccessApp } {
  const app = createDataAccessApp({ keys, apps, clock, logger });
  return {
    app,
    sourceFor: (_app, runs) =>
      createHttpMetricSource({
        baseUrl: BASE_URL,
        apiKey,
        clock,
        fetch: async (input, init) => (await recall(input)) ?? app.request(input, init),
        supportsBodyComparison: true,
        budget: budgetIn(runs),
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
    close: () => apps.close(),
  };
}

function withKey(
  kept: Pick<KeyStore, 'find' | 'noteUse'>,
  { apiKey, appIds }: Omit<LocalDataAccessOptions, 'dataDir'>,
): Pick<KeyStore, 'find' | 'noteUse'> {
  const own = { id: 'local', sha256: hashOf(apiKey) };
  const ownApps = async () => (typeof appIds === 'function' ? appIds() : appIds);
  return {
    find: async (sha256) => (sha256 === own.sha256 ? { ...own, apps: await ownApps() } : kept.find(sha256)),
    noteUse: async (key, at) => (key.sha256 === own.sha256 ? undefined : kept.noteUse(key, at)),
  };
}
