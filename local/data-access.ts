import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { createDataAccessApp } from '../functions/data-access/app.ts';
import { type Apps, appsIn } from '../functions/data-access/apps.ts';
import { createHttpMetricSource } from '../shared/adapters/http-metric-source.ts';
import type { MetricSource, RunStore } from '../shared/alerting/ports.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Logger } from '../shared/runtime/logger.ts';

/** What the service allows by default. */
const CALLS_PER_HOUR = 500;

/** Never looked up: requests to it are answered inside this process. */
const BASE_URL = 'http://data-access.local';

export interface LocalDataAccess {
  app: Hono;
  sourceFor: (app: string, runs: RunStore) => MetricSource;
  close(): void;
}

export interface LocalDataAccessOptions {
  dataDir: string;
  /** The apps that `apiKey` may read, besides what the folder's own keys may. */
  appIds: string[];
  apiKey: string;
  clock: Clock;
  logger: Logger;
}

/** The data access service inside this process, and clients that ask it as they would over a network. */
export function openDataAccess(options: LocalDataAccessOptions): LocalDataAccess {
  const { dataDir, apiKey, clock, logger } = options;
  const apps = withKey(appsIn(dataDir), options);
  const app = createDataAccessApp({ apps, clock, logger });
  return {
    app,
    sourceFor: (_app, runs) =>
      createHttpMetricSource({
        baseUrl: BASE_URL,
        apiKey,
        clock,
        fetch: async (input, init) => app.request(input, init),
        supportsBodyComparison: true,
        budget: { takeCalls: (app, at, calls) => runs.takeCalls(app, at, calls, CALLS_PER_HOUR) },
      }),
    close: () => apps.close(),
  };
}

function withKey(apps: Apps, { apiKey, appIds }: LocalDataAccessOptions): Apps {
  const own = { id: 'local', sha256: createHash('sha256').update(apiKey).digest('hex'), apps: appIds };
  return { ...apps, keyOf: async (sha256) => (sha256 === own.sha256 ? own : apps.keyOf(sha256)) };
}
