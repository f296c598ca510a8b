import { progressLine } from '../../local/terminal.ts';
import { shareText, spanText } from '../../shared/messages/figure-text.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { type BacktestReport, backtest } from '../../workbench/backtest/backtest.ts';
import type { Comparison, RuleComparison } from '../../workbench/backtest/compare.ts';
import type { RuleReport } from '../../workbench/backtest/report.ts';
import {
  changedRulesText,
  changeText,
  movedText,
  openText,
  rateText,
  spanWords,
  totalsText,
} from '../../workbench/backtest/report-text.ts';
import { type PastRules, rulesAtRef } from '../../workbench/backtest/rules-at-ref.ts';
import { inFolder, onlyRules } from '../../workbench/find-rule.ts';
import { openPast, type PastOptions } from '../options/past.ts';
import { pathIn, STATE, withFigureOptions } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { instant, listOf, wholeNumberIn } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { interruption } from '../terminal/interruption.ts';
import { jsonValue } from '../terminal/json.ts';
import { RIGHT, tableText } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends PastOptions {
  json?: true;
  rule?: string[];
  compare?: string;
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
    .option('--json', 'Print one JSON document')
    .option(
      '--max-alerts-a-month <number>',
      'Exit with 1 if all rules together fire more often than this',
      wholeNumberIn(0, 1_000_000),
    );
  return withFigureOptions(command)
    .example('backtest --days 90', 'When would the rules have fired?')
    .example('backtest --compare origin/main', 'Which alerts does a change add and remove?')
    .example('backtest --rule purchases', 'One rule')
    .action(async (options: Options) => {
      const found = await run(options, clock);
      const { alertsPerMonth } = found;
      const { maxAlertsAMonth: most = Infinity } = options;
      if (alertsPerMonth <= most) return;
      console.error(`More than ${counted(most, 'alert')} a month.`);
      process.exitCode = 1;
    });
}

async function run(options: Options, clock: Clock): Promise<BacktestReport> {
  const written = await readRules(options.rules);
  const past = await pastRules(options);
  const before = past && (past.ruleSet ?? { ...written, version: '', rules: [] });
  const where = inFolder(options.rules);
  const ruleSet = onlyRules(written, options.rule, where, before);
  const base = before && onlyRules(before, options.rule, where, written);
  const rules = [...ruleSet.rules, ...(base?.rules ?? [])];
  const { figures, span } = await openPast(options, { ...ruleSet, rules }, clock);
  using _ = figures;
  const line = progressLine();
  const report = await backtest({
    ...{ ruleSet, span, clock, sourceFor: figures.sourceFor, signal: interruption() },
    ...(base && { base }),
    onProgress: line.show,
  });
  line.end();
  const heading = { figures: figures.describe, against: against(options, past) };
  if (options.json) console.log(JSON.stringify({ figures: heading.figures, ...report }, jsonValue, 2));
  else console.log(backtestText(report, heading));
  return report;
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

/** The report in 80 columns. `against`: the compared commit. */
export function backtestText(
  report: BacktestReport,
  { figures, against }: { figures: string; against: string | undefined },
): string {
  const { rules, comparison } = report;
  const sections = [
    wrapped(`${counted(rules.length, 'rule')} over ${spanWords(report)}, on ${figures}`, 0),
    ...(comparison ? comparisonSections(comparison, against) : []),
    [rulesTable(report)],
    wrapped(totalsText(report), 0),
    ...(report.channels.length > 0 ? [[channelsTable(report)]] : []),
    report.notes.flatMap((note) => wrapped(`note: ${printable(note)}`)),
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function rulesTable({ rules }: BacktestReport): string {
  return tableText(
    { rule: { width: 36 }, alerts: RIGHT, 'a month': RIGHT, longest: RIGHT, unknown: RIGHT },
    rules.map((each) => [
      each.rule,
      each.alerts,
      rateText(each.alertsPerMonth),
      longestText(each),
      shareText(each.unknownShare),
    ]),
  );
}

/** A fire on the last window has no length yet. */
function longestText({ alerts, openMs, stillOpen }: RuleReport): string {
  if (alerts === 0) return '';
  return openMs.longest === 0 && stillOpen > 0 ? 'open' : spanText(openMs.longest);
}

function channelsTable({ channels }: BacktestReport): string {
  return tableText(
    { route: { width: 30 }, channel: { width: 24 }, messages: RIGHT, 'a month': RIGHT },
    channels.map((each) => [each.route, each.channel, each.messages, rateText(each.messagesPerMonth)]),
  );
}

/** What a change adds and removes: totals, and each affected rule. */
function comparisonSections(comparison: Comparison, against = ''): string[][] {
  return [
    wrapped(`Compared with ${against}. Rules: ${changedRulesText(comparison)}`, 0),
    [ratesTable(comparison)],
    ...(comparison.rules.length === 0 ? [['All alerts are the same.']] : []),
    ...comparison.rules.map((each) => [
      ...wrapped(`${each.rule} (${each.kind}): ${changeText(each)}`),
      ...changeLines(each).flatMap((line) => wrapped(`  ${printable(line)}`)),
    ]),
  ];
}

function ratesTable({ alertsPerMonth, messagesPerMonth, channels }: Comparison): string {
  const rows = [
    { name: 'alerts a month', ...alertsPerMonth },
    { name: 'messages a month', ...messagesPerMonth },
    ...channels.map((each) => ({ ...each, name: `  ${each.route} to ${each.channel}` })),
  ];
  return tableText(
    { '': { width: 56 }, before: RIGHT, after: RIGHT },
    rows.map(({ name, before, after }) => [name, rateText(before), rateText(after)]),
  );
}

/** Listed alerts per rule. */
const SHOWN = 10;

/** The changed keys of a rule, and its alerts: `+` for a new one, `-` for one that is gone, `~` for another length. */
function changeLines({ fields, appears, disappears, moved }: RuleComparison): string[] {
  const fires = [
    ...appears.map((fire) => `+ ${fire.text}, ${openText(fire)}`),
    ...disappears.map((fire) => `- ${fire.text}, ${openText(fire)}`),
    ...moved.map((pair) => `~ ${pair.after.text}: ${movedText(pair)}`),
  ];
  return [
    ...fields.map(({ field, before = 'none', after = 'none' }) => `${field}: ${before} → ${after}`),
    ...fires.slice(0, SHOWN),
    ...(fires.length > SHOWN ? [`and ${fires.length - SHOWN} more; --json has all`] : []),
  ];
}
