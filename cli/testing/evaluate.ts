import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { reasonText } from '../../shared/messages/reason-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import { type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import { inFolder, ruleCalled } from '../../workbench/find-rule.ts';
import type { Gaps } from '../../workbench/series/buckets.ts';
import { csvRows } from '../../workbench/series/csv-rows.ts';
import { defaultRule, evaluateSeries, type Outcome } from '../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../workbench/series/row-times.ts';
import type { EvaluatedWindow } from '../../workbench/series/series-evaluator.ts';
import { readRules } from '../options/read-rules.ts';
import { zoneName } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { fileFault } from '../terminal/file-errors.ts';
import { inZone, minuteOf } from '../terminal/times.ts';
import { wrapped } from '../terminal/wrapping.ts';

const WINDOWS = { '1h': 'hour', '1d': 'day', '1w': 'week' } as const;

interface Options {
  every?: keyof typeof WINDOWS;
  zone?: string;
  rules: string;
  rule?: string;
  mean?: true;
  gaps?: Gaps;
  complete?: true;
  all?: true;
  json?: true;
}

/** `deltawatch evaluate`: the verdict of a rule, or of anomaly detection, on each window of a series in a file. */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('Evaluate every window of a time series in a CSV file')
    .argument('<series>', 'CSV file of timestamp,value rows in order of time; - reads standard input')
    .addOption(new Option('--every <span>', 'Length of a window').choices(Object.keys(WINDOWS)))
    .option(
      '--zone <zone>',
      'Time zone of the windows, and of times without an offset; default: UTC',
      zoneName,
    )
    .option('--mean', 'Average the rows of a window instead of adding them up')
    .addOption(
      new Option('--rule <id>', 'Rule to evaluate; default: anomaly detection').conflicts([
        'every',
        'zone',
        'mean',
      ]),
    )
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .addOption(new Option('--gaps <kind>', 'Sum of a window without rows').choices(['zero', 'missing']))
    .option('--complete', 'Evaluate the last window too, even if no row follows it')
    .option('--all', 'Print every window, not only breaches and changes of state')
    .option('--json', 'Print one JSON line per window')
    .example('evaluate series.csv --every 1h --zone Europe/Berlin', 'Find anomalies')
    .example('evaluate orders.csv --rule half-gone', 'Evaluate a rule')
    .action(evaluate);
}

async function evaluate(series: string, options: Options): Promise<void> {
  const { gaps, complete: isComplete = false } = options;
  const rule =
    options.rule === undefined ? anomalyRule(options) : await ruleNamed(options.rule, options.rules);
  const isFile = series !== '-';
  const source = isFile ? createReadStream(series) : process.stdin;
  const format = { name: isFile ? series : 'the input', times: new RowTimes(rule.zone) };
  const outcomes = evaluateSeries(csvRows(source, format), { rule, isComplete, ...(gaps && { gaps }) });
  try {
    await pipeline(evaluatedText(outcomes, rule, options), process.stdout, { end: false });
  } catch (error) {
    // The reader closed the pipe, as `| head` does.
    const isEnough = error instanceof Error && 'code' in error && error.code === 'EPIPE';
    if (isEnough) return;
    // A folder fails without its path.
    if (isFile && error instanceof Error && 'code' in error) Object.assign(error, { path: series });
    throw fileFault(error) ?? error;
  }
}

function anomalyRule({ every, zone = 'UTC', mean }: Options): FigureRule {
  if (!every)
    throw new InvalidRequestError('--every is required without --rule: it sets the length of a window');
  return defaultRule({ window: WINDOWS[every], zone, isMean: mean === true });
}

/** Throws `InvalidRequestError` for an unknown rule, and for one that has no single series. */
async function ruleNamed(id: string, rulesDir: string): Promise<FigureRule> {
  const rule = ruleCalled(id, await readRules(rulesDir), inFolder(rulesDir));
  if (rule.members || hasSegments(rule))
    throw new InvalidRequestError(`the rule ${id} watches several series, so it cannot be evaluated on one`);
  return rule;
}

/** The output. With `--json`, the summary goes to standard error. */
export async function* evaluatedText(
  outcomes: AsyncIterable<Outcome>,
  { zone }: FigureRule,
  { json, all }: { json?: true; all?: true },
): AsyncGenerator<string> {
  const minute = (at: number) => minuteOf(inZone(at, zone));
  const counts = { breached: 0, inconclusive: 0, 'no-data': 0, clear: 0, failed: 0 };
  let [windows, fired, state] = [0, 0, 'normal'];
  let span: Window | undefined;
  let open: Window | undefined;
  if (!json) yield `${row(['window', 'value', 'expected', 'normal', 'verdict', 'state'])}\n`;
  for await (const outcome of outcomes) {
    if (outcome.kind === 'open') {
      open = outcome.window;
      continue;
    }
    const { evaluation, news } = outcome;
    const { current, verdict } = evaluation;
    const { window } = current;
    windows++;
    counts[verdict]++;
    if (news.some(({ transition }) => transition === 'fired')) fired++;
    span = { startAt: span?.startAt ?? window.startAt, endAt: window.endAt };
    const isEvent = verdict === 'breached' || news.length > 0 || outcome.state !== state;
    state = outcome.state;
    if (json) yield `${JSON.stringify(windowDocument(outcome))}\n`;
    else if (all || isEvent) yield `${windowLines(outcome, zone).join('\n')}\n`;
  }
  const summary = [
    `${counted(windows, 'window')}${span ? ` from ${minute(span.startAt)} to ${minute(span.endAt)}` : ''} (${zone})`,
    `${counts.breached} breached, fired ${counted(fired, 'time')}, ${counts.inconclusive} inconclusive, ${counts['no-data']} without data`,
    ...(open ? [`the last window, from ${minute(open.startAt)}, is not evaluated: no row follows it`] : []),
  ].join('\n');
  if (json) console.error(summary);
  else yield `\n${summary}\n`;
}

/** What was expected of a window; `null` where unknown. */
function expectedOf({ surprise, current, baseline, difference }: Evaluation) {
  const isDiffering = current.value !== null && difference !== null;
  return {
    expected: surprise?.expected ?? (isDiffering ? Number(current.value) - difference : baseline.value),
    low: surprise?.low ?? null,
    high: surprise?.high ?? null,
  };
}

/** One window for `--json`. Times are ISO 8601 in UTC. */
function windowDocument({ evaluation, state, news }: EvaluatedWindow) {
  const { verdict, reason, gates } = evaluation;
  const { window, value } = evaluation.current;
  const { expected, low, high } = expectedOf(evaluation);
  const decisive = reason.code === 'gate' && gates.find(({ gate }) => gate === reason.gate);
  return {
    start: new Date(window.startAt).toISOString(),
    end: new Date(window.endAt).toISOString(),
    ...{ value, expected: rounded(expected), low: rounded(low), high: rounded(high) },
    ...{ verdict, state },
    ...(news[0] && { transition: news[0].transition }),
    code: decisive ? decisive.code : reason.code,
  };
}

/** To six significant digits, but not before the decimal point: a baseline may be a count. */
function rounded(value: number | null): number | null {
  if (value === null || Number.isInteger(value)) return value;
  return Math.abs(value) < 100_000 ? Number(value.toPrecision(6)) : Math.round(value);
}

/** One window as a row of the table, with the changes of its alert below. */
function windowLines({ evaluation, state, news }: EvaluatedWindow, zone: string): string[] {
  const { current, verdict } = evaluation;
  const { expected, low, high } = expectedOf(evaluation);
  const normal = low === null || high === null ? '' : `${short(low)} to ${short(high)}`;
  const texts = news.map(({ transition, reason }) => {
    const text = reasonText(reason, { zone, verdict: verdictText(evaluation, zone) });
    return `  ${transition}: ${text}`;
  });
  return [
    row([
      minuteOf(inZone(current.window.startAt, zone)),
      short(current.value),
      short(expected),
      normal,
      verdict,
      state,
    ]),
    ...texts.flatMap((text) => wrapped(text)),
  ];
}

/** The width of each column, negative if it is left-aligned. */
const WIDTHS = [-16, 7, 8, 16, -12, 0];

function row(cells: string[]): string {
  const columns = cells.map((cell, i) => {
    const width = WIDTHS[i] ?? 0;
    return width < 0 ? cell.padEnd(-width) : cell.padStart(width);
  });
  return columns.join(' ');
}

const SMALL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const LARGE = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A figure in seven characters. */
function short(value: number | null): string {
  if (value === null) return '';
  return (value < 1_000 ? SMALL : value < 99_999.5 ? WHOLE : LARGE).format(value);
}
