import { type Command, Option } from 'commander';
import { lakeAt } from '../../local/data/publish/destination.ts';
import type { Lake } from '../../local/data/publish/lake.ts';
import { type PublishReport, publishApp } from '../../local/data/publish/publish.ts';
import { publishSettings } from '../../local/data/publish/publish-settings.ts';
import { counted, progressLine } from '../../local/terminal.ts';
import { LAYOUT_VERSION } from '../../shared/analytics/tables.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { examples } from '../terminal/arguments.ts';

interface Destination {
  address: string;
  lake: Lake;
}

/** An app of a folder, and where it goes; `--table` is where the service on AWS looks for its settings. */
export interface Publication {
  app: string;
  data: string;
  to?: Destination;
  table?: string;
  remove?: boolean;
}

export const toOption = () =>
  new Option('--to <place>', 'publish the app there: s3://BUCKET/PREFIX or a folder').argParser(
    (address): Destination => ({ address, lake: lakeAt(address) }),
  );
export const tableOption = () =>
  new Option('--table <name>', 'DynamoDB table that is to have its settings too');

export function addPublish(data: Command, dataDir: string, clock: Clock): void {
  data
    .command('publish')
    .description('write an app as Parquet to S3, from where the service on AWS reads it')
    .requiredOption('--app <id>', 'id of the app')
    .addOption(toOption().makeOptionMandatory())
    .addOption(tableOption())
    .option('--data <dir>', 'folder of the data', dataDir)
    .option('--remove', 'remove the days that the folder does not hold, however many')
    .addHelpText(
      'after',
      `
One file for each table and UTC day, under the version of their layout:
v${LAYOUT_VERSION}/<table>/app_id=<id>/day=<day>/data.parquet.
Only files that differ are sent, and days the app no longer has are removed:
more than three, or than half, only with --remove. What was interrupted is
completed by the same command.`,
    )
    .addHelpText(
      'after',
      examples(['data publish --app shop --to s3://my-bucket/shop', 'as the service on AWS reads it']),
    )
    .action((publication: Publication) => publish(publication, 'replace', clock));
}

/**
 * Publishes as far as options say so; tells on stderr how far it is, and on stdout what was done. `settings` says what
 * becomes of those that the table has.
 */
export async function publish(
  { app, data: dir, to, table, remove = false }: Publication,
  settings: 'keep' | 'replace',
  clock: Clock,
): Promise<void> {
  if (to !== undefined) {
    const progress = progressLine();
    const onProgress = (done: number, of: number) => progress.show(`Publishing ${app}`, done, of);
    const report = await publishApp({ dir, app, lake: to.lake, remove, onProgress }).finally(progress.end);
    console.log(`${app} is at ${to.address}: ${summaryOf(report)}`);
  }
  if (table !== undefined) {
    const saved = await publishSettings({ dir, app }, { tableName: table, existing: settings }, clock);
    console.log(
      saved
        ? `its settings are in the table ${table}`
        : `its settings in the table ${table} stay: data publish replaces them`,
    );
  }
}

function summaryOf({ written, bytesWritten, unchanged, removed, firstDay, lastDay }: PublishReport): string {
  const size = `${(bytesWritten / 1e6).toFixed(1)} MB`;
  const gone = removed > 0 ? `, ${removed} removed` : '';
  return `${counted(written, 'file')} written (${size}), ${unchanged} unchanged${gone}; ${firstDay} to ${lastDay}`;
}
