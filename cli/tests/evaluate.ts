import { createReadStream, ReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { metricOf } from '../../shared/alerting/rules/metrics.ts';
import type { FigureRule } from '../../shared/alerting/rules/rule.ts';
import { holidayFault } from '../../shared/alerting/time/holiday-calendar.ts';
import type { Holidays } from '../../shared/alerting/time/holiday-schema.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import { ZoneClock } from '../../shared/alerting/time/zone-clock.ts';
import { isZone } from '../../shared/analytics/zone.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { csvRows } from '../../workbench/series/csv-rows.ts';
import { defaultRule } from '../../workbench/series/default-rule.ts';
import { evaluateSeries, type Plan } from '../../workbench/series/evaluate-series.ts';
import { incidentSpans } from '../../workbench/series/incident-spans.ts';
import { RowTimes } from '../../workbench/series/row-times.ts';
import {
  cutByGrain,
  cutBySpan,
  grainOf,
  SPANS,
  type Span,
  spanOf,
} from '../../workbench/series/window-span.ts';
import { examples } from '../terminal/arguments.ts';
import { fileProblem } from '../terminal/file-errors.ts';
import { Report } from './evaluated-report.ts';
import { readRule } from './one-rule.ts';

/** Rows that are read at once are in memory at once: the usual 64 KB of them outlive young garbage. */
const READ_BYTES = 8_192;

interface Options {
  every?: Span;
  zone?: string;
  rule?: string;
  mean?: true;
  gaps?: 'zero' | 'missing';
  timestamp?: string;
  value?: string;
  holidays?: Holidays;
  incidents?: string;
  complete?: true;
  all?: true;
  gates?: true;
  json?: true;
  failOnBreach?: true;
}

/** `deltawatch judge`: what a rule, or the default, says of each window of a series in a file. */
export function evaluateCommand(): Command {
  return new Command('judge')
    .description('judge every window of a series in a CSV file, as if each were the newest')
    .argument('<series>', 'file of timestamp,value rows in order of time; - reads the input')
    .addOption(new Option('--every <span>', 'how long a window is').choices(SPANS))
    .option('--zone <zone>', 'time zone of the windows, and of times without an offset', zone)
    .option('--rule <file>', 'rule file to judge by, or FILE#ID; by default what is usual')
    .option('--mean', 'average the rows of a window instead of adding them up')
    .addOption(new Option('--gaps <kind>', 'what a window without rows is').choices(['zero', 'missing']))
    .option('--timestamp <name>', 'column of the times')
    .option('--value <name>', 'column of the values')
    .option('--holidays <place>', 'neither judge nor learn holidays: DE or DE-BY', holidays)
    .option('--incidents <file>', 'file of start,end rows that are not learned from')
    .option('--complete', 'the last window is over, though no row lies past its end')
    .option('--all', 'print every window, not only those in which something happened')
    .option('--gates', 'print every gate below its window')
    .option('--json', 'print one JSON line per window')
    .option('--fail-on-breach', 'end with 1 if a window breached')
    .addHelpText(
      'after',
      examples(
        ['judge series.csv --every 1h --zone Europe/Berlin', 'what is unusual in it'],
        ['judge orders.csv --rule rules.yaml --gates', 'what a rule says of it, and why'],
      ),
    )
    .action(async (series: string, options: Options) => {
      const breached = await evaluate(series, options);
      if (breached > 0 && options.failOnBreach) process.exitCode = 1;
    });
}

/** Prints what is found; gives the number of windows that breached. */
async function evaluate(series: string, options: Options): Promise<number> {
  const plan = await planOf(options);
  const { zone } = plan.rule;
  const { timestamp, value } = options;
  const file = series === '-' ? undefined : series;
  const source = file === undefined ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  const format = {
    ...{ name: file ?? 'the input', times: new RowTimes(zone) },
    ...(timestamp !== undefined && { timestamp }),
    ...(value !== undefined && { value }),
  };
  const report = new Report({ ...options, clock: new ZoneClock(zone) });
  const progress = await progressOf(source, file);
  const outcomes = evaluateSeries(csvRows(source, format), plan);
  try {
    await pipeline(report.chunks(outcomes, progress.show), process.stdout, { end: false });
  } catch (error) {
    // Whoever reads has seen enough, as in `| head`.
    const isEnough = error instanceof Error && 'code' in error && error.code === 'EPIPE';
    if (!isEnough) throw file === undefined ? error : fileProblem(file, error);
  } finally {
    progress.end();
  }
  if (options.json) for (const note of report.notes()) console.error(note);
  return report.breached;
}

async function planOf(options: Options): Promise<Plan> {
  const { every, mean, gaps, complete } = options;
  if (mean && gaps === 'zero')
    throw new InvalidRequestError('an average of no rows is not zero: leave --gaps out');
  const rule =
    options.rule === undefined ? ruleFrom(options) : ruledBy(await readRule(options.rule), options);
  const measure = metricOf(rule).kind === 'count' ? 'sum' : 'mean';
  return {
    rule,
    bucketing: {
      cut:
        options.rule === undefined && every
          ? cutBySpan(every, rule.zone)
          : cutByGrain(rule.window, rule.zone),
      measure,
      gaps: gaps ?? (measure === 'sum' ? 'zero' : 'missing'),
    },
    incidents: options.incidents === undefined ? [] : await readIncidents(options.incidents, rule.zone),
    isComplete: complete ?? false,
  };
}

function ruleFrom({ every, zone = 'UTC', mean, holidays }: Options): FigureRule {
  if (!every) throw new InvalidRequestError('--every says how long a window is; only a --rule says it too');
  const measure = mean ? 'mean' : 'sum';
  return defaultRule({ grain: grainOf(every), zone, measure, ...(holidays && { holidays }) });
}

/** The rule, where the other options do not contradict it. */
function ruledBy(rule: FigureRule, { every, zone, mean, holidays }: Options): FigureRule {
  const isOther = every !== undefined && every !== spanOf(rule.window);
  if (isOther || (zone !== undefined && zone !== rule.zone))
    throw new InvalidRequestError(
      `${rule.id} judges each ${rule.window} in ${rule.zone}: leave --every and --zone to it`,
    );
  if (mean)
    throw new InvalidRequestError(`what ${rule.id} does with rows follows from its metric: leave --mean out`);
  return holidays ? { ...rule, holidays } : rule;
}

async function readIncidents(file: string, zone: string): Promise<Window[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  return incidentSpans(text, { name: file, times: new RowTimes(zone) });
}

/** Tells a person at a terminal how far a file is read, where nothing else is told there. */
async function progressOf(source: Readable, file: string | undefined) {
  const line = progressLine();
  const isSeen = process.stderr.isTTY && !process.stdout.isTTY;
  if (!isSeen || file === undefined || !(source instanceof ReadStream))
    return { show: () => {}, end: () => {} };
  const { size } = await stat(file).catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  return { show: () => line.show('Judging', source.bytesRead, size), end: () => line.end() };
}

function zone(text: string): string {
  if (!isZone(text)) throw new InvalidArgumentError('Write an IANA time zone, such as Europe/Berlin.');
  return text;
}

function holidays(text: string): Holidays {
  const [, country, region] = /^([A-Z]{2})(?:-(\w+))?$/.exec(text) ?? [];
  if (country === undefined)
    throw new InvalidArgumentError('Write a country, DE, or one of its regions, DE-BY.');
  const place = { country, ...(region !== undefined && { region }), days: [] };
  const fault = holidayFault(place);
  if (fault) throw new InvalidArgumentError(`${fault.message}.`);
  return place;
}
