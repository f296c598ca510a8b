import { randomBytes } from 'node:crypto';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import { type Clock, ManualClock } from '../shared/runtime/clock.ts';
import { inMemoryStores } from '../shared/store/in-memory/stores.ts';
import { lazyBy } from '../shared/units/lazy.ts';
import { appIdsIn, type FigureSource, type LocalDataAccess, openDataAccess } from './data-access.ts';

export interface Figures extends Pick<LocalDataAccess, 'bytesScanned' | 'close'> {
  sourceFor: (app: string) => MetricSource;
  /** The ids of its apps. A service does not tell them. */
  apps(): Promise<readonly string[]>;
  /** The source, as the end of a sentence: `the demo shop of these days`. */
  describe: string;
}

/** The present figures of a source, for one command. Closes the tables of a team too. */
export function figuresOf(from: FigureSource, clock: Clock): Figures {
  // Rate limits of a service in this process cause no waiting.
  const own = from.kind === 'service' ? clock : new ManualClock(clock.now());
  const apiKey = randomBytes(32).toString('base64url');
  const dataAccess = openDataAccess(from, { clock: own, apiKey });
  const runs = inMemoryStores().runs;
  return {
    describe: from.kind === 'folder' ? (from.describe ?? `the data in ${from.dataDir}`) : from.describe,
    apps: async () => {
      if (from.kind === 'folder') return appIdsIn(from.dataDir);
      return from.kind === 'tables' ? Object.keys(from.tables.apps) : [];
    },
    sourceFor: lazyBy((app) => dataAccess.sourceFor(app, runs)),
    ...(dataAccess.bytesScanned && { bytesScanned: dataAccess.bytesScanned }),
    close: () => (from.kind === 'tables' ? from.apps.close() : dataAccess.close()),
  };
}
