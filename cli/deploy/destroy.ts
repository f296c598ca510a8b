import { type AwsAccess, createCloud } from '../../shared/aws/cloud.ts';
import { createStageStacks, type Removable, type StageStacks } from '../../shared/aws/stage-stacks.ts';
import { loadProject } from '../../shared/config/load-config.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import { reachStage, type StageOptions, stackName, withAccess } from '../options/stages.ts';
import { Command } from '../terminal/command.ts';
import { ASK_TEXT, type AskText } from '../terminal/confirm.ts';
import { documentPath } from '../terminal/documents.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends Omit<StageOptions, 'rules'> {
  yes?: string;
}

/** `deltawatch destroy`: deletes the stacks of a stage, also of one that the configuration no longer names. */
export function destroyCommand(ask: AskText = ASK_TEXT): Command {
  return withAccess(new Command('destroy').argument('<stage>', 'Stage whose stacks are deleted'))
    .description('Show what would be deleted in AWS and what stays, ask for the name, and delete a stage')
    .option('--yes <stage>', 'Do not ask: the name of the stage again')
    .example('destroy staging', 'Lists everything first, and asks')
    .example('destroy staging --yes staging', 'In a pipeline')
    .action((stage: string, options: Options) => destroy(stage, options, ask));
}

/** Those that use others come first: CloudFormation keeps what is in use. */
const ORDER = ['alerting', 'respond', 'data-access', 'tables', 'data', 'state'];

type StackContents = { stack: string; resources: Removable[] };

async function destroy(name: string, options: Options, ask: AskText): Promise<void> {
  if (options.yes !== undefined && options.yes !== name)
    throw new InvalidRequestError(`--yes names "${options.yes}", not the stage "${name}"`);
  const access = await accessTo(name, options);
  const stacks = createStageStacks(access);
  const { account, region } = await createCloud(access).place();
  const stages = await stacks.byStage();
  const found = stages.get(name) ?? [];
  if (found.length === 0)
    throw new ConfigError(
      `there is no stack of a stage "${name}" in the account ${account}, region ${region}${stages.size > 0 ? `; there are stacks of ${[...stages.keys()].join(', ')}` : ''}`,
    );
  const parts = ORDER.map((part) => stackName(name, part)).filter((each) => found.includes(each));
  const contents = await Promise.all(
    parts.map(async (stack) => ({ stack, resources: await stacks.resourcesOf(stack) })),
  );
  console.log(`Stage ${name}, account ${account}, region ${region}`);
  for (const line of destructionLines(name, contents)) console.log(line);
  if (!(await isConfirmed(name, options, ask))) {
    console.error('Nothing was deleted.');
    process.exitCode = 1;
    return;
  }
  for (const each of contents) await remove(each, stacks);
  const kept = contents.flatMap(({ resources }) => resources.filter(({ stays }) => stays));
  const next = `What stays can be used again or deleted: ${documentPath('how-to/deploying.md')}`;
  console.log(kept.length > 0 ? wrapped(next).join('\n') : 'Nothing of it is left but its secrets.');
}

/** The place of a stage in the configuration, or that of the credentials. */
async function accessTo(name: string, options: Options): Promise<AwsAccess> {
  const project = options.project ?? (await loadProject(process.cwd()));
  if (project.config.stages.some((each) => each.name === name))
    return (await reachStage(name, { ...options, project })).access;
  const { profile, region } = options;
  return { ...(profile !== undefined && { profile }), ...(region !== undefined && { region }) };
}

const HOLDERS: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'the table',
  'AWS::S3::Bucket': 'the bucket',
};

export function destructionLines(name: string, stacks: readonly StackContents[]): string[] {
  const holders = stacks
    .flatMap(({ resources }) => resources)
    .flatMap(({ type, id, stays }) => (HOLDERS[type] ? [{ text: `${HOLDERS[type]} ${id}`, stays }] : []));
  const lost = holders.filter(({ stays }) => !stays).map(({ text }) => `${text}, with all its data`);
  const kept = holders.filter(({ stays }) => stays).map(({ text }) => text);
  return [
    '\nDeleted:',
    ...stacks.map(
      ({ stack, resources }) =>
        `  ${stack}: ${counted(resources.filter(({ stays }) => !stays).length, 'resource')}`,
    ),
    ...lost.map((text) => `  ${text}`),
    '\nStays:',
    ...[...kept, `secrets, such as those of deltawatch/${name}/`].map((text) => `  ${text}`),
    '',
  ];
}

async function isConfirmed(name: string, { yes }: Options, ask: AskText): Promise<boolean> {
  if (yes !== undefined) return true;
  if (!ask) throw new ConfigError(`there is no terminal to ask at: use --yes ${name}`);
  return (await ask(`Type "${name}" to delete it:`)) === name;
}

async function remove({ stack, resources }: StackContents, stacks: StageStacks): Promise<void> {
  for (const { type, id, stays } of resources)
    if (type === 'AWS::S3::Bucket' && !stays) await stacks.empty(id);
  await stacks.remove(stack);
  console.log(`Deleted ${stack}.`);
}
