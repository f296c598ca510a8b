import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Trigger } from 'aws-cdk-lib/triggers';
import type { Construct, IConstruct } from 'constructs';
import { TABLE } from '../shared/adapters/dynamodb/table.ts';
import type { RuleSet } from '../shared/alerting/deployments/rule-store.ts';
import { secretsOf } from '../shared/alerting/notifications/channels.ts';
import { type Cadence, cadenceName } from '../shared/alerting/time/cadence.ts';
import type { Counted } from '../shared/runtime/metrics.ts';
import type { FunctionName } from './bundles.ts';
import { allowSending } from './channel-rights.ts';
import { Operators } from './constructs/operators.ts';
import { Clockwork } from './constructs/schedules.ts';
import {
  metricsNamespace,
  WatchedFunction,
  type WatchedFunctionProps,
} from './constructs/watched-function.ts';
import { DeadLetters, WorkQueue } from './constructs/work-queue.ts';
import { watchPlanning } from './planning-alarm.ts';
import type { Stage } from './stages.ts';

/** Pieces checked at a time; they share the calls that are allowed in a second. */
const CHECKS_AT_ONCE = 2;
/** Nudges answered at a time: one sweep answers any number of them. */
const WAKE_UPS_AT_ONCE = 2;
/** Sweeps by the clock at a time: one lasts up to a minute, and the next begins meanwhile. */
const SWEEPS_AT_ONCE = 2;

export interface AlertingStackProps {
  stage: Stage;
  table: TableV2;
  /** The function that answers rules or, where the service is somebody else's, its address. */
  dataAccess: IFunction | string;
  /** Where people look and answer: the root of what messages link to. */
  publicUrl: string;
  /** Decides on the schedules, on where notify may send and on the secrets that it may read. */
  ruleSet: RuleSet;
  /** The folder of the bundles, one folder a function. */
  bundles: string;
}

/** What watches: schedules, queues and functions. Keeps nothing that matters; all of that is in the table. */
export class AlertingStack extends Stack {
  readonly #props: AlertingStackProps;
  readonly #operators: Operators;

  constructor(scope: Construct, id: string, props: AlertingStackProps) {
    super(scope, id, { description: `Deltawatch (${props.stage.name}): schedules, queues and functions` });
    this.#props = props;
    this.#operators = new Operators(this, 'Operators', { mailbox: props.stage.operators });

    const checkTimeout = Duration.minutes(5);
    const notifyTimeout = Duration.minutes(1);
    const invocations = new DeadLetters(this, 'LostInvocations', {
      operators: this.#operators,
      lossImpact: 'A scheduled call failed for good; the next tick of its cadence makes up for it.',
    });
    const batches = new WorkQueue(this, 'Batches', {
      operators: this.#operators,
      workTimeout: checkTimeout,
      // By the waits of `retryingSoon`, the last one an hour after the first.
      deliveries: 8,
      patience: Duration.minutes(30),
      delayImpact: 'Rules are judged late.',
      lossImpact: 'Some rules were not judged; the next tick of their cadence makes up for it.',
    });
    const wakeUps = new WorkQueue(this, 'WakeUps', {
      operators: this.#operators,
      workTimeout: notifyTimeout,
      patience: Duration.minutes(15),
      delayImpact: 'Messages go out with the sweep of each minute only.',
      lossImpact: 'A nudge to notify was lost; the sweep of the next minute makes up for it.',
    });

    const cadences = distinct(props.ruleSet.rules.map(({ cadence }) => cadence));
    const planChecks = this.#planChecks(batches, invocations);
    watchPlanning(this, this.#operators, planChecks, cadences);
    const checkRules = this.#checkRules(batches, wakeUps, checkTimeout);
    const notify = this.#notify(wakeUps, invocations, notifyTimeout);
    const clockwork = new Clockwork(this, 'Clockwork', {
      cadences,
      onTick: planChecks,
      everyMinute: notify,
      deadLetters: invocations,
    });
    // What announcing may read and send to hangs on its role; rules may say what code of before does not read.
    const readers = [planChecks, checkRules, notify];
    this.#syncRules([clockwork, ...readers, ...(notify.role ? [notify.role] : [])]);
  }

  #planChecks(batches: WorkQueue, deadLetters: DeadLetters): WatchedFunction {
    const { table } = this.#props;
    const planChecks = this.#function('plan-checks', {
      errorImpact: 'Rules are not looked at until the next tick of their cadence.',
      timeout: Duration.minutes(2),
      environment: { BATCHES_URL: batches.queueUrl },
      deadLetters,
    });
    planChecks.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    planChecks.allowWriting(table, { UpdateItem: ['TICK#*', 'LAST-TICKS'] });
    planChecks.allow(['sqs:SendMessage'], batches.queueArn);
    return planChecks;
  }

  #checkRules(batches: WorkQueue, wakeUps: WorkQueue, timeout: Duration): WatchedFunction {
    const { dataAccess, stage, table } = this.#props;
    const { apiKeySecret, calls } = stage;
    const isElsewhere = typeof dataAccess === 'string';
    const checkRules = this.#function('check-rules', {
      errorImpact: 'Rules are not judged; what moved goes unnoticed.',
      timeout,
      ...(stage.reservesConcurrency && { reservedConcurrency: CHECKS_AT_ONCE }),
      // The past of a hundred rules that look back over ten weeks of hours.
      megabytes: 1024,
      environment: {
        WAKE_UPS_URL: wakeUps.queueUrl,
        ...(isElsewhere ? { DATA_ACCESS_URL: dataAccess } : { DATA_ACCESS_FUNCTION: dataAccess.functionArn }),
        BATCHES_URL: batches.queueUrl,
        API_KEY_SECRET: apiKeySecret,
        CALLS_PER_SECOND: String(calls.perSecond / CHECKS_AT_ONCE),
        CALLS_PER_HOUR: String(calls.perHour),
        COMPARES_USERS: String(comparesUsers(stage.dataAccess)),
      },
    });
    checkRules.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    checkRules.allowWriting(table, {
      PutItem: ['ALERT#*', 'SHEETS#*'],
      BatchWriteItem: ['SHEETS#*'],
      UpdateItem: ['TICK#*', 'APP#*'],
    });
    checkRules.allow(['sqs:SendMessage'], wakeUps.queueArn);
    if (!isElsewhere) checkRules.allow(['lambda:InvokeFunction'], dataAccess.functionArn);
    checkRules.allowSecrets([apiKeySecret]);
    // One piece a call, so that a failure is one piece's, shows as an error, and repeats nothing else.
    checkRules.addEventSource(new SqsEventSource(batches, { batchSize: 1, maxConcurrency: CHECKS_AT_ONCE }));
    return checkRules;
  }

  #notify(wakeUps: WorkQueue, deadLetters: DeadLetters, timeout: Duration): WatchedFunction {
    const { publicUrl, ruleSet, stage, table } = this.#props;
    const notify = this.#function('notify', {
      errorImpact: 'Nobody is told what moved. Messages stay owed and go out once this works again.',
      timeout,
      ...(stage.reservesConcurrency && { reservedConcurrency: WAKE_UPS_AT_ONCE + SWEEPS_AT_ONCE }),
      // Thousands of alerts of one tick are taken and struck off within its minute.
      megabytes: 1769,
      environment: { PUBLIC_URL: publicUrl, SIGNING_SECRET: stage.respond.signingSecret },
      deadLetters,
    });
    notify.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    notify.allowWriting(table, { PutItem: ['ALERT#*', 'DELIVERIES#*', 'TESTS'], UpdateItem: ['TURNS'] });
    for (const index of [TABLE.pendingIndex, TABLE.openIndex])
      notify.allow(['dynamodb:Query'], `${table.tableArn}/index/${index.name}`);
    const channels = Object.values(ruleSet.routes.channels);
    notify.allowSecrets([stage.respond.signingSecret, ...channels.flatMap(secretsOf)]);
    for (const channel of channels) allowSending(notify, channel);
    notify.addEventSource(new SqsEventSource(wakeUps, { batchSize: 10, maxConcurrency: WAKE_UPS_AT_ONCE }));
    this.#watchSilence(notify);
    return notify;
  }

  /**
   * Fails the deployment when it fails, so that rules which cannot be put in force never seem to be. It comes after what
   * it records as set up.
   */
  #syncRules(after: IConstruct[]): void {
    const syncRules = this.#function('sync-rules', {
      errorImpact: 'The rules of this deployment are not in force; those before still are.',
      timeout: Duration.minutes(1),
      environment: {
        STACK_NAME: this.stackName,
        HAS_BUTTONS: String(this.#props.stage.respond.slackSigningSecret !== undefined),
      },
    });
    const { table } = this.#props;
    syncRules.allowReading(table, ['GetItem', 'BatchGetItem', 'Query']);
    syncRules.allowWriting(table, {
      PutItem: ['RULES', 'RULES#*', 'ALERT#*', 'DEPLOYMENT'],
      BatchWriteItem: ['RULES#*'],
    });
    syncRules.allow(['dynamodb:Query'], `${table.tableArn}/index/${TABLE.openIndex.name}`);
    new Trigger(this, 'PutRulesInForce', { handler: syncRules, executeAfter: after });
  }

  /** What is wrong although no function fails: messages that are refused, and no sweep at all. */
  #watchSilence(notify: WatchedFunction): void {
    // A stuck message is tried once an hour at the latest, so an hour without any has none.
    this.#watchCount('NotificationsStuck', 'notify', {
      period: Duration.hours(1),
      meaning: 'A channel refuses messages, which stay owed. The log of notify says which channel, and why.',
    });
    // Counted by every function that reads the table.
    this.#watchCount('ItemsUnreadable', 'table', {
      meaning:
        'An item of the table cannot be read and is left out. Look for "an item of the table cannot be read" in the logs of the functions: it names the item and what is wrong with it.',
    });
    this.#watchCount('AlertsUnsaved', 'check-rules', {
      meaning:
        'The table refuses an alert for good, and the rule cannot say so itself. The log of check-rules names the rule and the reason.',
    });
    this.#operators.watch(this, 'NotifyStopped', {
      metric: notify.metricInvocations({ period: Duration.minutes(5) }),
      when: 'silent',
      threshold: 1,
      periods: 3,
      meaning:
        'Nobody is told what moved: the schedule of every minute does not run. Look whether it is enabled.',
    });
  }

  /** An alarm on the first count of something that a service should never count. */
  #watchCount(
    metricName: Counted,
    service: string,
    { period = Duration.minutes(5), meaning }: { period?: Duration; meaning: string },
  ): void {
    const namespace = metricsNamespace(this.#props.stage);
    this.#operators.watch(this, metricName, {
      metric: new Metric({ namespace, metricName, dimensionsMap: { service }, statistic: 'Sum', period }),
      when: 'reaches',
      threshold: 1,
      periods: 1,
      meaning,
    });
  }

  #function(
    name: FunctionName,
    props: Pick<
      WatchedFunctionProps,
      'errorImpact' | 'timeout' | 'environment' | 'megabytes' | 'deadLetters' | 'reservedConcurrency'
    >,
  ): WatchedFunction {
    const { stage, table, bundles } = this.#props;
    return new WatchedFunction(this, name, {
      ...props,
      stage,
      operators: this.#operators,
      bundle: join(bundles, name),
      environment: { ...props.environment, TABLE_NAME: table.tableName },
    });
  }
}

function comparesUsers(dataAccess: Stage['dataAccess']): boolean {
  return dataAccess.kind === 'own' || (dataAccess.comparesUsers ?? false);
}

function distinct(cadences: Cadence[]): Cadence[] {
  return [...new Map(cadences.map((cadence) => [cadenceName(cadence), cadence])).values()];
}
