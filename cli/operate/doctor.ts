import { bad, good } from '../../local/colour.ts';
import { createStageParts, type StageParts } from '../../shared/aws/stage-parts.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { whyUnreachable } from '../../shared/http/unreachable.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { isExplained, UpstreamError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { iso } from '../../shared/time/iso.ts';
import { secretStates } from '../deploy/deploy-secrets.ts';
import { withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import {
  ofStage,
  type ReachedStage,
  reachStage,
  type StageOptions,
  stacksOf,
  urlOfStage,
} from '../options/stages.ts';
import { Command } from '../terminal/command.ts';
import { tableText } from '../terminal/table.ts';
import { statusReport } from './status-report.ts';

interface Options extends StageOptions {
  json?: true;
}

/** `deltawatch doctor`. `--json` prints `{at, stage, checks: Check[]}`. Exit code 1 if a check fails. */
export function doctorCommand(clock: Clock = systemClock): Command {
  return ofStage(new Command('doctor'))
    .description('Check a stage in AWS from outside: what is broken, and what to do')
    .option('--json', 'Print one JSON document')
    .example('doctor production', 'Does everything work?')
    .example('doctor production --json --profile ops', 'For a program')
    .action((stage: string, options: Options) => doctor(stage, options, clock));
}

async function doctor(name: string, options: Options, clock: Clock): Promise<void> {
  const reached = await reachStage(name, options);
  const { routes } = await readRules(options.rules);
  const checked = { ...reached, options, routes, parts: createStageParts(reached.access), clock };
  const checks = await Promise.all(
    Object.entries(CHECKS).map(([each, check]) => resultOf(each, () => check(checked))),
  );
  if (options.json) console.log(JSON.stringify({ at: iso(clock.now()), stage: name, checks }));
  else console.log(checksText(name, checks));
  if (checks.some(({ state }) => state === 'failed')) process.exitCode = 1;
}

interface Checked extends ReachedStage {
  options: Options;
  routes: Routes;
  parts: StageParts;
  clock: Clock;
}

interface Finding {
  state: 'ok' | 'failed';
  found: string;
  /** What to do; `null` if nothing. */
  advice: string | null;
}

type Check = { name: string } & Finding;

const ok = (found: string): Finding => ({ state: 'ok', found, advice: null });
const failed = (found: string, advice: string | null): Finding => ({ state: 'failed', found, advice });

/** Each reads one part of the stage. None changes anything, or reads the value of a secret. */
export const CHECKS = {
  stacks: stacksFinding,
  secrets: secretsFinding,
  status: statusFinding,
  alarms: alarmsFinding,
  mailbox: mailboxFinding,
  page: pageFinding,
} satisfies Record<string, (checked: Checked) => Promise<Finding>>;

/** What cannot be read fails its check. */
async function resultOf(name: string, check: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    if (isExplained(error)) return { name, ...failed(`not checked: ${error.message}`, null) };
    throw error;
  }
}

/** A stack that was rolled back works, but is not what was deployed. */
const GOOD_STATUS = /^(CREATE|UPDATE|IMPORT)_COMPLETE$/;

async function stacksFinding({ cloud, stage }: Checked): Promise<Finding> {
  const stacks = await Promise.all(
    stacksOf(stage).map(async (name) => ({ name, status: (await cloud.findStack(name))?.status })),
  );
  const missing = stacks.filter(({ status }) => status === undefined);
  if (missing.length > 0)
    return failed(
      `${missing.map(({ name }) => name).join(', ')} missing`,
      `Deploy it: npx deltawatch deploy ${stage.name}`,
    );
  const wrong = stacks.filter(({ status = '' }) => !GOOD_STATUS.test(status));
  if (wrong.length === 0) return ok(`${counted(stacks.length, 'stack')} deployed`);
  return failed(
    wrong.map(({ name, status }) => `${name}: ${status}`).join(', '),
    `See the events of the stack in CloudFormation, fix the cause and deploy again: npx deltawatch deploy ${stage.name}`,
  );
}

async function secretsFinding({ cloud, stage, routes }: Checked): Promise<Finding> {
  const secrets = await secretStates(stage, routes, cloud);
  const lacking = secrets.filter(({ state }) => state !== 'exists');
  if (lacking.length === 0) return ok(`${counted(secrets.length, 'secret')} exist`);
  const each = lacking.map(({ name, purpose, state }) =>
    state === 'deleted' ? `${name} is scheduled for deletion` : `${name} is missing (${purpose})`,
  );
  return failed(
    each.join('; '),
    lacking.some(({ origin }) => origin === 'later')
      ? 'Create an API key with "npx deltawatch keys create", and store it.'
      : `Create what is missing: npx deltawatch deploy ${stage.name}`,
  );
}

/** What `deltawatch status` shows, as one line. */
async function statusFinding({ stage, options, clock }: Checked): Promise<Finding> {
  const place = { ...options, state: '', stage: stage.name };
  const status = await withInstallation(place, clock, (each) => statusReport(each, clock.now()));
  const { rules, cadences, troubles } = status;
  if (rules === null)
    return failed('no rules are deployed', `Deploy some: npx deltawatch apply --stage ${stage.name}`);
  const late = cadences.filter(({ state }) => state === 'late').length;
  const serious = troubles.filter(({ kind }) => kind !== 'unmatched').length;
  const found = [
    ...(late > 0 ? [`${counted(late, 'schedule')} late`] : []),
    ...(serious > 0 ? [counted(serious, 'trouble')] : []),
  ];
  if (found.length === 0) return ok(`${counted(rules.count, 'rule')}, all schedules on time`);
  return failed(found.join(', '), `The reasons: npx deltawatch status --stage ${stage.name}`);
}

async function alarmsFinding({ stage, parts }: Checked): Promise<Finding> {
  const firing = await parts.firing(await idsOf('AWS::CloudWatch::Alarm', stage, parts));
  if (firing.length === 0) return ok('no alarm is firing');
  return failed(firing.map(({ name, text }) => `${name}: ${text}`).join('\n'), null);
}

async function mailboxFinding({ stage, parts }: Checked): Promise<Finding> {
  const ids = await idsOf('AWS::SNS::Topic', stage, parts);
  const topics = await Promise.all(ids.map((id) => parts.subscriptions(id)));
  const all = counted(topics.flat().length, 'subscription');
  const pending = topics.flat().filter(({ isConfirmed }) => !isConfirmed);
  if (pending.length > 0)
    return failed(
      `${[...new Set(pending.map(({ endpoint }) => endpoint))].join(', ')}: ${pending.length} of ${all} not confirmed, so these alarms reach nobody`,
      'Open the mails "AWS Notification - Subscription Confirmation" and confirm. They expire after two days: then subscribe again in SNS.',
    );
  const empty = topics.filter((topic) => topic.length === 0).length;
  if (empty === 0) return ok(`${stage.operators}: ${all} confirmed`);
  return failed(
    `${counted(empty, 'topic')} without a subscription, so these alarms reach nobody`,
    `Subscribe ${stage.operators} in SNS.`,
  );
}

async function idsOf(type: string, stage: Stage, parts: StageParts): Promise<string[]> {
  const all = await Promise.all(stacksOf(stage).map((name) => parts.partsOf(name)));
  return all.flat().flatMap((part) => (part.type === type ? [part.id] : []));
}

const PAGE_TIMEOUT_MS = 10_000;

async function pageFinding(checked: Checked): Promise<Finding> {
  const url = await urlOfStage(checked);
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new UpstreamError(`${url} ${whyUnreachable(cause, PAGE_TIMEOUT_MS)}`, { retryable: true, cause });
    },
  );
  await answer.body?.cancel();
  if (answer.status === 200) return ok(url);
  return failed(`${url}/healthz answers ${answer.status}`, 'See the log of the function respond.');
}

const STYLES = { ok: good, failed: bad };

function checksText(stage: string, checks: Check[]): string {
  const columns = { STATE: {}, CHECK: {}, FOUND: { width: 62 } };
  const rows = checks.map(({ name, state, found, advice }) => {
    const text = [...found.split('\n'), ...(advice === null ? [] : [advice])];
    return [STYLES[state](state), name, text.map(printable).join('\n')];
  });
  const broken = checks.filter(({ state }) => state === 'failed').length;
  const summary = broken === 0 ? `${stage} works.` : `${counted(broken, 'check')} failed.`;
  return `${tableText(columns, rows)}\n\n${summary}`;
}
