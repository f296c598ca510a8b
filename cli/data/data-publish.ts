import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { type Command, Option } from 'commander';
import { loadSettings } from '../../local/data/app-file.ts';
import { folderLake } from '../../local/data/publish/folder-lake.ts';
import type { Lake } from '../../local/data/publish/lake.ts';
import { type PublishReport, publishApp } from '../../local/data/publish/publish.ts';
import { s3Lake } from '../../local/data/publish/s3-lake.ts';
import { progressLine } from '../../local/terminal.ts';
import { LAYOUT_VERSION } from '../../shared/contract/tables.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { dynamodbAppSettings } from '../../shared/store/dynamodb/app-settings.ts';
import { openTable } from '../../shared/store/dynamodb/requests.ts';
import { counted } from '../../shared/text/counted.ts';
import { examples } from '../terminal/arguments.ts';
import { wrapped } from '../terminal/wrapping.ts';
import type { PublishedData } from './data-documents.ts';

interface Destination {
  address: string;
  lake: Lake;
}

/** An app of a folder and its destination; the service on AWS reads the app's settings from `--table`. */
export interface Publication {
  app: string;
  data: string;
  to?: Destination;
  table?: string;
  remove?: boolean;
  json?: true;
}

export const toOption = () =>
  new Option('--to <place>', 'Publish the app to s3://BUCKET/PREFIX or a folder').argParser(
    (address): Destination => ({ address, lake: lakeAt(address) }),
  );
export const tableOption = () =>
  new Option('--table <name>', 'Also write its settings to this DynamoDB table');

export function addPublish(data: Command, dataDir: string, clock: Clock): void {
  data
    .command('publish')
    .description('Write the data of an app to S3 or a folder, as Parquet')
    .requiredOption('--app <id>', 'App id')
    .addOption(toOption().makeOptionMandatory())
    .addOption(tableOption())
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
    .addHelpText(
      'after',
      examples(['data publish --app shop --to s3://my-bucket/shop', 'For the service on AWS']),
    )
    .action(async (publication: Publication) => {
      const published = await publish(publication, 'replace', clock);
      if (publication.json) console.log(JSON.stringify(published));
    });
}

/**
 * Publishes as the options say, with progress on stderr. Prints the result unless `--json` is set. `settings`
 * says whether to replace those in the table.
 */
export async function publish(
  { app, data: dir, to, table, remove = false, json }: Publication,
  settings: 'keep' | 'replace',
  clock: Clock,
): Promise<PublishedData> {
  const print = json ? () => {} : console.log;
  const published: PublishedData = { files: null, settings: null };
  if (to !== undefined) {
    const progress = progressLine();
    const onProgress = (done: number, of: number) => progress.show(`Publishing ${app}`, done, of);
    const report = await publishApp({ dir, app, lake: to.lake, remove, onProgress }).finally(progress.end);
    published.files = { to: to.address, ...report };
    print(wrapped(`Published ${app} to ${to.address}: ${summaryOf(report)}`).join('\n'));
  }
  if (table !== undefined) {
    const saved = await publishSettings({ dir, app }, { tableName: table, existing: settings }, clock);
    published.settings = { table, outcome: saved ? 'saved' : 'kept' };
    print(
      saved
        ? `Saved its settings in the table ${table}`
        : `Kept its settings in the table ${table}; "data publish" replaces them`,
    );
  }
  return published;
}

function summaryOf({ written, bytesWritten, unchanged, removed, firstDay, lastDay }: PublishReport): string {
  const size = `${(bytesWritten / 1e6).toFixed(1)} MB`;
  const gone = removed > 0 ? `, ${removed} removed` : '';
  return `${counted(written, 'file')} written (${size}), ${unchanged} unchanged${gone}; ${firstDay} to ${lastDay}`;
}

/**
 * Writes the settings of an app to a table of the current AWS account. Returns false if the table already has settings of
 * the app and `existing` is `keep`. Throws `ConfigError` if the app has none, `UpstreamError` if the table cannot be written.
 */
async function publishSettings(
  { dir, app }: { dir: string; app: string },
  { tableName, existing }: { tableName: string; existing: 'keep' | 'replace' },
  clock: Clock,
): Promise<boolean> {
  const settings = await loadSettings(dir, app);
  if (settings === undefined) throw new ConfigError(`App ${app} has no settings in ${dir}`);
  const stored = dynamodbAppSettings(openTable(tableName, new DynamoDBClient(), clock));
  if (existing === 'keep') return stored.saveFirst(settings);
  await stored.save(settings);
  return true;
}

/** The lake at `s3://BUCKET/PREFIX`, with the default credentials, or in a folder. */
function lakeAt(destination: string): Lake {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(destination)) return folderLake(destination);
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(destination) ?? [];
  if (bucket === undefined)
    throw new InvalidRequestError(`"${destination}" is neither s3://BUCKET/PREFIX nor a folder`);
  // The user need not know the region of the bucket.
  return s3Lake(new S3Client({ followRegionRedirects: true }), { bucket, prefix });
}
