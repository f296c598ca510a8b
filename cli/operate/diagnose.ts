import { counted } from '../../local/terminal.ts';
import type { AwsPlace, DeployedStack, SecretState } from '../../shared/aws/cloud.ts';
import type { Subscription } from '../../shared/aws/stage-parts.ts';
import { hasButtons } from '../../shared/channels/kinds.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Cadence, cadenceName } from '../../shared/time/cadence.ts';
import type { NeededSecret } from '../deploy/stage-secrets.ts';
import { stackName } from '../options/stages.ts';
import { type Check, deployAdvice, type Finding, failed, ok } from './finding.ts';
import type { StatusReport } from './status-report.ts';
import { channelsFinding, rulesFinding, runsFinding, tableFinding } from './table-findings.ts';

/** Something that was read, or why it could not be. */
export type Fact<T> = { kind: 'known'; value: T } | { kind: 'unknown'; why: string };

/** What is known of a deployed stage. */
export interface StageFacts {
  at: number;
  stage: Stage;
  /** The rules of the repository. */
  rules: RuleSet;
  place: Fact<AwsPlace>;
  /** `undefined`: it does not exist. */
  stacks: Fact<{ name: string; stack: DeployedStack | undefined }[]>;
  table: Fact<{ status: StatusReport; cadences: Cadence[] }>;
  secrets: Fact<(NeededSecret & { state: SecretState })[]>;
  /** The address of the page and the status of its answer. */
  page: Fact<{ url: string; status: number }>;
  schedules: Fact<{ name: string; isEnabled: boolean }[]>;
  /** The dead-letter queues, by their names in the stack. */
  deadLetters: Fact<{ name: string; messages: number }[]>;
  firing: Fact<{ name: string; text: string }[]>;
  /** The subscriptions of each topic of the operators. */
  subscriptions: Fact<Subscription[][]>;
}

/** A stack that was rolled back works, but is not what was deployed. */
const GOOD_STATUS = /^(CREATE|UPDATE|IMPORT)_COMPLETE$/;

/** Every check of a stage. A fact that could not be read fails its check. */
export function diagnose(facts: StageFacts): Check[] {
  const { stage, place, rules } = facts;
  const deploy = deployAdvice(stage.name);
  const credentials = checked('credentials', place, ({ account, region }) =>
    stage.account !== undefined && stage.account !== account
      ? failed(
          `account ${account}, but the stage belongs to ${stage.account}`,
          'Use --profile for an AWS CLI profile of that account, or correct account in deltawatch.config.ts.',
        )
      : ok(`account ${account}, region ${region}`),
  );
  // All other facts would be those of another account.
  if (credentials.state === 'failed') return [credentials];
  return [
    credentials,
    checked('stacks', facts.stacks, (stacks) => stacksFinding(stacks, stage.name, deploy)),
    checked('secrets', facts.secrets, (secrets) => secretsFinding(secrets, stage)),
    { name: 'buttons', ...buttonsFinding(rules, stage) },
    checked('table', facts.table, ({ status }) => tableFinding(status)),
    checked('rules', facts.table, ({ status }) => rulesFinding(status, rules, stage.name)),
    checked('schedules', facts.schedules, (schedules) => schedulesFinding(schedules, facts.table, deploy)),
    checked('runs', facts.table, (table) => runsFinding(table, facts.at, stage.name)),
    checked('channels', facts.table, ({ status }) => channelsFinding(status)),
    checked('lost work', facts.deadLetters, lostFinding),
    checked('alarms', facts.firing, alarmsFinding),
    checked('mailbox', facts.subscriptions, (topics) => mailboxFinding(topics, stage)),
    checked('page', facts.page, ({ url, status }) =>
      status === 200
        ? ok(url)
        : failed(`${url}/healthz answers ${status}`, 'See the log of the function respond.'),
    ),
  ];
}

function checked<T>(name: string, fact: Fact<T>, judge: (value: T) => Finding): Check {
  if (fact.kind === 'known') return { name, ...judge(fact.value) };
  return { name, ...failed(`not checked: ${fact.why}`, null) };
}

function stacksFinding(
  stacks: { name: string; stack: DeployedStack | undefined }[],
  stage: string,
  deploy: string,
): Finding {
  const missing = stacks.filter(({ stack }) => !stack).map(({ name }) => name);
  if (missing.length > 0) return failed(`${missing.join(', ')} missing`, deploy);
  const bad = stacks.flatMap(({ name, stack }) =>
    stack && !GOOD_STATUS.test(stack.status) ? [`${name}: ${stack.status}`] : [],
  );
  if (bad.length > 0)
    return failed(
      bad.join(', '),
      `See the events of the stack in CloudFormation, fix the cause and deploy again: npx deltawatch deploy ${stage}`,
    );
  return ok(`${counted(stacks.length, 'stack')} deployed`);
}

function secretsFinding(secrets: (NeededSecret & { state: SecretState })[], stage: Stage): Finding {
  const lacking = secrets.filter(({ state }) => state !== 'exists');
  if (lacking.length === 0) return ok(`${counted(secrets.length, 'secret')} exist`);
  const each = lacking.map(({ name, purpose, state }) =>
    state === 'deleted' ? `${name} is scheduled for deletion` : `${name} is missing (${purpose})`,
  );
  const isKey = lacking.some(({ origin }) => origin === 'later');
  return failed(
    each.join('; '),
    isKey
      ? 'Create an API key with "npx deltawatch keys create", and store it.'
      : `Create what is missing: npx deltawatch deploy ${stage.name}`,
  );
}

function buttonsFinding({ routes }: RuleSet, { respond }: Stage): Finding {
  const interactive = Object.entries(routes.channels).flatMap(([name, channel]) =>
    hasButtons(channel) ? [name] : [],
  );
  if (interactive.length === 0) return ok('no channel has buttons');
  if (respond.slackSigningSecret !== undefined) return ok(`${interactive.join(', ')}: presses are verified`);
  return failed(
    `${interactive.join(', ')} has buttons, and no signing secret verifies them`,
    'Set respond.slackSigningSecret in deltawatch.config.ts, or remove "interactive" from the channel.',
  );
}

const EVERY_MINUTE = 'every-minute';

function schedulesFinding(
  schedules: { name: string; isEnabled: boolean }[],
  table: StageFacts['table'],
  deploy: string,
): Finding {
  const disabled = schedules.filter(({ isEnabled }) => !isEnabled).map(({ name }) => name);
  if (disabled.length > 0)
    return failed(`${disabled.join(', ')} disabled`, 'Enable it in EventBridge Scheduler.');
  const cadences = table.kind === 'known' ? table.value.cadences.map(cadenceName) : [];
  const known = new Set(schedules.map(({ name }) => name));
  const missing = [...new Set([EVERY_MINUTE, ...cadences])].filter((name) => !known.has(name));
  if (missing.length > 0) return failed(`${missing.join(', ')} missing`, deploy);
  return ok(`${counted(schedules.length, 'schedule')} enabled`);
}

function lostFinding(queues: { name: string; messages: number }[]): Finding {
  // Not a number if SQS gave none, which is no zero.
  const filled = queues.filter(({ messages }) => messages !== 0);
  if (queues.length === 0) return failed('no dead-letter queue found', null);
  if (filled.length === 0) return ok(`${counted(queues.length, 'dead-letter queue')} empty`);
  return failed(
    filled.map(({ name, messages }) => `${name}: ${counted(messages, 'message')}`).join(', '),
    'Find the cause in the logs and fix it, then redrive or purge the queue.',
  );
}

function alarmsFinding(firing: { name: string; text: string }[]): Finding {
  if (firing.length === 0) return ok('no alarm is firing');
  return failed(firing.map(({ name, text }) => `${name}: ${text}`).join('\n'), null);
}

function mailboxFinding(topics: Subscription[][], { operators }: Stage): Finding {
  const pending = topics.flat().filter(({ isConfirmed }) => !isConfirmed);
  const empty = topics.filter((topic) => topic.length === 0).length;
  if (topics.length === 0) return failed('no topic for alarms found', null);
  if (pending.length > 0)
    return failed(
      `${[...new Set(pending.map(({ endpoint }) => endpoint))].join(', ')}: ${pending.length} of ${counted(topics.flat().length, 'subscription')} not confirmed, so these alarms reach nobody`,
      'Open the mails "AWS Notification - Subscription Confirmation" and confirm. They expire after two days: then subscribe again in SNS.',
    );
  if (empty > 0)
    return failed(
      `${counted(empty, 'topic')} without a subscription, so these alarms reach nobody`,
      `Subscribe ${operators} in SNS.`,
    );
  return ok(`${operators}: ${counted(topics.flat().length, 'subscription')} confirmed`);
}

/** The stacks of a stage. */
export function stacksOf({ name, dataAccess }: Stage): string[] {
  const parts = [
    'state',
    'respond',
    'alerting',
    ...(dataAccess.kind === 'own' ? ['data', 'data-access'] : []),
    ...(dataAccess.kind === 'tables' ? ['tables'] : []),
  ];
  return parts.map((part) => stackName(name, part));
}
