import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { loadSettings } from '../../local/data/app-file.ts';
import type { Lake } from '../../local/data/publish/lake.ts';
import { type PublishReport, publishApp } from '../../local/data/publish/publish.ts';
import { s3Lake } from '../../local/data/publish/s3-lake.ts';
import { progressLine } from '../../local/terminal.ts';
import { LAYOUT_VERSION } from '../../shared/contract/tables.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { appSettingsIn } from '../../shared/store/app-settings.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Command } from '../terminal/command.ts';
import { wrapped } from '../terminal/wrapping.ts';

/** The service on AWS reads the app's settings from `table`. */
interface Options {
  app: string;
  data: string;
  to: string;
  table?: string;
  remove?: boolean;
  json?: true;
}

export function addPublish(data: Command, dataDir: string, clock: Clock): void {
  data
    .command('publish')
    .description('Write the data of an app to S3, as Parquet')
    .requiredOption('--app <id>', 'App id')
    .requiredOption('--to <place>', 's3://BUCKET/PREFIX')
    .option('--table <name>', 'Also write its settings to this DynamoDB table')
    .option('--data <dir>', 'Folder of the data', dataDir)
    .option('--remove', 'Allow removing more than three days, or more than half of them')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `
One file per table and UTC day, in a folder for the version of the layout:
v${LAYOUT_VERSION}/<table>/app_id=<id>/day=<day>/data.parquet.
Only days that have changed since the last publication are read, and only
changed files are sent. Published days that are no longer in the data folder
are removed; more than three days, or more than half of them, require
--remove. If the command is interrupted, run it again to complete it.`,
    )
    .example('data publish --app shop --to s3://my-bucket/shop', 'For the service on AWS')
    .action((options: Options) => publish(options, clock));
}

/** `--json` prints `{files, settings}`: a `PublishReport`, and the table or null. Days are UTC. */
async function publish(
  { app, data: dir, to, table, remove = false, json }: Options,
  clock: Clock,
): Promise<void> {
  const lake = lakeAt(to);
  const progress = progressLine();
  const onProgress = (done: number, of: number) => progress.show(`Publishing ${app}`, done, of);
  const report = await publishApp({ dir, app, lake, remove, onProgress }).finally(progress.end);
  if (!json) console.log(wrapped(`Published ${app} to ${to}: ${summaryOf(report)}`).join('\n'));
  if (table !== undefined) {
    const settings = await loadSettings(dir, app);
    if (settings === undefined) throw new ConfigError(`App ${app} has no settings in ${dir}`);
    await appSettingsIn(openTable(table, new DynamoDBClient(), clock)).save(settings);
    if (!json) console.log(`Saved its settings in the table ${table}`);
  }
  const settings = table === undefined ? null : { table };
  if (json) console.log(JSON.stringify({ files: { to, ...report }, settings }));
}

function summaryOf({ written, bytesWritten, unchanged, removed, firstDay, lastDay }: PublishReport): string {
  const size = `${(bytesWritten / 1e6).toFixed(1)} MB`;
  const gone = removed > 0 ? `, ${removed} removed` : '';
  return `${counted(written, 'file')} written (${size}), ${unchanged} unchanged${gone}; ${firstDay} to ${lastDay}`;
}

/** The lake at `s3://BUCKET/PREFIX`, with the default credentials. */
function lakeAt(destination: string): Lake {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(destination) ?? [];
  if (bucket === undefined)
    throw new InvalidRequestError(`"${destination}" is not a place such as s3://BUCKET/PREFIX`);
  // The user need not know the region of the bucket.
  return s3Lake(new S3Client({ followRegionRedirects: true }), { bucket, prefix });
}
