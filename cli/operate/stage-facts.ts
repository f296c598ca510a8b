import { cadencesOf } from '../../functions/respond/page/health-view.ts';
import { openInstallation } from '../../local/installation.ts';
import type { AwsAccess, Cloud } from '../../shared/aws/cloud.ts';
import type { StackPart, StageParts } from '../../shared/aws/stage-parts.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { whyUnreachable } from '../../shared/http/unreachable.ts';
import { loadStatus } from '../../shared/responding/alert-status.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, UpstreamError } from '../../shared/runtime/errors.ts';
import { neededSecrets } from '../deploy/stage-secrets.ts';
import { stackName } from '../options/stages.ts';
import { type Fact, type StageFacts, stacksOf } from './diagnose.ts';
import { statusReport } from './status-report.ts';

export interface FactSources {
  access: AwsAccess;
  cloud: Cloud;
  parts: StageParts;
  clock: Clock;
}

const PAGE_TIMEOUT_MS = 10_000;

/** Reads everything that `diagnose` judges. Changes nothing, and reads no secret's value. */
export async function stageFacts(stage: Stage, rules: RuleSet, sources: FactSources): Promise<StageFacts> {
  const { cloud, parts } = sources;
  const place = await factOf(() => cloud.place());
  const stacks = await factOf(() =>
    Promise.all(stacksOf(stage).map(async (name) => ({ name, stack: await cloud.findStack(name) }))),
  );
  const outputOf = (part: string, output: string) => {
    const name = stackName(stage.name, part);
    if (stacks.kind === 'unknown') throw new ConfigError(stacks.why);
    const stack = stacks.value.find((each) => each.name === name)?.stack;
    if (!stack) throw new ConfigError(`the stack ${name} does not exist`);
    const value = stack.outputs[output];
    if (value === undefined) throw new ConfigError(`the stack ${name} has no output ${output}`);
    return value;
  };
  const deployed = stacks.kind === 'known' ? stacks.value.filter(({ stack }) => stack) : [];
  const resources = await factOf(async () => {
    if (deployed.length === 0) throw new ConfigError('no stack is deployed');
    return (await Promise.all(deployed.map(({ name }) => parts.partsOf(name)))).flat();
  });
  const inResources = <T>(read: (all: StackPart[]) => Promise<T>): Promise<Fact<T>> =>
    resources.kind === 'known' ? factOf(() => read(resources.value)) : Promise.resolve(resources);
  const [table, secrets, page, schedules, deadLetters, firing, subscriptions] = await Promise.all([
    factOf(() => tableFacts(outputOf('state', 'TableName'), sources)),
    factOf(() =>
      Promise.all(
        neededSecrets(stage, rules.routes).map(async (secret) => ({
          ...secret,
          state: await cloud.secretState(secret.name),
        })),
      ),
    ),
    factOf(() => pageFacts(outputOf('respond', 'Url'))),
    inResources((all) => schedulesIn(all, parts)),
    inResources((all) =>
      Promise.all(
        deadLettersIn(all).map(async ({ logicalId, id }) => ({
          name: logicalId,
          messages: await parts.messagesIn(id),
        })),
      ),
    ),
    inResources((all) => parts.firing(ofType(all, 'AWS::CloudWatch::Alarm').map(({ id }) => id))),
    inResources((all) =>
      Promise.all(ofType(all, 'AWS::SNS::Topic').map(({ id }) => parts.subscriptions(id))),
    ),
  ]);
  const at = sources.clock.now();
  return {
    at,
    stage,
    rules,
    place,
    stacks,
    table,
    secrets,
    page,
    schedules,
    deadLetters,
    firing,
    subscriptions,
  };
}

/** A failure that a user can mend is a fact too. */
async function factOf<T>(read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { kind: 'known', value: await read() };
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UpstreamError)
      return { kind: 'unknown', why: error.message };
    throw error;
  }
}

async function tableFacts(table: string, { access, clock }: FactSources) {
  const installation = await openInstallation({ state: '', table, ...access }, clock);
  try {
    const now = clock.now();
    const { rules } = await loadStatus(installation.stores, now);
    const cadences = cadencesOf(rules).map(({ cadence }) => cadence);
    return { status: await statusReport(installation, now), cadences };
  } finally {
    await installation.close();
  }
}

async function pageFacts(url: string): Promise<{ url: string; status: number }> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new UpstreamError(`${url} ${whyUnreachable(cause, PAGE_TIMEOUT_MS)}`, { retryable: true, cause });
    },
  );
  await answer.body?.cancel();
  return { url, status: answer.status };
}

async function schedulesIn(all: StackPart[], parts: StageParts) {
  const groups = ofType(all, 'AWS::Scheduler::ScheduleGroup');
  if (groups.length === 0) throw new ConfigError('no schedule group is deployed');
  return (await Promise.all(groups.map(({ id }) => parts.schedules(id)))).flat();
}

function deadLettersIn(all: StackPart[]): StackPart[] {
  return ofType(all, 'AWS::SQS::Queue').filter(({ logicalId }) => /DeadLetters|^Lost/.test(logicalId));
}

function ofType(all: StackPart[], type: string): StackPart[] {
  return all.filter((part) => part.type === type);
}
