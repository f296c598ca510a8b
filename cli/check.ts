import { Command } from 'commander';
import { counted } from '../local/terminal.ts';
import { formatProblems } from '../shared/adapters/file-problems.ts';
import { type Findings, type PlacedFinding, placedFindings } from '../shared/adapters/rule-findings.ts';
import { type LoadedRuleFiles, loadRuleFiles } from '../shared/adapters/yaml-rule-files.ts';
import type { FindingSeverity } from '../shared/alerting/lint/findings.ts';
import type { RuleSet } from '../shared/alerting/ports.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { examples } from './arguments.ts';
import { CALLS_PER_HOUR } from './history-costs.ts';
import { refuseProblems } from './rules.ts';
import { ruleLines } from './telling.ts';

interface Options {
  rules: string;
  strict?: true;
  verbose?: true;
  json?: true;
}

/** `deltawatch check`: whether the rule files are right, and do what they were meant to. */
export function checkCommand(clock: Clock = systemClock): Command {
  return new Command('check')
    .description('check the rule files: what is wrong in them, and what is probably not meant')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--strict', 'fail where there are warnings, too')
    .option('--verbose', 'tell of each rule who hears of it, and what it costs the service')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['check', 'before every commit'],
        ['check --strict --json', 'in a pipeline, for another program to read'],
        ['check --verbose', 'who hears of each rule, and what the rules cost'],
      ),
    )
    .action(async ({ rules: dir, strict, verbose, json }: Options) => {
      const loaded = await loadRuleFiles(dir);
      const now = clock.now();
      if (json) {
        const report = reportOf(loaded, now);
        console.log(JSON.stringify(report, null, 2));
        process.exitCode = exitCode(report, strict);
        return;
      }
      if (loaded.kind === 'problems') throw refuseProblems(loaded.problems, dir);
      const found = placedFindings(loaded, { now, perHour: CALLS_PER_HOUR });
      if (verbose) console.log([...ruleLines(loaded.ruleSet, now), ''].join('\n'));
      if (found.findings.length > 0) console.log(`${formatProblems(found.findings.map(told))}\n`);
      console.log(summary(loaded.ruleSet, found));
      process.exitCode = exitCode({ ...found, problems: [] }, strict);
    });
}

/**
 * What `--json` prints. `problems` keep the files from being read as rules, and then nothing else is looked for; each is
 * `{file, line, column, message, source}`, as is each of `findings` with `code`, `severity` and `ruleId`, which is `null`
 * for routes and comments. `ignored` counts findings that comments ask to be ignored.
 */
interface Report extends Findings {
  rules: number;
  problems: Extract<LoadedRuleFiles, { kind: 'problems' }>['problems'];
}

function reportOf(loaded: LoadedRuleFiles, now: number): Report {
  if (loaded.kind === 'problems') return { rules: 0, problems: loaded.problems, findings: [], ignored: 0 };
  const found = placedFindings(loaded, { now, perHour: CALLS_PER_HOUR });
  return { rules: loaded.ruleSet.rules.length, problems: [], ...found };
}

function exitCode({ problems, findings }: Pick<Report, 'problems' | 'findings'>, strict = false): number {
  const counts = (severity: FindingSeverity) => severity === 'error' || (strict && severity === 'warning');
  return problems.length > 0 || findings.some(({ severity }) => counts(severity)) ? 1 : 0;
}

function told({ severity, code, message, ...place }: PlacedFinding) {
  return { ...place, message: `${severity} ${code}: ${message}` };
}

/** "8 rules are right; 2 warnings, 1 note". */
function summary({ rules }: RuleSet, { findings, ignored }: Findings): string {
  const count = (severity: FindingSeverity) => findings.filter((each) => each.severity === severity).length;
  const errors = count('error');
  const all = counted(rules.length, 'rule');
  const verdict =
    errors > 0
      ? `${counted(errors, 'error')} in ${all}`
      : `${all} ${rules.length === 1 ? 'is' : 'are'} right`;
  const others = [
    ...(count('warning') > 0 ? [counted(count('warning'), 'warning')] : []),
    ...(count('note') > 0 ? [counted(count('note'), 'note')] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
  ].join(', ');
  const line = others === '' ? verdict : `${verdict}; ${others}`;
  return findings.length > 0 ? `${line} (docs/lint.md explains each)` : line;
}
