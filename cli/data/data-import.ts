import { type Command, Option } from 'commander';
import { FIELDS, type Field, parseMapping, REQUIRED, titleOf } from '../../local/data/import/fields.ts';
import {
  checkTarget,
  type ImportOptions,
  type ImportReport,
  importEvents,
} from '../../local/data/import/import-events.ts';
import { proposeMapping } from '../../local/data/import/propose-mapping.ts';
import { FILE_FORMATS, type FileFormat, formatOf } from '../../local/data/import/records.ts';
import { sampleOf } from '../../local/data/import/sample.ts';
import { TIME_FORMATS, type TimeFormat } from '../../local/data/import/times.ts';
import { usualNamesOf } from '../../local/data/import/usual-names.ts';
import { counted } from '../../local/terminal.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { examples, listOf } from '../terminal/arguments.ts';
import { type Ask, isWanted } from '../terminal/confirm.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { type Publication, publish, tableOption, toOption } from './data-publish.ts';
import { type ImportTarget, importTarget } from './import-target.ts';
import { missingText, proposalLines, suggestionLines } from './proposal-lines.ts';
import { watchedApps } from './watched-apps.ts';

interface Options extends Omit<Publication, 'app'> {
  app?: string;
  zone?: string;
  rules?: string;
  map?: string[];
  set?: string[];
  property?: string[];
  format?: FileFormat;
  timeFormat?: TimeFormat;
  skipBad?: true;
  append?: true;
  replace?: true;
  yes?: true;
}

/** What the command does to the world, for tests to stand in for. */
export interface ImportParts {
  clock: Clock;
  ask: Ask;
}

export function addImport(data: Command, dataDir: string, parts: ImportParts): void {
  data
    .command('import')
    .description('import events from a file: all of them, or none where a line is bad')
    .argument('<file>', 'NDJSON, CSV or Parquet, told by its name')
    .option('--app <id>', 'id of the app; by default the one that your rules watch')
    .option('--data <dir>', 'folder of the data', dataDir)
    .option(
      '--zone <zone>',
      'IANA zone in which the days of a new app begin; by default that of its rules, or UTC',
    )
    .option(
      '--rules <dir>',
      'folder of the rules that name app and zone; by default all rule folders in this directory',
    )
    .option('--map <field=column>', 'the column of a field; repeat for more', listOf)
    .option('--set <field=value>', 'one value for a field in all events; repeat for more', listOf)
    .option(
      '--property <column>',
      'keep a column as a property, whatever it is called; repeat for more',
      listOf,
    )
    .option('--yes', 'take the columns as proposed, without being asked')
    .addOption(
      new Option('--format <format>', 'of the file, where its name does not tell').choices(FILE_FORMATS),
    )
    .addOption(
      new Option('--time-format <format>', 'of its times; detected by default').choices(TIME_FORMATS),
    )
    .option('--skip-bad', 'leave bad lines out and import the others')
    .addOption(new Option('--append', 'add to the data the app has').conflicts('replace'))
    .addOption(new Option('--replace', 'drop the data the app has'))
    .addOption(toOption())
    .addOption(tableOption())
    .addHelpText('after', () => HELP)
    .addHelpText(
      'after',
      examples(
        ['data import orders.csv --app shop', 'shows what each column becomes, and asks'],
        ['data import orders.csv --app shop --yes', 'the same in a script'],
        [
          'data import chat.csv --app chat --map user_id=sender --map recorded_at=sent --set event_name=message',
          'columns of other names, and one name for all events',
        ],
      ),
    )
    .action((file: string, options: Options) => importFile(file, options, parts));
}

const HELP = `
${wrapped(
  `An event needs ${REQUIRED.join(', ')}. A column gives the field that it is named like; any other ` +
    'becomes a property of its events. Without --map and --set, or where these leave one of the three open, ' +
    'usual names are understood too. You are then shown what each column becomes, and asked.',
  0,
).join('\n')}

Fields as rules call them, and other names by which columns are understood:
${FIELDS.flatMap(fieldLines).join('\n')}

A value within an object is named by its path: --map app_version=context.app.v.
An app that has data refuses an import that says neither --append nor --replace.
Events without a session_id are put into sessions that end after 30 minutes of
quiet. Times without an offset are UTC.`;

function fieldLines(field: Field): string[] {
  const names = usualNamesOf(field).join(', ');
  return wrapped(`  ${titleOf(field)}${names && `: ${names}`}`, 4);
}

async function importFile(file: string, options: Options, { clock, ask }: ImportParts): Promise<void> {
  const given = parseMapping(options.map ?? [], options.set ?? [], options.property ?? []);
  const target = await importTarget(options, await watchedApps(options.rules));
  const { app } = target;
  const about = { ...targetOptions(options, target), file };
  await checkTarget(about);
  const format = options.format ?? formatOf(file);
  const sample = await sampleOf(file, format);
  const formats = options.timeFormat ? [options.timeFormat] : TIME_FORMATS;
  const proposal = proposeMapping(sample, given, formats);

  const { isGuessed, missing, doubts, suggested } = proposal;
  if (isGuessed || missing.length > 0 || doubts.length > 0)
    console.log(proposalLines(proposal, sample).join('\n'));
  for (const line of [...suggestionLines(suggested), ...target.notes.flatMap(safeLines)]) console.log(line);
  if (missing.length > 0) throw new ConfigError(missingText(missing));
  if ((isGuessed || target.isGuessed) && !options.yes && !(await isAgreed(ask, app))) return;

  const progress = recordsLine();
  const report = await importEvents({
    ...about,
    ...{ format, now: clock.now(), skipBad: options.skipBad ?? false, onProgress: progress.show },
    ...{ mapping: proposal.mapping, timeFormat: proposal.timeFormat },
  }).finally(progress.end);
  console.log(`${app} in ${options.data}: ${summaryOf(report)}`);
  // A folder that is new has settings that nobody chose.
  await publish({ ...options, app }, 'keep', clock);
}

async function isAgreed(ask: Ask, app: string): Promise<boolean> {
  const instead =
    'nothing was imported. Say --yes to import the file like this, or give the fields with --map and --set ' +
    'and the app with --app';
  if (await isWanted(ask, `Import it into ${app} like this?`, instead)) return true;
  console.error('Nothing was imported. --map field=column takes another column for a field.');
  process.exitCode = 1;
  return false;
}

function targetOptions(
  { data, append, replace }: Options,
  { app, zone }: ImportTarget,
): Pick<ImportOptions, 'dir' | 'app' | 'zone' | 'existing'> {
  const existing = append ? 'append' : replace ? 'replace' : undefined;
  return { dir: data, app, ...(zone && { zone }), ...(existing && { existing }) };
}

function summaryOf({ records, bad, shown, properties, future, app }: ImportReport): string {
  const has = `${counted(app.events, 'event')}, ${counted(app.sessions, 'session')}, ${counted(app.users, 'user')}`;
  const lines = [
    `${counted(records - bad, 'event')} imported`,
    ...wrapped(`It has ${has}, ${minute(app.firstAt)} to ${minute(app.lastAt)} UTC`),
    ...(properties.length > 0 ? safeLines(`Properties: ${properties.join(', ')}`) : []),
    ...futureLines(future, records - bad),
  ];
  if (bad > 0)
    lines.push(`${counted(bad, 'bad line')} left out${bad > shown.length ? ', the first of them' : ''}:`);
  return [...lines, ...shown.map(({ line, problem }) => `  line ${line}: ${printable(problem)}`)].join('\n');
}

function futureLines({ count, lines, lastAt }: ImportReport['future'], imported: number): string[] {
  if (count === 0) return [];
  const where = `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${count > lines.length ? ' and others' : ''}`;
  return safeLines(
    `warning: ${count.toLocaleString('en-US')} of ${counted(imported, 'event')} ${count === 1 ? 'is' : 'are'} in the future, up to ${minute(lastAt)} UTC (${where}). ` +
      'They are imported, but no rule sees an event before its time. If the times are wrong, ' +
      'check --time-format and the offsets, and import again with --replace',
  );
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
