import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import { secretAt } from '../shared/channels/kind.ts';
import { secretsOf } from '../shared/channels/kinds.ts';
import type { Stage } from '../shared/config/stage.ts';
import type { RuleSet } from '../shared/deployments/rule-store.ts';
import { TABLE } from '../shared/store/table-schema.ts';
import { cadenceName } from '../shared/time/cadence.ts';
import { addAlarms } from './alarms.ts';
import { allowSending } from './channel-rights.ts';
import { LoggedTrigger } from './constructs/log-retention.ts';
import { Clockwork } from './constructs/schedules.ts';
import {
  metricsNamespace,
  WatchedFunction,
  type WatchedFunctionProps,
} from './constructs/watched-function.ts';
import { DeadLetters, WorkQueue } from './constructs/work-queue.ts';
import { addDashboard } from './dashboard.ts';
import { CALL_SECONDS } from './data-access-stack.ts';
import type { FunctionName } from './function-bundles.ts';
import { bundleWith } from './packed-bundle.ts';
import { type PartProps, stackOf } from './stage-props.ts';
import { longestCallSeconds } from './tables-stack.ts';

/** Wake-ups handled concurrently. One sweep handles any number of them. */
const WAKE_UPS_AT_ONCE = 2;
/** Scheduled sweeps that run concurrently. A sweep takes up to a minute, so the next one may start before it ends. */
const SWEEPS_AT_ONCE = 2;

interface AlertingStackProps extends PartProps {
  table: ITable;
  /** The function that check-rules calls or, for an external service, its URL. */
  dataAccess: IFunction | string;
  /** Base URL of the page, and of all links in messages. */
  publicUrl: string;
  /** Determines the schedules, and which channels and secrets notify has access to. */
  ruleSet: RuleSet;
}

/** Schedules, queues and functions. Stateless: all state is in the table. */
export class AlertingStack extends Stack {
  readonly #props: AlertingStackProps;
  readonly functions: Record<'planChecks' | 'checkRules' | 'notify', IFunction>;

  constructor(scope: Construct, id: string, props: AlertingStackProps) {
    super(scope, id, stackOf(props.stage, id, 'schedules, queues and functions'));
    this.#props = props;
    const { operators } = props;

    // A question to tables may take three minutes, and a run may send two after its time to read.
    const checkTimeout = Duration.minutes(props.stage.dataAccess.kind === 'tables' ? 10 : 5);
    const notifyTimeout = Duration.minutes(1);
    const invocations = new DeadLetters(this, 'LostInvocations', {
      operators,
      lossImpact: 'A scheduled call failed after all retries. The next run of its cadence catches up.',
    });
    const batches = new WorkQueue(this, 'Batches', {
      operators,
      workTimeout: checkTimeout,
      // With the waits of `retryingSoon`, the last delivery is an hour after the first.
      deliveries: 8,
      patience: Duration.minutes(30),
      delayImpact: 'A batch has waited for 30 minutes. Rules are evaluated late.',
      lossImpact:
        'A batch failed after all retries. Its rules were not evaluated; the next run of their cadence catches up.',
    });
    const wakeUps = new WorkQueue(this, 'WakeUps', {
      operators,
      workTimeout: notifyTimeout,
      patience: Duration.minutes(15),
      delayImpact:
        'A wake-up of notify has waited for 15 minutes. Messages are still sent, by the sweep that runs every minute.',
      lossImpact:
        'A wake-up of notify failed after all retries. No message is lost: the sweep that runs every minute sends it.',
    });

    const named = props.ruleSet.rules.map(({ cadence }) => [cadenceName(cadence), cadence] as const);
    const cadences = [...new Map(named).values()];
    const planChecks = this.#planChecks(batches, invocations);
    const checkRules = this.#checkRules(batches, wakeUps, checkTimeout);
    const notify = this.#notify(wakeUps, invocations, notifyTimeout);
    this.functions = { planChecks, checkRules, notify };
    addAlarms(this, operators, {
      ...{ planChecks, notify, cadences },
      namespace: metricsNamespace(props.stage),
    });
    const clockwork = new Clockwork(this, 'Clockwork', {
      cadences,
      onTick: planChecks,
      everyMinute: notify,
      deadLetters: invocations,
    });
    const { stage, table } = props;
    addDashboard(this, {
      ...{ stage, table, queues: { batches, wakeUps } },
      functions: [planChecks, checkRules, notify],
    });
    // The new rules may need new code to read them, and a new permission in the role of notify.
    const readers = [planChecks, checkRules, notify];
    this.#syncRules([clockwork, ...readers, ...(notify.role ? [notify.role] : [])]);
  }

  #planChecks(batches: WorkQueue, deadLetters: DeadLetters): WatchedFunction {
    const { table } = this.#props;
    const planChecks = this.#function('plan-checks', {
      errorImpact:
        'The function plan-checks fails. Rules are not evaluated until the next run of their cadence, which catches up.',
      timeout: Duration.minutes(2),
      environment: {
        BATCHES_URL: batches.queueUrl,
        CALLS_PER_HOUR: String(this.#props.stage.calls.perHour),
      },
      deadLetters,
    });
    planChecks.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    planChecks.allowWriting(table, { UpdateItem: ['TICK#*', 'LAST-TICKS', 'LOCKS'] });
    planChecks.allow(['sqs:SendMessage'], batches.queueArn);
    return planChecks;
  }

  #checkRules(batches: WorkQueue, wakeUps: WorkQueue, timeout: Duration): WatchedFunction {
    const { dataAccess, stage, table } = this.#props;
    const { calls } = stage;
    const isExternal = typeof dataAccess === 'string';
    const checkRules = this.#function('check-rules', {
      errorImpact: 'The function check-rules fails. Rules are not evaluated, and no new alert fires.',
      timeout,
      ...(stage.reservesConcurrency && { reservedConcurrency: calls.atOnce }),
      // Enough for a batch of rules with baselines over ten weeks of hours.
      megabytes: 1024,
      environment: {
        WAKE_UPS_URL: wakeUps.queueUrl,
        ...(isExternal ? { DATA_ACCESS_URL: dataAccess } : { DATA_ACCESS_FUNCTION: dataAccess.functionArn }),
        BATCHES_URL: batches.queueUrl,
        CALLS_PER_SECOND: String(calls.perSecond / calls.atOnce),
        CALLS_PER_HOUR: String(calls.perHour),
        COMPARES_USERS: String(stage.dataAccess.kind !== 'external' || stage.dataAccess.comparesUsers),
        NOTES_VERSIONS: String(stage.notesVersions),
        ...callSettings(stage),
      },
    });
    checkRules.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    checkRules.allowWriting(table, {
      PutItem: ['ALERT#*', 'SNAPSHOTS#*', 'MOVES#*', 'NOTES'],
      BatchWriteItem: ['SNAPSHOTS#*'],
      UpdateItem: ['TICK#*', 'APP#*'],
    });
    checkRules.allow(['sqs:SendMessage'], wakeUps.queueArn);
    if (!isExternal) checkRules.allow(['lambda:InvokeFunction'], dataAccess.functionArn);
    if (stage.dataAccess.kind !== 'tables') checkRules.allowSecrets([stage.apiKeySecret]);
    // One batch per call: a failure counts as an error, and retries only its own batch.
    batches.consumedBy(checkRules, { batchSize: 1, maxConcurrency: calls.atOnce });
    return checkRules;
  }

  #notify(wakeUps: WorkQueue, deadLetters: DeadLetters, timeout: Duration): WatchedFunction {
    const { publicUrl, ruleSet, stage, table } = this.#props;
    const notify = this.#function('notify', {
      errorImpact:
        'The function notify fails. No messages are sent. They stay pending, and are sent by the first run that succeeds.',
      timeout,
      ...(stage.reservesConcurrency && { reservedConcurrency: WAKE_UPS_AT_ONCE + SWEEPS_AT_ONCE }),
      // A run has a minute to lease, send and settle thousands of alerts.
      megabytes: 1769,
      environment: {
        STAGE_NAME: stage.name,
        PUBLIC_URL: publicUrl,
        SIGNING_SECRET: stage.respond.signingSecret,
      },
      deadLetters,
    });
    notify.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    notify.allowWriting(table, { PutItem: ['ALERT#*', 'DELIVERIES#*', 'TESTS'], UpdateItem: ['LOCKS'] });
    for (const index of [TABLE.pendingIndex, TABLE.openIndex])
      notify.allow(['dynamodb:Query'], `${table.tableArn}/index/${index.name}`);
    const channels = Object.values(ruleSet.routes.channels);
    const secrets = channels.flatMap(secretsOf).map(({ name }) => secretAt(stage.name)(name));
    notify.allowSecrets([stage.respond.signingSecret, ...secrets]);
    for (const channel of channels) allowSending(notify, channel);
    wakeUps.consumedBy(notify, { batchSize: 10, maxConcurrency: WAKE_UPS_AT_ONCE });
    return notify;
  }

  /** Runs after the resources that it records as deployed. Fails the deployment if the rules cannot be applied. */
  #syncRules(after: IConstruct[]): void {
    const { bundles, ruleSet, table } = this.#props;
    const syncRules = this.#function('sync-rules', {
      bundle: bundleWith(this, join(bundles, 'sync-rules'), {
        name: 'rule-set.json',
        content: ruleSet,
      }),
      errorImpact:
        'The function sync-rules fails, and so does the deployment. Either its rules are not active, or an open alert of a removed rule could not be ended. Fix the cause and deploy again.',
      timeout: Duration.minutes(2),
      // It holds all rules, and those before them. A hundred thousand take 400 MB.
      megabytes: 1769,
      // A deployment calls it once.
      errors: 1,
      environment: {
        STACK_NAME: this.stackName,
        HAS_BUTTONS: String(this.#props.stage.respond.slackSigningSecret !== undefined),
      },
    });
    syncRules.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    syncRules.allowWriting(table, {
      PutItem: ['RULES', 'RULES#*', 'ALERT#*', 'DEPLOYMENT', 'AUDIT'],
      BatchWriteItem: ['RULES#*'],
      UpdateItem: ['RULES#*'],
    });
    syncRules.allow(['dynamodb:Query'], `${table.tableArn}/index/${TABLE.openIndex.name}`);
    const { stage } = this.#props;
    new LoggedTrigger(this, 'ApplyRules', { stage, handler: syncRules, executeAfter: after });
  }

  #function(
    name: FunctionName,
    props: Omit<WatchedFunctionProps, 'bundle' | 'stage' | 'operators'> & { bundle?: string },
  ): WatchedFunction {
    const { stage, table, bundles } = this.#props;
    return new WatchedFunction(this, name, {
      bundle: join(bundles, name),
      ...props,
      stage,
      operators: this.#props.operators,
      environment: { ...props.environment, TABLE_NAME: table.tableName },
    });
  }
}

/** Tables of a team need no API key, and time to be looked up by the first request for their app in a process. */
function callSettings({ apiKeySecret, dataAccess }: Stage): Record<string, string> {
  if (dataAccess.kind === 'tables') return { CALL_SECONDS: String(longestCallSeconds(dataAccess)) };
  return {
    API_KEY_SECRET: apiKeySecret,
    ...(dataAccess.kind === 'own' && { CALL_SECONDS: String(CALL_SECONDS) }),
  };
}
