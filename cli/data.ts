import { Command, Option } from 'commander';
import { writeDemoApp } from '../local/data/demo/demo-app.ts';
import type { Incident } from '../local/data/demo/incidents.ts';
import { parseMapping } from '../local/data/import/fields.ts';
import { type ImportOptions, type ImportReport, importEvents } from '../local/data/import/import-events.ts';
import { FILE_FORMATS, type FileFormat } from '../local/data/import/records.ts';
import { TIME_FORMATS, type TimeFormat } from '../local/data/import/times.ts';
import { counted, progressLine } from '../local/terminal.ts';
import { type Clock, type Millis, systemClock } from '../shared/runtime/clock.ts';
import { examples, instant, listOf, wholeNumber } from './arguments.ts';
import { addPublish, type Publication, publish, tableOption, toOption } from './data-publish.ts';
import { withUsage } from './usage.ts';

const DEFAULT_DIR = '.deltawatch/data';
const DAY = 86_400_000;

/** `deltawatch data`: fills the folder from which the data access service reads. */
export function dataCommand(clock: Clock = systemClock): Command {
  const data = withUsage(new Command('data')).description(
    'generate a demo app, import events of your own, publish them to S3',
  );
  addGenerate(data, clock);
  addImport(data, clock);
  addPublish(data, DEFAULT_DIR, clock);
  return data;
}

interface GenerateOptions {
  seed: number;
  until?: Millis;
  days: number;
  app: string;
  data: string;
}

function addGenerate(data: Command, clock: Clock): void {
  data
    .command('generate')
    .description('write a demo shop, the same for the same seed, with incidents to find')
    .option('--seed <number>', 'which demo shop', wholeNumber, 1)
    .option(
      '--until <time>',
      'where its data ends, 2026-03-01 or 2026-03-01T06:00Z; now if left out',
      instant,
    )
    .option('--days <number>', 'days of data before that', wholeNumber, 120)
    .option('--app <id>', 'id of the app', 'demo')
    .option('--data <dir>', 'folder of the data', DEFAULT_DIR)
    .addHelpText(
      'after',
      examples(
        ['data generate', '120 days of the demo shop, up to now'],
        ['data generate --seed 2 --days 150 --data shop-data', 'another, in a folder of its own'],
      ),
    )
    .action(async ({ seed, until = clock.now(), days, app, data: dir }: GenerateOptions) => {
      const progress = progressLine();
      const report = await writeDemoApp({
        dir,
        app,
        seed,
        from: until - days * DAY,
        until,
        onProgress: (done) => progress.show(done.step, done.days, done.ofDays),
      }).finally(progress.end);
      const { sessions, events, users, newUsers, incidents } = report;
      console.log(`${app} in ${dir}: the demo shop of seed ${seed}, ${days} days to ${minute(until)} UTC`);
      console.log(
        `${counted(events, 'event')}, ${counted(sessions, 'session')}, ${counted(users, 'user')}, ${counted(newUsers, 'new one')}`,
      );
      console.log(`\n${counted(incidents.length, 'incident')}, times in UTC:`);
      for (const incident of incidents) console.log(`  ${incidentLine(incident)}`);
    });
}

function incidentLine(incident: Incident): string {
  const hours = `${(incident.endsAt - incident.startsAt) / 3_600_000} h`.padStart(6);
  return `${minute(incident.startsAt)} ${hours}  ${incident.kind.padEnd(15)}${effectOf(incident)}`;
}

function effectOf(incident: Incident): string {
  switch (incident.kind) {
    case 'rage-surge':
      return `x ${incident.factor} on ${incident.screen}, ${incident.platform} ${incident.appVersion}`;
    case 'new-users-drop':
      return `x ${incident.factor} from release ${incident.appVersion} on`;
    case 'event-stops':
      return `no ${incident.eventName} in ${incident.country}`;
  }
}

interface ImportCommandOptions extends Publication {
  zone?: string;
  map?: string[];
  set?: string[];
  format?: FileFormat;
  timeFormat: TimeFormat;
  skipBad?: true;
  append?: true;
  replace?: true;
}

function addImport(data: Command, clock: Clock): void {
  data
    .command('import')
    .description('import events from a file: all of them, or none where a line is bad')
    .argument('<file>', 'NDJSON, CSV or Parquet, told by its name')
    .requiredOption('--app <id>', 'id of the app')
    .option('--data <dir>', 'folder of the data', DEFAULT_DIR)
    .option('--zone <zone>', 'IANA zone in which the days of a new app begin; UTC if left out')
    .option(
      '--map <field=column>',
      'the column of a field that is not named like it; repeat for more',
      listOf,
    )
    .option('--set <field=value>', 'one value for a field in all events; repeat for more', listOf)
    .addOption(
      new Option('--format <format>', 'of the file, where its name does not tell').choices(FILE_FORMATS),
    )
    .addOption(new Option('--time-format <format>', 'of its times').choices(TIME_FORMATS).default('iso'))
    .option('--skip-bad', 'leave bad lines out and import the others')
    .addOption(new Option('--append', 'add to the data the app has').conflicts('replace'))
    .addOption(new Option('--replace', 'drop the data the app has'))
    .addOption(toOption())
    .addOption(tableOption())
    .addHelpText(
      'after',
      `
An event needs event_name, user_id and recorded_at; columns that are no field
become its properties. An app that has data refuses an import that says neither
--append nor --replace. Events without a session_id are put into sessions that
end after 30 minutes of quiet. Times without an offset are UTC.

  deltawatch data import chat.csv --app chat --map user_id=sender \\
    --map recorded_at=sent --set event_name=message --time-format unix`,
    )
    .addHelpText(
      'after',
      examples(
        [
          'data import orders.csv --app shop --zone Europe/Berlin',
          'events that call their fields as Deltawatch does',
        ],
        [
          'data import orders.csv --app shop --map event_name=type --skip-bad',
          'a column of another name, and without bad lines',
        ],
      ),
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const progress = recordsLine();
      const report = await importEvents({
        file,
        ...importOptions(options),
        onProgress: progress.show,
      }).finally(progress.end);
      console.log(`${options.app} in ${options.data}: ${summaryOf(report)}`);
      // A folder that is new has settings that nobody chose.
      await publish(options, 'keep', clock);
    });
}

function summaryOf({ records, bad, shown, app }: ImportReport): string {
  const has = `${counted(app.events, 'event')}, ${counted(app.sessions, 'session')}, ${counted(app.users, 'user')}`;
  const lines = [
    `${counted(records - bad, 'event')} imported`,
    `It has ${has}, ${minute(app.firstAt)} to ${minute(app.lastAt)} UTC`,
  ];
  if (bad > 0)
    lines.push(`${counted(bad, 'bad line')} left out${bad > shown.length ? ', the first of them' : ''}:`);
  return [...lines, ...shown.map(({ line, problem }) => `  line ${line}: ${problem}`)].join('\n');
}

function importOptions(options: ImportCommandOptions): Omit<ImportOptions, 'file' | 'onProgress'> {
  const existing = options.append ? 'append' : options.replace ? 'replace' : undefined;
  return {
    app: options.app,
    dir: options.data,
    mapping: parseMapping(options.map ?? [], options.set ?? []),
    timeFormat: options.timeFormat,
    skipBad: options.skipBad ?? false,
    ...(options.zone && { zone: options.zone }),
    ...(options.format && { format: options.format }),
    ...(existing && { existing }),
  };
}

/** Nobody knows how many records a file has before its end: on a terminal their number is told as it grows. */
function recordsLine(stream: NodeJS.WriteStream = process.stderr) {
  return {
    show: (records: number) =>
      stream.isTTY && stream.write(`\r\u001b[KReading ${counted(records, 'record')}`),
    end: () => stream.isTTY && stream.write('\r\u001b[K'),
  };
}

function minute(at: Millis): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
