import { createReadStream, ReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { isZone } from '../../shared/contract/zone.ts';
import { isSummed } from '../../shared/rules/metric.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { holidayFault } from '../../shared/time/holiday-calendar.ts';
import type { Holidays } from '../../shared/time/holiday-schema.ts';
import type { Window } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
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

/** Rows of one chunk are in memory together; those of the default 64 KB outlive young garbage. */
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

/** `deltawatch evaluate`: the verdict of a rule, or of anomaly detection, on each window of a series in a file. */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('Evaluate every window of a time series in a CSV file')
    .argument('<series>', 'CSV file of timestamp,value rows in order of time; - reads standard input')
    .addOption(new Option('--every <span>', 'Length of a window').choices(SPANS))
    .option('--zone <zone>', 'Time zone of the windows, and of times without an offset', zone)
    .option('--rule <file>', 'Rule to evaluate, as FILE or FILE#ID; default: anomaly detection')
    .option('--mean', 'Average the rows of a window instead of adding them up')
    .addOption(new Option('--gaps <kind>', 'Value of a window without rows').choices(['zero', 'missing']))
    .option('--timestamp <name>', 'Name of the timestamp column')
    .option('--value <name>', 'Name of the value column')
    .option(
      '--holidays <place>',
      'Skip the public holidays of a country or region, such as DE or DE-BY',
      holidays,
    )
    .option('--incidents <file>', 'CSV file of start,end rows: periods to leave out of baselines')
    .option('--complete', 'Evaluate the last window too, even if no row follows it')
    .option('--all', 'Print every window, not only breaches and changes of state')
    .option('--gates', 'Print the gates of each window; with --json, every field')
    .option('--json', 'Print one JSON line per window')
    .option('--fail-on-breach', 'Exit with 1 if a window breached')
    .addHelpText(
      'after',
      examples(
        ['evaluate series.csv --every 1h --zone Europe/Berlin', 'Find anomalies'],
        ['evaluate orders.csv --rule rules.yaml --gates', 'Evaluate a rule, and see why it fires'],
        ['evaluate series.csv --every 10m --json', 'For a program: one short line per window'],
      ),
    )
    .action(async (series: string, options: Options) => {
      const breached = await evaluate(series, options);
      if (breached > 0 && options.failOnBreach) process.exitCode = 1;
    });
}

/** Prints outcomes and returns the number of breached windows. */
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
  const report = new Report({ ...options, rule: plan.rule, clock: new ZoneClock(zone) });
  const progress = await progressOf(source, file);
  const outcomes = evaluateSeries(csvRows(source, format), plan);
  try {
    await pipeline(report.chunks(outcomes, progress.show), process.stdout, { end: false });
  } catch (error) {
    // The reader closed the pipe, as `| head` does.
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
    throw new InvalidRequestError('--mean does not go with --gaps zero: an average of no rows is not zero');
  const rule =
    options.rule === undefined ? ruleFrom(options) : ruledBy(await readRule(options.rule), options);
  const measure = isSummed(metricOf(rule)) ? 'sum' : 'mean';
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
  if (!every)
    throw new InvalidRequestError('--every is required without --rule: it sets the length of a window');
  const measure = mean ? 'mean' : 'sum';
  return defaultRule({ grain: grainOf(every), zone, measure, ...(holidays && { holidays }) });
}

/** The rule, checked against the other options. */
function ruledBy(rule: FigureRule, { every, zone, mean, holidays }: Options): FigureRule {
  const isOther = every !== undefined && every !== spanOf(rule.window);
  if (isOther || (zone !== undefined && zone !== rule.zone))
    throw new InvalidRequestError(
      `the rule ${rule.id} evaluates each ${rule.window} in ${rule.zone}: omit --every and --zone`,
    );
  if (mean)
    throw new InvalidRequestError(
      `the metric of ${rule.id} decides whether rows are added or averaged: omit --mean`,
    );
  return holidays ? { ...rule, holidays } : rule;
}

async function readIncidents(file: string, zone: string): Promise<Window[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  return incidentSpans(text, { name: file, times: new RowTimes(zone) });
}

/** Shows progress on a terminal, unless the output goes there too. */
async function progressOf(source: Readable, file: string | undefined) {
  const line = progressLine();
  const isSeen = process.stderr.isTTY && !process.stdout.isTTY;
  if (!isSeen || file === undefined || !(source instanceof ReadStream))
    return { show: () => {}, end: () => {} };
  const { size } = await stat(file).catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  return { show: () => line.show('Evaluating', source.bytesRead, size), end: () => line.end() };
}

function zone(text: string): string {
  if (!isZone(text)) throw new InvalidArgumentError('Use an IANA time zone, such as Europe/Berlin.');
  return text;
}

function holidays(text: string): Holidays {
  const [, country, region] = /^([A-Z]{2})(?:-(\w+))?$/.exec(text) ?? [];
  if (country === undefined)
    throw new InvalidArgumentError('Use a country such as DE, or a region such as DE-BY.');
  const place = { country, ...(region !== undefined && { region }), days: [] };
  const fault = holidayFault(place);
  if (fault) throw new InvalidArgumentError(`${fault.message}.`);
  return place;
}
