import { serve } from '@hono/node-server';
import { createDataAccessApp } from '../../functions/data-access/app.ts';
import { appsIn } from '../../functions/data-access/apps.ts';
import { hashOf } from '../../shared/access/api-key.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { APP_IDS } from './apps.ts';
import { NOW } from './rows.ts';

export const API_KEY = 'bench';

export interface Service {
  readonly port: number;
  close(): void;
}

/** The service as it is deployed, but for its clock and its one key, on a port of loopback. */
export function openService(directory: string): Promise<Service> {
  const apps = appsIn(directory);
  const key = { id: 'bench', sha256: hashOf(API_KEY), apps: [...APP_IDS] };
  const keys = {
    find: async (sha256: string) => (sha256 === key.sha256 ? key : undefined),
    noteUse: async () => {},
  };
  const app = createDataAccessApp({ apps, keys, clock: new ManualClock(NOW), logger: console });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({
        port,
        close() {
          server.close();
          apps.close();
        },
      }),
    );
  });
}
