import type { PostHogTables, SqlApp } from '../../../shared/config/sql-tables.ts';
import { systemClock as clock } from '../../../shared/runtime/clock.ts';
import { postHog } from '../engines/posthog/client.ts';
import { postHogEngine } from '../engines/posthog/engine.ts';
import { postHogReader } from '../engines/posthog/table-reader.ts';
import { POSTHOG_COLUMNS } from '../tables/posthog-columns.ts';
import { engineOfRequest, type MappedTables, type TableDeps } from './mapped-apps.ts';

/** The events of a project of PostHog. */
export async function openPostHogTables(
  { apps, host, keySecret, project, timeoutSeconds }: PostHogTables,
  { readSecret }: Pick<TableDeps, 'readSecret'>,
): Promise<MappedTables> {
  const client = postHog({ host, project, key: await readSecret(keySecret), clock });
  return {
    apps: Object.fromEntries(Object.entries(apps).map(([id, app]) => [id, eventsOf(app)])),
    reader: postHogReader(client),
    engineOver: (source) => engineOfRequest(() => postHogEngine(client, source, timeoutSeconds * 1000)),
    close: () => client.close(),
  };
}

const eventsOf = ({ columns, ...app }: PostHogTables['apps'][string]): SqlApp => ({
  ...app,
  events: {
    table: 'events',
    partition: { day: 'timestamp', format: 'YYYY-MM-DD', marginDays: 0 },
    columns: { ...POSTHOG_COLUMNS, ...columns },
  },
});
