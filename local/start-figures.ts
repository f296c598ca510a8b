import type { Apps } from '../functions/data-access/apps/apps.ts';
import type { SqlTables } from '../shared/config/sql-tables.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { type Clock, ManualClock, type Millis } from '../shared/runtime/clock.ts';
import { UpstreamError } from '../shared/runtime/errors.ts';
import { inMemoryRunStore } from '../shared/store/in-memory/stores.ts';
import { type CatchUp, planCatchUp, spansOfFolder, withoutCatchUp } from './catch-up.ts';
import type { DataSpan } from './catch-up-spans.ts';
import { type LocalDataAccess, openDataAccess, openService, serveTables } from './data-access.ts';
import { appIdsIn } from './keys.ts';
import { terminalLogger as logger } from './terminal.ts';

/**
 * Where the figures of a running system come from: a folder of imported data, a data access service by its base URL, or
 * the open tables of a team, which their opener closes. `describe` is the end of a sentence.
 */
export type StartFigures =
  | { kind: 'folder'; dataDir: string }
  | { kind: 'service'; url: string; apiKey: string; describe: string }
  | { kind: 'tables'; apps: Apps; tables: SqlTables; describe: string };

/** The age of the oldest data that matters: longer than any history of a rule. */
const HISTORY_MS = 400 * 86_400_000;

export function openStartFigures(
  figures: StartFigures,
  { clock, apiKey }: { clock: Clock; apiKey: string },
): LocalDataAccess {
  switch (figures.kind) {
    case 'folder': {
      const { dataDir } = figures;
      // Rules deployed later may watch newer apps.
      return openDataAccess({ dataDir, clock, apiKey, appIds: () => appIdsIn(dataDir), logger });
    }
    case 'service':
      return openService({ ...figures, clock });
    case 'tables': {
      const { apps, timeoutSeconds } = figures.tables;
      const appIds = Object.keys(apps);
      return {
        ...serveTables(figures.apps, { clock, apiKey, appIds, logger, timeoutSeconds }),
        close: () => {},
      };
    }
  }
}

/** What to replay before these rules run in real time. */
export async function catchUpFor(
  figures: StartFigures,
  options: { rules: readonly Rule[]; stateDir: string; now: Millis; days: number },
): Promise<CatchUp> {
  switch (figures.kind) {
    case 'folder':
      return planCatchUp({ ...options, ...spansOfFolder(figures.dataDir, options.now) });
    case 'service':
      return withoutCatchUp(options.rules, figures.describe);
    case 'tables':
      return planCatchUp({
        ...options,
        spanOf: (app) => spanOfTables(figures, app, options.now),
        hintFor: (app) => [`${app}: no data in ${figures.describe}, so its rules cannot be evaluated`],
      });
  }
}

/** Only the newest event is looked up: windows before the first one have no figures, and are not evaluated. */
async function spanOfTables(
  figures: Extract<StartFigures, { kind: 'tables' }>,
  app: string,
  now: Millis,
): Promise<DataSpan | undefined> {
  const opened = openStartFigures(figures, { clock: new ManualClock(now), apiKey: 'span' });
  const newest = await opened.sourceFor(app, inMemoryRunStore()).readNewestEventAt(app, now - HISTORY_MS);
  if (newest.kind !== 'read')
    throw new UpstreamError(`the newest event of ${app} cannot be read: ${newest.reason}`, {
      retryable: true,
    });
  if (newest.value === null) return undefined;
  return { firstAt: now - HISTORY_MS, lastAt: newest.value };
}
