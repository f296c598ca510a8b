import { Command, Option } from 'commander';
import type { Figures } from '../../local/figures.ts';
import { progressLine } from '../../local/terminal.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { counted } from '../../shared/text/counted.ts';
import { type Backtest, backtest } from '../../workbench/backtest/backtest.ts';
import type { Label } from '../../workbench/backtest/label.ts';
import { generatedLabels, loadLabels } from '../../workbench/backtest/labels.ts';
import { Plots } from '../../workbench/backtest/plots.ts';
import { type PastRules, rulesAtRef } from '../../workbench/backtest/rules-at-ref.ts';
import { onlyRules } from '../../workbench/backtest/selected-rules.ts';
import { inFolder } from '../../workbench/find-rule.ts';
import { withFigureOptions } from '../options/figures.ts';
import { pathIn, STATE } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant, listOf, wholeNumberIn } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { type PastOptions, pastFigures } from './backtest-figures.ts';
import { queueNews, type ReportOptions } from './backtest-report.ts';

interface Options extends PastOptions, ReportOptions {
  rules: string;
  rule?: string[];
  compare?: string;
  incidents?: string;
  maxAlertsAMonth?: number;
}

/** `deltawatch backtest`: what the rules would have said of the past, and what a change of them adds and removes. */
export function backtestCommand(clock: Clock = systemClock): Command {
  const command = new Command('backtest')
    .description('Replay past data: how often would each rule fire, and which channels would it notify?')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--from <date>', 'Start, such as 2026-03-01 or 2026-03-01T06:00Z', instant)
    .option('--to <date>', 'End; default: now, with the last complete windows', instant)
    .option(
      '--days <number>',
      'Length of the replay in days, if --from is not given',
      wholeNumberIn(1, 730),
      90,
    )
    .option('--rule <id>', 'Only replay this rule; can be repeated', listOf)
    .option('--compare <ref>', 'Compare with the rules of a git branch, tag or commit')
    .addOption(
      new Option(
        '--readings <file>',
        'CSV file of timestamp,value rows to use instead of the data; requires one --rule',
      ).conflicts(['data', 'service']),
    )
    .option(
      '--incidents <file>',
      'Known incidents; default: incidents.yaml next to the rules, or those of generated data',
    )
    .addOption(new Option('--json', 'Print one JSON document').conflicts('markdown'))
    .option('--markdown', 'Print Markdown for a pull request comment')
    .option('--html <file>', 'Also write an HTML page with a chart of each rule')
    .option(
      '--max-alerts-a-month <number>',
      'Exit with 1 if all rules together fire more often than this',
      wholeNumberIn(0, 1_000_000),
    );
  return withFigureOptions(command)
    .addHelpText(
      'after',
      examples(
        ['backtest --days 90', 'When would the rules have fired?'],
        ['backtest --compare origin/main', 'Which alerts does a change add and remove?'],
        ['backtest --rule purchases --html backtest.html', 'One rule, with a chart'],
      ),
    )
    .action(async (options: Options) => {
      const found = await run(options, clock);
      const { alertsPerMonth } = found.statistics;
      const { maxAlertsAMonth: most = Infinity } = options;
      if (alertsPerMonth <= most) return;
      console.error(`More than ${counted(most, 'alert')} a month.`);
      process.exitCode = 1;
    });
}

/** Prints and returns the report. */
async function run(options: Options, clock: Clock): Promise<Backtest> {
  const written = await readRules(options.rules);
  const past = await pastRules(options);
  const before = past && (past.ruleSet ?? { ...written, version: '', rules: [] });
  const where = inFolder(options.rules);
  const ruleSet = onlyRules(written, options.rule, where, before);
  const base = before && onlyRules(before, options.rule, where, written);
  const given = await labelsFor(options, [...written.rules, ...(before?.rules ?? [])]);
  const plots = options.html === undefined ? undefined : new Plots(ruleSet.rules);
  const { figures, span } = await pastFigures(options, { ruleSet, base, clock });
  const line = progressLine();
  try {
    const rules = [...ruleSet.rules, ...(base?.rules ?? [])];
    const own = given === undefined ? await labelsBeside(figures, rules) : undefined;
    const labels = given ?? own?.labels;
    const replayed = await backtest({
      ...{ ruleSet, span, labels, clock, sourceFor: figures.sourceFor, signal: interruption() },
      ...(base && { base }),
      ...(plots && { onEvent: (event) => plots.add(event) }),
      onProgress: line.show,
    });
    line.end();
    const found = { ...replayed, notes: [...replayed.notes, ...(own ? [own.note] : [])] };
    await queueNews(found, options, {
      figures: figures.describe,
      against: against(options, past),
      plots,
      labels,
    });
    return found;
  } finally {
    line.end();
    figures.close();
  }
}

async function labelsFor({ rules: dir, incidents }: Options, rules: Rule[]): Promise<Label[] | undefined> {
  return loadLabels(dir, incidents, {
    ruleIds: [...new Set(rules.map(({ id }) => id))],
    apps: [...new Set(rules.map(({ app }) => app))],
  });
}

/** The incidents of generated data, and a note with their files. */
async function labelsBeside({ dataDir }: Figures, rules: Rule[]) {
  const apps = rules.map(({ app }) => app);
  const own = dataDir === undefined ? undefined : await generatedLabels(dataDir, apps);
  if (!own) return undefined;
  const note = `Known incidents come with the generated data: ${own.files.join(', ')}.`;
  return { labels: own.labels, note };
}

async function pastRules({ compare, rules, project }: Options): Promise<PastRules | undefined> {
  if (compare === undefined) return undefined;
  // Requested before copying, so that Ctrl-C leaves no copy behind.
  const signal = interruption();
  return rulesAtRef({
    ref: compare,
    rulesDir: rules,
    stateDir: pathIn(project, STATE),
    read: readRules,
    signal,
  });
}

function against({ compare }: Options, past: PastRules | undefined): string | undefined {
  if (past === undefined || compare === undefined) return undefined;
  const known = compare.startsWith(past.commit) ? compare : `${compare} (${past.commit})`;
  return past.ruleSet ? known : `${known}, where the folder does not exist`;
}
