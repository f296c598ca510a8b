import type { Installation } from '../../local/installation.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import { allowedCallsPerHour, shortageLines } from '../options/allowed-calls.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { readRulesToDeploy } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';
import { ASK, type Ask, isWanted } from '../terminal/confirm.ts';
import { deployRules, planRules, refusalOf } from './deployed-rules.ts';
import { planLines } from './deployment-plan.ts';

interface Options extends InstallationOptions {
  rules: string;
  as: string;
  yes?: true;
  json?: true;
}

/** Side effects, replaceable in tests. */
export interface ApplyParts {
  clock: Clock;
  ask: Ask;
}

/** `deltawatch apply`. `--json` prints `{outcome: 'saved' | 'unchanged', plan}` with a `DeploymentPlan`. */
export function applyCommand(parts: ApplyParts = { clock: systemClock, ask: ASK }): Command {
  return ofInstallation(
    new Command('apply')
      .description('Show what would change, ask for confirmation, and deploy the rules')
      .option('--rules <dir>', 'Folder of the rule files', 'rules'),
  )
    .addOption(asOption())
    .option('--yes', 'Do not ask for confirmation')
    .option('--json', 'Print one JSON document')
    .example('apply', 'Deploy to this machine')
    .example('apply --yes --stage production', 'In a pipeline')
    .action((options: Options) => apply(options, parts));
}

async function apply(options: Options, { clock, ask }: ApplyParts): Promise<void> {
  const ruleSet = await readRulesToDeploy(options.rules, options.project);
  // The table is released during the question. Saving checks again that the same rules are deployed.
  const plan = await withInstallation(options, clock, (each) => planRules(ruleSet, each));
  const queueNews = options.json ? console.error : console.log;
  queueNews(planLines(plan).join('\n'));
  const allowed = allowedCallsPerHour(options.project, options.stage);
  for (const line of shortageLines(ruleSet.rules, clock.now(), allowed)) console.error(line);
  const refusal = refusalOf(plan);
  if (refusal !== undefined) throw new ConfigError(refusal);
  const words = { instead: 'use --yes to deploy without a question', refused: 'Nothing was changed.' };
  if (plan.changes && !options.yes && !(await isWanted(ask, 'Deploy these rules?', words))) return;
  const by = options.as;
  const { outcome, when } = await withInstallation(options, clock, async (each) => ({
    outcome: await deployRules(ruleSet, plan, each, { by, clock }),
    when: takenUpText(each),
  }));
  if (options.json) console.log(JSON.stringify({ outcome, plan }));
  else if (outcome === 'saved') console.log(`${counted(ruleSet.rules.length, 'rule')} deployed.\n${when}`);
}

function takenUpText({ kind, isRunning }: Installation): string {
  if (kind === 'aws') return 'Each rule takes effect at its next run.';
  if (isRunning) return 'The Deltawatch on this machine loads them within a minute.';
  return 'No Deltawatch is running on this machine. "npx deltawatch start" deploys the folder that it is started with.';
}
