import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isZone } from '../../shared/contract/zone.ts';
import { buildRuleSet, formatProblems } from '../../shared/rule-files/yaml-rule-files.ts';
import { type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { Gaps } from '../../workbench/series/buckets.ts';
import { csvRows } from '../../workbench/series/csv-rows.ts';
import { defaultRule, evaluateSeries } from '../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../workbench/series/row-times.ts';
import { examples } from '../terminal/arguments.ts';
import { fileProblem } from '../terminal/file-errors.ts';
import { evaluatedText } from './evaluated-text.ts';

const WINDOWS = { '1h': 'hour', '1d': 'day', '1w': 'week' } as const;

interface Options {
  every?: keyof typeof WINDOWS;
  zone?: string;
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
      new Option(
        '--rule <file>',
        'Rule to evaluate, as FILE or FILE#ID; default: anomaly detection',
      ).conflicts(['every', 'zone', 'mean']),
    )
    .addOption(new Option('--gaps <kind>', 'Sum of a window without rows').choices(['zero', 'missing']))
    .option('--complete', 'Evaluate the last window too, even if no row follows it')
    .option('--all', 'Print every window, not only breaches and changes of state')
    .option('--json', 'Print one JSON line per window')
    .addHelpText(
      'after',
      examples(
        ['evaluate series.csv --every 1h --zone Europe/Berlin', 'Find anomalies'],
        ['evaluate orders.csv --rule rules.yaml', 'Evaluate a rule'],
      ),
    )
    .action(evaluate);
}

async function evaluate(series: string, options: Options): Promise<void> {
  const { gaps, complete: isComplete = false } = options;
  const rule = options.rule === undefined ? anomalyRule(options) : await ruleIn(options.rule);
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

/** Routes do not affect evaluation, so these replace the folder's own. */
const NO_ROUTES = 'channels: { unused: { slack: { webhook_secret: unused } } }\ndefault: [unused]\n';

/**
 * The rule of "rules.yaml#id", or the only rule of "rules.yaml". Throws `ConfigError` for an unknown rule, an
 * invalid file, a composite rule, and a rule with several series.
 */
async function ruleIn(place: string): Promise<FigureRule> {
  const [file = '', id] = place.split('#');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem(file, error);
  });
  const files = { [basename(file)]: text, 'routes.yaml': NO_ROUTES };
  const loaded = buildRuleSet(dirname(file), new Map(Object.entries(files)));
  if (loaded.kind === 'problems') throw new ConfigError(`in ${file}\n\n${formatProblems(loaded.problems)}`);
  const { rules } = loaded.ruleSet;
  const ids = rules.map((rule) => rule.id).join(', ');
  const [rule, other] = id === undefined ? rules : rules.filter((each) => each.id === id);
  if (!rule) throw new ConfigError(`${file} has no rule "${id}": it has ${ids}`);
  if (other) throw new ConfigError(`${file} has several rules: choose one as ${file}#ID, from ${ids}`);
  if (rule.members || hasSegments(rule))
    throw new ConfigError(`the rule ${rule.id} watches several series, so it cannot be evaluated on one`);
  return rule;
}

function zone(text: string): string {
  if (!isZone(text)) throw new InvalidArgumentError('Use an IANA time zone, such as Europe/Berlin.');
  return text;
}
