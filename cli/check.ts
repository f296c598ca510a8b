import { Command } from 'commander';
import { liveFindings } from '../local/live-check/live-findings.ts';
import { counted } from '../local/terminal.ts';
import { formatProblems, type Problem } from '../shared/adapters/file-problems.ts';
import { type Findings, type PlacedFinding, placedFindings } from '../shared/adapters/rule-findings.ts';
import { type LoadedRuleFiles, loadRuleFiles } from '../shared/adapters/yaml-rule-files.ts';
import { historyCosts } from '../shared/alerting/history-cost.ts';
import type { FindingSeverity } from '../shared/alerting/lint/findings.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { examples } from './arguments.ts';
import { type FigureOptions, withFigureOptions } from './figure-options.ts';
import { CALLS_PER_HOUR } from './history-costs.ts';
import { refuseProblems } from './rules.ts';
import { ruleLines } from './telling.ts';

interface Options extends FigureOptions {
  rules: string;
  live?: true;
  strict?: true;
  verbose?: true;
  json?: true;
}

/** `deltawatch check`: whether the rule files are right, and do what they were meant to. */
export function checkCommand(clock: Clock = systemClock): Command {
  const command = new Command('check')
    .description('check the rule files: what is wrong in them, and what is probably not meant')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--strict', 'fail where there are warnings, too')
    .option('--verbose', 'tell of each rule who hears of it, and what it costs the service')
    .option('--live', 'ask the service, too: whether events and values come, and how many')
    .option('--json', 'print one JSON document');
  return withFigureOptions(command)
    .addHelpText(
      'after',
      examples(
        ['check', 'before every commit'],
        ['check --live', 'are events and values spelt as they come?'],
        ['check --strict --json', 'in a pipeline, for another program to read'],
        ['check --verbose', 'who hears of each rule, and what the rules cost'],
      ),
    )
    .action(async (options: Options) => {
      const { rules: dir, strict, verbose, json } = options;
      const loaded = await loadRuleFiles(dir);
      if (loaded.kind === 'problems' && !json) throw refuseProblems(loaded.problems, dir);
      const report =
        loaded.kind === 'problems' ? unreadable(loaded.problems) : await reportOf(loaded, options, clock);
      if (json) console.log(JSON.stringify(report, null, 2));
      else if (loaded.kind === 'loaded') {
        if (verbose) console.log([...ruleLines(loaded.ruleSet, clock.now()), ''].join('\n'));
        if (report.findings.length > 0) console.log(`${formatProblems(report.findings.map(told))}\n`);
        if (report.live) console.log(liveText(report.live));
        console.log(summary(report));
      }
      process.exitCode = exitCode(report, strict);
    });
}

/**
 * What `--json` prints. `problems` keep the files from being read as rules, and then nothing else is looked for; each is
 * `{file, line, column, message, source}`, as is each of `findings` with `code`, `severity` and `ruleId`, which is `null`
 * for routes and comments. `ignored` counts findings that comments ask to be ignored. `live` is there with `--live`: what was
 * asked, the calls that it took, and those that the rules take a day from then on, at most, with those that are allowed.
 */
interface Report extends Findings {
  rules: number;
  problems: Problem[];
  live?: Live;
}

interface Live {
  source: string;
  calls: number;
  callsPerDay: number;
  allowedPerDay: number;
}

type Loaded = Extract<LoadedRuleFiles, { kind: 'loaded' }>;

function unreadable(problems: Problem[]): Report {
  return { rules: 0, problems, findings: [], ignored: 0 };
}

async function reportOf(loaded: Loaded, options: Options, clock: Clock): Promise<Report> {
  const { rules } = loaded.ruleSet;
  const now = clock.now();
  const asked = options.live ? await askService(rules, options, clock) : undefined;
  const found = placedFindings(loaded, {
    now,
    perHour: CALLS_PER_HOUR,
    ...(asked && { live: asked.findings }),
  });
  return { rules: rules.length, problems: [], ...found, ...(asked && { live: asked.live }) };
}

async function askService(rules: Rule[], options: Options, clock: Clock) {
  const now = clock.now();
  const need = { ruleSet: { rules }, from: now - LIVE_DAYS * DAY_MS, to: now, clock };
  // Takes a database, which files alone do not need.
  const { openFigures } = await import('./figures.ts');
  const figures = await openFigures(options, need);
  try {
    const findings = await liveFindings(rules, { sourceFor: figures.sourceFor, now });
    const apps = [...new Set(rules.map(({ app }) => app))];
    const calls = apps.reduce((sum, app) => sum + (figures.sourceFor(app).callsMade?.() ?? 0), 0);
    const live: Live = {
      source: figures.describe,
      calls,
      callsPerDay: callsPerDay(rules, now),
      allowedPerDay: 24 * CALLS_PER_HOUR * apps.length,
    };
    return { findings, live };
  } finally {
    figures.close();
  }
}

/** As many days of a generated shop as live checks look back on. */
const LIVE_DAYS = 28;
const DAY_MS = 86_400_000;

function callsPerDay(rules: Rule[], now: number): number {
  const costs = historyCosts(
    rules.filter((rule) => !rule.members),
    now,
    CALLS_PER_HOUR,
  );
  return Math.ceil(costs.reduce((sum, cost) => sum + cost.callsPerDay, 0));
}

function liveText({ source, calls, callsPerDay, allowedPerDay }: Live): string {
  const allowed = allowedPerDay.toLocaleString('en-US');
  return [
    `asked ${source}, in ${counted(calls, 'call')};`,
    `the rules take at most ${callsPerDay} a day, of ${allowed} that are allowed\n`,
  ].join('\n');
}

function exitCode({ problems, findings }: Pick<Report, 'problems' | 'findings'>, strict = false): number {
  const counts = (severity: FindingSeverity) => severity === 'error' || (strict && severity === 'warning');
  return problems.length > 0 || findings.some(({ severity }) => counts(severity)) ? 1 : 0;
}

function told({ severity, code, message, ...place }: PlacedFinding) {
  return { ...place, message: `${severity} ${code}: ${message}` };
}

/** "8 rules are right; 2 warnings, 1 note". */
function summary({ rules, findings, ignored }: Report): string {
  const count = (severity: FindingSeverity) => findings.filter((each) => each.severity === severity).length;
  const errors = count('error');
  const all = counted(rules, 'rule');
  const verdict =
    errors > 0 ? `${counted(errors, 'error')} in ${all}` : `${all} ${rules === 1 ? 'is' : 'are'} right`;
  const others = [
    ...(count('warning') > 0 ? [counted(count('warning'), 'warning')] : []),
    ...(count('note') > 0 ? [counted(count('note'), 'note')] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
  ].join(', ');
  const line = others === '' ? verdict : `${verdict}; ${others}`;
  return findings.length > 0 ? `${line} (docs/lint.md explains each)` : line;
}
