import { bad, bySeverity, doubtful, good } from '../../local/colour.ts';
import { bytesOverBudget, scannedBytes, scannedText } from '../../local/scanned-bytes.ts';
import type { FindingSeverity } from '../../shared/lint/findings.ts';
import { formatProblems, type Problem } from '../../shared/rule-files/file-problems.ts';
import { type Findings, type PlacedFinding, placedFindings } from '../../shared/rule-files/rule-findings.ts';
import type { LoadedRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { DAYS } from '../../workbench/live-check/known-values.ts';
import { liveFindings } from '../../workbench/live-check/live-findings.ts';
import { allowedCallsPerHour } from '../options/allowed-calls.ts';
import { type FigureOptions, withFigureOptions } from '../options/project.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';
import { documentPath } from '../terminal/documents.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends FigureOptions {
  rules: string;
  live?: true;
  strict?: true;
  json?: true;
}

/** `deltawatch check`: what is wrong in rule files. `--json` prints a `Report`. */
export function checkCommand(clock: Clock = systemClock): Command {
  const command = new Command('check')
    .description('Check rule files for errors and likely mistakes')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--strict', 'Exit with 1 on warnings as well as errors')
    .option('--live', 'Query the service: do the events and values in the rules exist?')
    .option('--json', 'Print one JSON document');
  return withFigureOptions(command)
    .example('check', 'Before every commit')
    .example('check --live', 'Find misspelled events and values')
    .example('check --strict --json', 'In a pipeline')
    .action(async (options: Options) => {
      const { rules: dir, strict, json } = options;
      const loaded = await loadRuleFiles(dir);
      if (loaded.kind === 'problems' && !json) throw refuseProblems(loaded.problems, dir);
      const report =
        loaded.kind === 'problems'
          ? { rules: 0, problems: loaded.problems, findings: [], ignored: 0 }
          : await reportOf(loaded, options, clock);
      if (json) console.log(JSON.stringify(report, null, 2));
      else console.log(reportText(report));
      process.exitCode = exitCode(report, strict);
    });
}

/**
 * The output of `--json`. `problems` make the files invalid, and then nothing else is checked; each is `{file,
 * line, column, message, source}`. `findings` also have `code`, `severity` and `ruleId`, which is `null` for
 * routes and comments. `ignored` counts findings ignored by comments. `live` exists with `--live`.
 */
interface Report extends Findings {
  rules: number;
  problems: Problem[];
  live?: Awaited<ReturnType<typeof askService>>['live'];
}

type Loaded = Extract<LoadedRuleFiles, { kind: 'loaded' }>;

/** The report on the rules of a folder. */
export async function reportOf(loaded: Loaded, options: Options, clock: Clock): Promise<Report> {
  const { rules } = loaded.ruleSet;
  const now = clock.now();
  const asked = options.live ? await askService(rules, options, clock) : undefined;
  const found = placedFindings(loaded, {
    now,
    perHour: allowedCallsPerHour(options.project),
    ...(asked && { live: asked.findings }),
  });
  return { rules: rules.length, problems: [], ...found, ...(asked && { live: asked.live }) };
}

/** 1 for invalid files or findings of severity error; with `strict`, of severity warning too. */
function exitCode({ problems, findings }: Report, strict = false): number {
  const counts = (severity: FindingSeverity) => severity === 'error' || (strict && severity === 'warning');
  return problems.length > 0 || findings.some(({ severity }) => counts(severity)) ? 1 : 0;
}

function findingDocument({ severity, code, message, ...place }: PlacedFinding) {
  return { ...place, message: `${bySeverity(severity, severity)} ${code}: ${printable(message)}` };
}

/** The findings with their places, the data that `--live` queried, and a summary line. */
export function reportText(report: Report): string {
  const { findings, live } = report;
  return [
    ...(findings.length > 0 ? [`${formatProblems(findings.map(findingDocument))}\n`] : []),
    ...(live
      ? [
          `queried ${live.source}${live.calls > 0 ? ` with ${counted(live.calls, 'call')}` : ''}`,
          ...(live.scanned ? [scannedText(live.scanned)] : []),
          '',
        ]
      : []),
    summary(report),
  ].join('\n');
}

/** "8 rules are valid; 2 warnings, 1 note". */
function summary({ rules, findings, ignored }: Report): string {
  const count = (severity: FindingSeverity) => findings.filter((each) => each.severity === severity).length;
  const errors = count('error');
  const all = counted(rules, 'rule');
  const valid = `${all} ${rules === 1 ? 'is' : 'are'} valid`;
  const verdict = errors > 0 ? `${bad(counted(errors, 'error'))} in ${all}` : good(valid);
  const others = [
    ...(count('warning') > 0 ? [doubtful(counted(count('warning'), 'warning'))] : []),
    ...(count('note') > 0 ? [counted(count('note'), 'note')] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
  ].join(', ');
  const line = others === '' ? verdict : `${verdict}; ${others}`;
  if (findings.length === 0) return line;
  return wrapped(`${line} (${documentPath('reference/lint.md')} explains each)`).join('\n');
}

/** Checks `rules` against the service's data: its name, the calls made, and what the rules read if the engine tells it. Throws `ConfigError` without a source. */
async function askService(rules: Rule[], options: FigureOptions, clock: Clock) {
  const now = clock.now();
  // Imported here because it loads a database.
  const { openFigures } = await import('../options/figures.ts');
  const need = { ruleSet: { rules }, from: now - DAYS * DAY_MS, to: now, clock };
  using figures = await openFigures(options, need);
  const { sourceFor, describe } = figures;
  const findings = await liveFindings(rules, { sourceFor, now });
  const apps = new Set(rules.map(({ app }) => app));
  const calls = [...apps].reduce((sum, app) => sum + (sourceFor(app).callsMade?.() ?? 0), 0);
  // An engine that tells no bytes is not asked more.
  const scanned =
    figures.bytesScanned?.() === undefined ? undefined : await scannedBytes(rules, figures, now);
  if (scanned) findings.push(...bytesOverBudget(scanned, options.project?.config.figures));
  return { findings, live: { source: describe, calls, ...(scanned && { scanned }) } };
}
