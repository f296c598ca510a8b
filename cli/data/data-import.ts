import { Option } from 'commander';
import { doubtful } from '../../local/colour.ts';
import { usualNamesOf } from '../../local/data/import/column-names.ts';
import { TIME_FORMATS, type TimeFormat } from '../../local/data/import/conversions.ts';
import {
  FILE_FORMATS,
  type FileFormat,
  formatOf,
  openEventFile,
} from '../../local/data/import/event-file.ts';
import { FIELDS, type Field, parseMapping, REQUIRED, titleOf } from '../../local/data/import/fields.ts';
import { checkTarget, type ImportReport, importEvents } from '../../local/data/import/import-events.ts';
import { proposeMapping } from '../../local/data/import/propose-mapping.ts';
import { sampleOf } from '../../local/data/import/sample.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { iso } from '../../shared/time/iso.ts';
import type { ProjectOptions } from '../options/project.ts';
import { listOf } from '../terminal/arguments.ts';
import type { Command } from '../terminal/command.ts';
import { type Ask, isWanted } from '../terminal/confirm.ts';
import { inZone, minuteOf } from '../terminal/times.ts';
import { safeLines, wrapped } from '../terminal/wrapping.ts';
import { importTarget } from './import-target.ts';
import { missingText, proposalLines } from './proposal-lines.ts';

interface Options extends ProjectOptions {
  data: string;
  json?: true;
  app?: string;
  zone?: string;
  rules: string;
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

/** Side effects, replaceable in tests. */
export interface ImportParts {
  clock: Clock;
  ask: Ask;
}

export function addImport(data: Command, dataDir: string, parts: ImportParts): void {
  data
    .command('import')
    .description('Import events from a file: all of them, or none if a line is invalid')
    .argument('<file>', 'NDJSON, CSV or Parquet file')
    .option('--app <id>', 'App id; default: the app that your rules watch')
    .option('--data <dir>', 'Folder of the data', dataDir)
    .option('--zone <zone>', 'IANA time zone of a new app; default: that of its rules, or UTC')
    .option('--rules <dir>', 'Folder of the rules to take the app and its zone from', 'rules')
    .option('--map <field=column>', 'Take a field from this column; can be repeated', listOf)
    .option('--set <field=value>', 'Set a field to one value in all events; can be repeated', listOf)
    .option(
      '--property <column>',
      'Import a column as a property, even if a field has its name; can be repeated',
      listOf,
    )
    .option('--yes', 'Accept the proposed columns without asking')
    .addOption(
      new Option('--format <format>', 'File format; default: by the file extension').choices(FILE_FORMATS),
    )
    .addOption(
      new Option('--time-format <format>', 'Format of the times in the file; default: detected').choices(
        TIME_FORMATS,
      ),
    )
    .option('--skip-bad', 'Skip invalid lines and import the others')
    .addOption(new Option('--append', 'Add to the existing data of the app').conflicts('replace'))
    .addOption(new Option('--replace', 'Replace the existing data of the app'))
    .option('--json', 'Print one JSON document')
    .addHelpText('after', () => HELP)
    .example('data import orders.csv --app shop', 'Show what each column becomes, and ask for confirmation')
    .example('data import orders.csv --app shop --yes', 'The same in a script')
    .example(
      'data import chat.csv --app chat --map user_id=sender',
      'Map columns by name, and give all events one name',
    )
    .action((file: string, options: Options) => importFile(file, options, parts));
}

const HELP = `
${wrapped(
  `An event needs ${new Intl.ListFormat('en-GB').format(REQUIRED)}. A column becomes a field if it has the name ` +
    'of the field or one of the usual names below; every other column becomes a property of the events. --map, ' +
    '--set and --property override this. The command then shows what each column becomes, and asks for ' +
    'confirmation.',
  0,
).join('\n')}

Fields as named in rules, and their usual column names:
${FIELDS.flatMap(fieldLines).join('\n')}

Use a path for a value inside an object: --map app_version=context.app.v.
An app that has data requires --append or --replace. Events without a
session_id are grouped into sessions that end after 30 minutes without an event.
Times without an offset are UTC.`;

function fieldLines(field: Field): string[] {
  const names = usualNamesOf(field).join(', ');
  return wrapped(`  ${titleOf(field)}${names && `: ${names}`}`, 4);
}

async function importFile(file: string, options: Options, { clock, ask }: ImportParts): Promise<void> {
  const given = parseMapping(options.map ?? [], options.set ?? [], options.property ?? []);
  const target = await importTarget(options);
  const { app } = target;
  const { data, append, replace } = options;
  const existing = append ? 'append' : replace ? 'replace' : undefined;
  const zoned = target.zone !== undefined && { zone: target.zone };
  const about = { dir: data, app, file, ...zoned, ...(existing && ({ existing } as const)) };
  const { zone } = (await checkTarget(about)).settings;
  const format = options.format ?? formatOf(file);
  const sample = await sampleOf(await openEventFile(file, format));
  const guessed = proposeMapping(sample, given);
  const proposal = { ...guessed, timeFormat: options.timeFormat ?? guessed.timeFormat };
  const { isGuessed, missing } = proposal;
  const print = options.json ? console.error : console.log;
  if (isGuessed || missing.length > 0) print(proposalLines(proposal, sample).join('\n'));
  for (const line of target.notes.flatMap(safeLines)) print(line);
  if (missing.length > 0) throw new ConfigError(missingText(missing));
  const needsAgreement = (isGuessed || target.isGuessed) && !options.yes;
  if (needsAgreement && !(await isWanted(ask, `Import into ${app} like this?`, AGREEMENT))) return;

  if (process.stderr.isTTY) process.stderr.write(`Importing ${file}`);
  const report = await importEvents({
    ...about,
    ...{ format, now: clock.now(), skipBad: options.skipBad ?? false },
    ...{ mapping: proposal.mapping, timeFormat: proposal.timeFormat },
  }).finally(() => process.stderr.isTTY && process.stderr.write('\r\u001b[K'));
  if (options.json) console.log(JSON.stringify(importedData(report, { app, folder: options.data })));
  else console.log(`${app} in ${options.data}: ${summaryOf(report, zone)}`);
}

/** The output of `--json`: the events of this file, its invalid lines, and all that the app has now. */
function importedData(
  { records, bad, shown, properties, future, repeated, app: total }: ImportReport,
  of: { app: string; folder: string },
) {
  return {
    ...of,
    imported: records - bad,
    bad,
    badLines: shown,
    properties,
    repeated: repeated.count,
    future: { events: future.count, lastAt: future.count > 0 ? iso(future.lastAt) : null },
    total: { ...total, firstAt: iso(total.firstAt), lastAt: iso(total.lastAt) },
  };
}

const AGREEMENT = {
  instead:
    'nothing was imported. Use --yes to accept the proposal, or set the fields with --map and --set and the app with --app',
  refused: 'Nothing was imported. Use --map field=column to change a column.',
};

function summaryOf(
  { records, bad, shown, properties, future, repeated, app }: ImportReport,
  zone: string,
): string {
  const has = `${counted(app.events, 'event')}, ${counted(app.sessions, 'session')}, ${counted(app.users, 'user')}`;
  const lines = [
    `${counted(records - bad, 'event')} imported`,
    ...wrapped(`Total: ${has}, ${minuteIn(zone, app.firstAt)} to ${minuteIn(zone, app.lastAt)} ${zone}`),
    ...(properties.length > 0 ? safeLines(`Properties: ${properties.join(', ')}`) : []),
    ...warningLines(
      { ...future, of: records - bad },
      `in the future, up to ${minuteIn(zone, future.lastAt)} ${zone}`,
      ', but no rule sees an event before its time. If the times are wrong, check --time-format and the offsets, and ' +
        'import again with --replace',
    ),
    ...warningLines(
      { ...repeated, of: records - bad },
      'equal to an earlier line',
      '. If they are duplicates, take them out, or name the id of the events with --map event_id=COLUMN',
    ),
  ];
  if (bad > 0)
    lines.push(`${counted(bad, 'invalid line')} skipped${bad > shown.length ? ', the first of them' : ''}:`);
  return [...lines, ...shown.map(({ line, problem }) => `  line ${line}: ${printable(problem)}`)].join('\n');
}

/** Warns of imported events: what they are, and the end of the sentence that they are imported. */
function warningLines(
  { count, lines, of }: ImportReport['repeated'] & { of: number },
  are: string,
  then: string,
): string[] {
  if (count === 0) return [];
  const some = `${count.toLocaleString('en-US')} of ${counted(of, 'event')} ${count === 1 ? 'is' : 'are'}`;
  const places = `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${count > lines.length ? ' and others' : ''}`;
  return wrapped(`${doubtful('warning:')} ${some} ${are} (${places}). They are imported${then}`);
}

function minuteIn(zone: string, at: Millis): string {
  return minuteOf(inZone(at, zone));
}
