import { randomBytes } from 'node:crypto';
import type { AwsAccess, AwsPlace, Cloud } from '../../shared/aws/cloud.ts';
import { createStageStacks } from '../../shared/aws/stage-stacks.ts';
import { loadProject, type Project } from '../../shared/config/load-config.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { allOrProblems, ConfigError, isExplained } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import { shortageLines } from '../options/allowed-calls.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, withInstallation } from '../options/installation.ts';
import { readRulesToDeploy } from '../options/read-rules.ts';
import { ofStage, type ReachedStage, reachStage, type StageOptions, stackName } from '../options/stages.ts';
import { Command } from '../terminal/command.ts';
import { ASK, ASK_HIDDEN, type Ask, type AskHidden, isWanted } from '../terminal/confirm.ts';
import { interruption } from '../terminal/interruption.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { cdkToolkit, type Synthesize, type Synthesized } from './cdk.ts';
import { createSecrets, findMissingSecrets, type NeededSecret } from './deploy-secrets.ts';
import { leavesAppliedRules, planRules } from './deployed-rules.ts';
import { planLines } from './deployment-plan.ts';

interface Options extends StageOptions {
  as: string;
  yes?: true;
}

/** Side effects, replaceable in tests. */
export interface DeployParts {
  clock: Clock;
  ask: Ask;
  askHidden: AskHidden;
  newKey: () => string;
  toolkit: (dir: string, profile: string | undefined) => Synthesize;
}

/** `deltawatch deploy`: deploys a stage of `deltawatch.config.ts` to AWS. */
export function deployCommand(parts: DeployParts = PARTS): Command {
  return ofStage(new Command('deploy'))
    .description('Show what would change in AWS, ask for confirmation, and deploy a stage')
    .addOption(asOption())
    .option('--yes', 'Do not ask: generate missing keys and deploy')
    .example('deploy staging --profile ops', 'With the rights of a profile of the AWS CLI')
    .example('deploy production --yes', 'In a pipeline')
    .action((stage: string, options: Options) => deploy(stage, options, parts));
}

async function deploy(name: string, options: Options, parts: DeployParts): Promise<void> {
  const project = options.project ?? (await loadProject(process.cwd()));
  const rules = await readRulesToDeploy(options.rules, project);
  const [ask, { stage, cloud, access }, synthesize] = await allOrProblems([
    questions(options, parts),
    reachStage(name, { ...options, project }),
    (async () => parts.toolkit(project.dir, options.profile))(),
  ]);
  const { account, region } = stage;
  console.log(`Stage ${name}, account ${account}, region ${region}, ${counted(rules.rules.length, 'rule')}`);

  const [, missing] = await allOrProblems([
    requireBootstrap(cloud, stage),
    findMissingSecrets(stage, rules.routes, { cloud, asks: ask !== undefined }),
    requireState(cloud, stage),
    requireKey(stage),
  ]);
  await using synthesized = await synthesize(stage, rules);
  const isFirst = (await cloud.findStack(stackName(name, 'alerting'))) === undefined;
  const later = await createSecrets(missing, stage, { ...parts, cloud, signal: interruption() });
  if (isFirst) await show('Other stages of the account', otherStages(name, project, access));
  else {
    const place = { ...options, state: '', stage: name, project };
    await show('The changes of the rules', ruleChanges(place, rules, parts.clock));
  }
  const { perHour } = stage.calls;
  for (const line of shortageLines(rules.rules, parts.clock.now(), perHour)) console.error(line);
  if (!(await isConfirmed(synthesized, name, ask))) return;
  await synthesized.deploy();

  await report(stage, later, { cloud, options: accessOptions(options) });
}

async function questions({ yes }: Options, { ask }: DeployParts): Promise<Ask> {
  if (yes) return undefined;
  if (!ask) throw new ConfigError('there is no terminal to ask at: use --yes to deploy without questions');
  return ask;
}

async function requireBootstrap(cloud: Cloud, { account, region }: AwsPlace): Promise<void> {
  if (await cloud.findStack('CDKToolkit')) return;
  throw new ConfigError(
    `the account ${account} is not prepared for the CDK in ${region}: an administrator must run "npx cdk bootstrap aws://${account}/${region}" once`,
  );
}

async function requireState(cloud: Cloud, { state, account, region }: ReachedStage['stage']): Promise<void> {
  if (!state || (await cloud.hasTable(state.table))) return;
  throw new ConfigError(
    `there is no table "${state.table}" in ${region} of the account ${account}: name one that exists in "state", or remove "state" for a new one`,
  );
}

async function requireKey({ kmsKey, region }: ReachedStage['stage']): Promise<void> {
  const ofKey = kmsKey?.split(':')[3];
  if (ofKey === undefined || ofKey === region) return;
  throw new ConfigError(
    `kmsKey is a key of ${ofKey}: the stage is in ${region}, and needs a key of that region`,
  );
}

/** A stage that was renamed runs on under its earlier name. */
async function otherStages(name: string, { config }: Project, access: AwsAccess): Promise<string[]> {
  const known = new Set([name, ...config.stages.map((each) => each.name)]);
  const others = [...(await createStageStacks(access).byStage()).keys()].filter((each) => !known.has(each));
  return others.flatMap((other) =>
    wrapped(
      `The account also has stacks of a stage "${other}", which deltawatch.config.ts does not name. If ${name} is its new name: "npx deltawatch destroy ${other}" deletes them and names the table that stays, and "state: { table: ... }" of ${name} continues with it.`,
    ),
  );
}

function ruleChanges(place: InstallationOptions, rules: RuleSet, clock: Clock): Promise<string[]> {
  return withInstallation(place, clock, async (each) =>
    (await leavesAppliedRules(rules, each))
      ? wrapped(
          `The active rules stay: they were applied since the last deployment, and the rules of this folder are those of that deployment. To activate the rules of this folder: npx deltawatch apply --stage ${place.stage}`,
        )
      : planLines(await planRules(rules, each)),
  );
}

/** Who deploys may have no right to read `what`, and a table may be what this deployment repairs. */
async function show(what: string, lines: Promise<string[]>): Promise<void> {
  const text = await lines.catch((error: unknown) => {
    if (!isExplained(error)) throw error;
    return wrapped(`${what} cannot be shown: ${error.message}`);
  });
  if (text.length > 0) console.log(text.join('\n'));
}

async function isConfirmed(synthesized: Synthesized, name: string, ask: Ask): Promise<boolean> {
  await synthesized.showDifferences();
  return !ask || isWanted(ask, `Deploy ${name}?`, { instead: 'use --yes', refused: 'Nothing was deployed.' });
}

async function report(
  stage: Stage,
  later: NeededSecret[],
  { cloud, options }: { cloud: Cloud; options: string[] },
): Promise<void> {
  const { name, operators, respond } = stage;
  const command = (...words: string[]) => ['npx deltawatch', ...words, ...options].join(' ');
  const url = (await cloud.findStack(stackName(name, 'respond')))?.outputs.Url;
  console.log(`\nDeployed ${name}. The page: ${url ?? 'its stack has no output Url'}`);
  if (url !== undefined && respond.access.kind === 'session')
    console.log(`Sign in: ${command('open', '--stage', name)}`);
  const next = [
    ...later.map(
      (secret) =>
        `Still missing: ${secret.name}, ${secret.purpose}. Rules are evaluated once it exists: create a key with "npx deltawatch keys create".`,
    ),
    `Confirm the subscription that AWS mails to ${operators}.`,
    `Send a test message to every channel: ${command('test-notification', '--stage', name)}`,
    `Check everything: ${command('doctor', name)}`,
  ];
  for (const line of next) console.log(wrapped(line).join('\n'));
}

function accessOptions({ profile, region }: AwsAccess): string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(region === undefined ? [] : ['--region', region]),
  ];
}

const PARTS: DeployParts = {
  clock: systemClock,
  ask: ASK,
  askHidden: ASK_HIDDEN,
  newKey: () => randomBytes(32).toString('base64'),
  toolkit: cdkToolkit,
};
