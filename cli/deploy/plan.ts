import { doubtful } from '../../local/colour.ts';
import { bytesOverBudget, scannedBytes, scannedText } from '../../local/scanned-bytes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { allowedCallsPerHour, shortageLines } from '../options/allowed-calls.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { planRules, refusalOf } from './deployed-rules.ts';
import { planLines } from './deployment-plan.ts';

interface Options extends InstallationOptions {
  rules: string;
  json?: true;
  live?: true;
  exitCode?: true;
}

/** What the rules read, and a warning if that is more than the budget of the tables. */
async function scannedLines(rules: Rule[], { project }: Options, clock: Clock): Promise<string[]> {
  const now = clock.now();
  // Imported here because it loads a database.
  const { openFigures } = await import('../options/figures.ts');
  using figures = await openFigures({ project }, { ruleSet: { rules }, from: now - DAY_MS, to: now, clock });
  const scanned = await scannedBytes(rules, figures, now);
  if (!scanned) return wrapped(`How much the rules read is unknown: ${figures.describe} did not tell it.`);
  const over = bytesOverBudget(scanned, project?.config.figures);
  const warnings = over.flatMap(({ message }) => wrapped(`${doubtful('warning')}: ${message}`, 2));
  return [scannedText(scanned), ...warnings];
}

/** Exit code of `--exit-code` if something would change; distinct from failure. */
const CHANGES = 3;

/** `deltawatch plan`. `--json` prints a `DeploymentPlan`. Exit code 1 if the rules need resources that are not deployed. */
export function planCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('plan')
      .description('Show what deploying the rules would change')
      .option('--rules <dir>', 'Folder of the rule files', 'rules'),
  )
    .option('--live', 'Ask each question of the rules once: how much do they read in your tables?')
    .option('--json', 'Print one JSON document')
    .option('--exit-code', 'Exit with 3 if something would change')
    .example('plan', 'Compare with the rules on this machine')
    .example('plan --stage production', 'Compare with a stage in AWS')
    .action(async (options: Options) => {
      const ruleSet = await readRules(options.rules);
      const plan = await withInstallation(options, clock, (each) => planRules(ruleSet, each));
      console.log(options.json ? JSON.stringify(plan) : planLines(plan).join('\n'));
      const allowed = allowedCallsPerHour(options.project, options.stage);
      for (const line of shortageLines(ruleSet.rules, clock.now(), allowed)) console.error(line);
      if (options.live)
        for (const line of await scannedLines(ruleSet.rules, options, clock)) console.error(line);
      const refusal = refusalOf(plan);
      if (refusal !== undefined) (options.json ? console.error : console.log)(`\n${refusal}`);
      if (refusal !== undefined) process.exitCode = 1;
      else if (options.exitCode && plan.changes) process.exitCode = CHANGES;
    });
}
