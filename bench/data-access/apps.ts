import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version as duckDbVersion } from '@duckdb/node-api';
import { SCHEMA_SQL } from '../../functions/data-access/engines/duckdb/schema.ts';
import { appPaths, replaceAppFile } from '../../local/data/app-file.ts';
import { HOURS_SQL } from '../../local/data/hour-sums.ts';
import { openGiven, settle } from '../../local/data/rows.ts';
import { exists } from '../../local/files.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { ROW_ORDER } from '../../shared/contract/tables.ts';
import { rowStatements, type Size } from './rows.ts';

export const APP_IDS = ['large', 'medium', 'small'] as const;
export type AppId = (typeof APP_IDS)[number];

const SHARES: Readonly<Record<AppId, number>> = { large: 0.6, medium: 0.3, small: 0.1 };

/**
 * Generates the apps of the benchmark, with `events` events in total, in a folder of the temporary directory. Reuses the
 * files of an earlier run, unless the rows or their layout have changed. Returns the folder.
 */
export async function prepareApps(events: number, note: (text: string) => void): Promise<string> {
  const sizes = APP_IDS.map((id) => ({ id, events: Math.round(events * SHARES[id]) }));
  const directory = join(tmpdir(), 'deltawatch-bench', `${events}-${versionOf(sizes)}`);
  for (const { id, ...size } of sizes) {
    if (await exists(appPaths(directory, id).data)) continue;
    note(`generating app ${id}: ${size.events.toLocaleString('en')} events`);
    await writeApp(directory, id, size);
  }
  return directory;
}

function versionOf(sizes: readonly Size[]): string {
  const inputs = [
    SCHEMA_SQL,
    ROW_ORDER,
    HOURS_SQL,
    settle.toString(),
    sizes.map(rowStatements),
    duckDbVersion(),
  ];
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 12);
}

async function writeApp(directory: string, id: AppId, size: Size): Promise<void> {
  const settings = appSettingsSchema.parse({ id, name: id, rateLimit: { enforce: false } });
  await replaceAppFile(directory, settings, async (connection) => {
    await connection.run("SET memory_limit = '6GB'");
    await openGiven(connection);
    for (const statement of rowStatements(size)) await connection.run(statement);
    await settle(connection);
  });
}
