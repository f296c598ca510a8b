import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isZone } from '../../shared/contract/zone.ts';
import { type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { inFolder, ruleCalled } from '../../workbench/find-rule.ts';
import type { Gaps } from '../../workbench/series/buckets.ts';
import { csvRows } from '../../workbench/series/csv-rows.ts';
import { defaultRule, evaluateSeries } from '../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../workbench/series/row-times.ts';
import { readRules } from '../options/read-rules.ts';
import { examples } from '../terminal/arguments.ts';
import { fileProblem } from '../terminal/file-errors.ts';
import { evaluatedText } from './evaluated-text.ts';

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
    .option('--zone <zone>', 'Time zone of the windows, and of times without an offset; default: UTC', zone)
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
    .addHelpText(
      'after',
      examples(
        ['evaluate series.csv --every 1h --zone Europe/Berlin', 'Find anomalies'],
        ['evaluate orders.csv --rule half-gone', 'Evaluate a rule'],
      ),
    )
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
    if (!isEnough) throw isFile ? fileProblem(series, error) : error;
  }
}

function anomalyRule({
  every,
  zone = 'UTC',
  mean = false,
}: Pick<Options, 'every' | 'zone'> & { mean?: boolean }): FigureRule {
  if (!every)
    throw new InvalidRequestError('--every is required without --rule: it sets the length of a window');
  return defaultRule({ window: WINDOWS[every], zone, isMean: mean });
}

/** Throws `InvalidRequestError` for an unknown rule, and for one that has no single series. */
async function ruleNamed(id: string, rulesDir: string): Promise<FigureRule> {
  const rule = ruleCalled(id, await readRules(rulesDir), inFolder(rulesDir));
  if (rule.members || hasSegments(rule))
    throw new InvalidRequestError(`the rule ${id} watches several series, so it cannot be evaluated on one`);
  return rule;
}

function zone(text: string): string {
  if (!isZone(text)) throw new InvalidArgumentError('Use an IANA time zone, such as Europe/Berlin.');
  return text;
}
