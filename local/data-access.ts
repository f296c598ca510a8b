import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDataAccessApp, type DataAccessApp } from '../functions/data-access/app.ts';
import { type Apps, appIdsIn, appsIn } from '../functions/data-access/apps/apps.ts';
import { keysIn } from '../functions/data-access/apps/key-file.ts';
import { hashOf, type KeyStore } from '../shared/access/api-key.ts';
import type { SqlTables } from '../shared/config/sql-tables.ts';
import type { RunStore } from '../shared/planning/run-store.ts';
import { callsWithin, type MetricSource } from '../shared/readings/metric-source.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { requirePackages } from '../shared/runtime/optional-packages.ts';
import type { DataAccessHttpOptions } from '../shared/source/http-calls.ts';
import { createHttpMetricSource } from '../shared/source/metric-source.ts';
import { apiKeysIn } from '../shared/store/api-keys.ts';
import { openTable } from '../shared/store/dynamodb-table.ts';
import { reportingUnreadable } from '../shared/store/unreadable-items.ts';
import { terminalLogger as logger } from './terminal.ts';

export { appIdsIn } from '../functions/data-access/apps/apps.ts';
export { openTables } from '../functions/data-access/apps/open-tables.ts';

/** The default limit of the service. */
export const CALLS_PER_HOUR = 500;

/** Never resolved: requests to it are answered in this process. */
const BASE_URL = 'http://data-access.local';

/** Time for the service to say that a request has reached its limit. */
const GRACE_MS = 5_000;

/**
 * Where figures come from: a folder of imported data, a data access service by its base URL, or the open tables of a team,
 * which their opener closes. `describe` is the end of a sentence.
 */
export type FigureSource =
  | { kind: 'folder'; dataDir: string; describe?: string }
  | { kind: 'service'; url: string; apiKey: string; describe: string }
  | { kind: 'tables'; apps: Apps; tables: SqlTables; describe: string };

/** Whether an app can have versions: tables of a team may have no column of them. */
export function hasVersions(from: FigureSource, app: string): boolean {
  if (from.kind !== 'tables' || from.tables.engine === 'posthog') return true;
  const { events, sessions } = from.tables.apps[app] ?? {};
  return (sessions ?? events)?.columns.app_version !== undefined;
}

export interface LocalDataAccess {
  /** The service in this process; `undefined` if it runs elsewhere. */
  app?: DataAccessApp;
  /** A client of the HTTP interface, within the limits of the service. */
  sourceFor: (app: string, runs: RunStore) => MetricSource;
  /** The bytes that the engine has read so far; `undefined` if it does not tell them. */
  bytesScanned?: () => number | undefined;
  close(): void;
}

export interface AccessOptions {
  /** A key for all apps of a folder or of the tables, besides the keys of the folder. */
  apiKey: string;
  clock: Clock;
}

/** Opens a source with its service in this process, if it has none. Throws `ConfigError` without DuckDB. */
export function openDataAccess(from: FigureSource, { apiKey, clock }: AccessOptions): LocalDataAccess {
  switch (from.kind) {
    case 'service': {
      const { url: baseUrl, apiKey: ofService } = from;
      const http = { baseUrl, apiKey: ofService, clock };
      return {
        sourceFor: (_app, runs) => createHttpMetricSource({ ...http, budget: budgetIn(runs) }),
        close: () => {},
      };
    }
    case 'folder':
      return openFolder(from.dataDir, { apiKey, clock });
    case 'tables': {
      const { apps, timeoutSeconds } = from.tables;
      const keys = { find: async () => undefined, noteUse: async () => {} };
      const timeoutMs = timeoutSeconds * 1000 + GRACE_MS;
      const appIds = async () => Object.keys(apps);
      return { ...serveApps(from.apps, { keys, appIds, apiKey, clock, timeoutMs }), close: () => {} };
    }
  }
}

export function openFolder(
  dataDir: string,
  options: AccessOptions,
): LocalDataAccess & { app: DataAccessApp } {
  requirePackages('@duckdb/node-api');
  // Apps are listed at each request: rules deployed later may watch newer ones.
  return serveApps(appsIn(dataDir), { ...options, keys: keysIn(dataDir), appIds: () => appIdsIn(dataDir) });
}

interface Serving extends AccessOptions {
  keys: Pick<KeyStore, 'find' | 'noteUse'>;
  appIds: () => Promise<string[]>;
  timeoutMs?: number;
}

function serveApps(
  apps: Apps,
  { apiKey, clock, keys: kept, appIds, timeoutMs }: Serving,
): LocalDataAccess & { app: DataAccessApp } {
  const own = { id: 'local', sha256: hashOf(apiKey) };
  const keys: Serving['keys'] = {
    find: async (sha256) => (sha256 === own.sha256 ? { ...own, apps: await appIds() } : kept.find(sha256)),
    noteUse: async (key, at) => (key.sha256 === own.sha256 ? undefined : kept.noteUse(key, at)),
  };
  let scanned: number | undefined;
  const onAnswered = ({ bytesScanned }: { bytesScanned?: number }) => {
    if (bytesScanned !== undefined) scanned = (scanned ?? 0) + bytesScanned;
  };
  const app = createDataAccessApp({ keys, apps, clock, logger, onAnswered });
  return {
    app,
    bytesScanned: () => scanned,
    sourceFor: (_app, runs) =>
      createHttpMetricSource({
        baseUrl: BASE_URL,
        apiKey,
        clock,
        fetch: async (input, init) => app.request(input, init),
        supportsBodyComparison: true,
        budget: budgetIn(runs),
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
    close: () => apps.close(),
  };
}

function budgetIn(runs: RunStore): DataAccessHttpOptions['budget'] {
  return {
    takeCalls: (app, at, calls, part) => runs.takeCalls(app, at, calls, callsWithin(part, CALLS_PER_HOUR)),
  };
}

/** The keys of a data directory or, if given, of a DynamoDB table in the current AWS account. */
export function keyStoreOf(place: { data: string; table?: string | undefined }, clock: Clock): KeyStore {
  if (place.table === undefined) return keysIn(place.data);
  const table = openTable(place.table, new DynamoDBClient(), clock);
  return apiKeysIn(reportingUnreadable(table, logger));
}
