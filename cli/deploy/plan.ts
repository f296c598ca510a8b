import { Command } from 'commander';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { allowedCallsPerHour, shortageLines } from '../options/allowed-calls.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import { examples } from '../terminal/arguments.ts';
import { planRules, refusalOf } from './deployed-rules.ts';
import { planLines } from './deployment-plan.ts';

interface Options extends InstallationOptions {
  rules: string;
  json?: true;
  exitCode?: true;
}

/** Exit code of `--exit-code` if something would change; distinct from failure. */
const CHANGES = 3;

/**
 * `deltawatch plan`: what deploying the rules of a folder would change. `--json` prints a `DeploymentPlan`.
 * Exit code 1 if they need resources that are not deployed.
 */
export function planCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('plan')
      .description('Show what deploying the rules would change')
      .option('--rules <dir>', 'Folder of the rule files', 'rules'),
  )
    .option('--json', 'Print one JSON document')
    .option('--exit-code', 'Exit with 3 if something would change')
    .addHelpText(
      'after',
      examples(
        ['plan', 'Compare with the rules on this machine'],
        ['plan --stage production', 'Compare with a stage in AWS'],
      ),
    )
    .action(async (options: Options) => {
      const ruleSet = await readRules(options.rules);
      const plan = await withInstallation(options, clock, (each) => planRules(ruleSet, each));
      console.log(options.json ? JSON.stringify(plan) : planLines(plan).join('\n'));
      const allowed = allowedCallsPerHour(options.project, options.stage);
      for (const line of shortageLines(ruleSet.rules, clock.now(), allowed)) console.error(line);
      const refusal = refusalOf(plan);
      if (refusal !== undefined) (options.json ? console.error : console.log)(`\n${refusal}`);
      if (refusal !== undefined) process.exitCode = 1;
      else if (options.exitCode && plan.changes) process.exitCode = CHANGES;
    });
}
