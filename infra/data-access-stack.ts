import { join } from 'node:path';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { Operators } from './constructs/operators.ts';
import { QueryEngine } from './constructs/query-engine.ts';
import { WatchedApi } from './constructs/watched-api.ts';
import { WatchedFunction, type WatchedFunctionProps } from './constructs/watched-function.ts';
import { type DataStack, type DataStackProps, PREFIXES } from './data-stack.ts';

/** A second under what the API waits for, so that the answer that time is up is still the function's own. */
const TIMEOUT = Duration.seconds(29);
const SLOW = Duration.seconds(20);

/**
 * Calls of rules at once: two pieces are checked at a time, each asks one thing after another, and one that was given up
 * may still run beside its repetition.
 */
const FOR_RULES = 4;

interface FunctionProps extends Pick<WatchedFunctionProps, 'errorImpact' | 'reservedConcurrency'> {
  /** What it means that calls are turned away. */
  throttledImpact: string;
  environment?: Record<string, string>;
}

export interface DataAccessStackProps extends DataStackProps {
  data: Pick<DataStack, 'bucket' | 'table' | 'database'>;
  /** The folder of the bundles, one folder a function. */
  bundles: string;
}

/**
 * The data access service over the data of all apps. Keeps nothing: what cannot be made anew is in the data stack. Two
 * functions run the same code: one is behind the public address, the other is for check-rules alone.
 */
export class DataAccessStack extends Stack {
  readonly #props: DataAccessStackProps;
  readonly #operators: Operators;
  readonly #cursorSecret: Secret;
  /** Answers as the public function does, and does not depend on the public address. */
  readonly forRules: IFunction;

  constructor(scope: Construct, id: string, props: DataAccessStackProps) {
    const { stage, dataAccess, data } = props;
    super(scope, id, { description: `Deltawatch (${stage.name}): data access service` });
    this.#props = props;
    const operators = new Operators(this, 'Operators', { mailbox: stage.operators });
    this.#operators = operators;
    this.#cursorSecret = new Secret(this, 'CursorSecret', {
      description: 'Signs the cursors of lists; made here, and needed by nobody else',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(this.#cursorSecret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'A new value ends every list that somebody is paging through. It guards no data: each page asks for a key.',
    });
    const engine = new QueryEngine(this, 'Engine', {
      name: `deltawatch-${stage.name}`,
      gigabytesPerQuery: dataAccess.gigabytesPerQuery,
      prefixes: PREFIXES,
      bucket: data.bucket,
      database: data.database,
    });
    operators.watch(engine, 'Spending', {
      metric: engine.metricBytesPerHour(),
      when: 'reaches',
      threshold: dataAccess.gigabytesPerHour * 1e9,
      periods: 1,
      meaning:
        'Athena has read more within an hour than was planned, and is paid by it. bytesScanned in the log of data-access says whose requests read it: lower the limits of the app, or revoke the key.',
    });
    this.forRules = this.#function('figures-for-rules', engine, {
      errorImpact: 'Rules get failures instead of figures, and are not judged.',
      throttledImpact: 'Rules are turned away and judged late: as many calls run at once as may.',
      ...(stage.reservesConcurrency && { reservedConcurrency: FOR_RULES }),
    });
    const handler = this.#function('data-access', engine, {
      errorImpact:
        'Callers get failures that say nothing. Rules are not affected: they ask a function of their own.',
      throttledImpact:
        'Callers are turned away: as many calls run at once as the account allows. Ask AWS for more.',
      environment: {
        ...(dataAccess.corsOrigins.length > 0 && { CORS_ORIGINS: dataAccess.corsOrigins.join(' ') }),
      },
    });
    const api = new WatchedApi(this, 'Interface', {
      stage,
      operators,
      name: `deltawatch-${stage.name}`,
      description: `Data access service of Deltawatch (${stage.name})`,
      handler,
      requests: dataAccess.requests,
      errorImpact:
        'Callers get failures instead of figures. The log of data-access has each by its request id.',
      refusalImpact:
        'Very many requests are refused: somebody tries keys, or a caller has a wrong one. Rules are not affected.',
      throttledImpact:
        'Callers are turned away before their keys are looked at: more requests come than are let in. Rules are not affected.',
    });
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The function asks for an API key: which apps a key may read is in its table, and a legacy key stands in the query.',
    });
    // An alerting stack deployed before it asked a function imports this, and CloudFormation refuses to remove it.
    this.exportValue(api.url);
    new CfnOutput(this, 'Url', { value: api.url, description: 'Root of the data access interface' });
  }

  #function(
    id: 'data-access' | 'figures-for-rules',
    engine: QueryEngine,
    { throttledImpact, environment, ...props }: FunctionProps,
  ): WatchedFunction {
    const { stage, data, bundles } = this.#props;
    const handler = new WatchedFunction(this, id, {
      ...props,
      stage,
      operators: this.#operators,
      bundle: join(bundles, 'data-access'),
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: data.table.tableName,
        CURSOR_SECRET: this.#cursorSecret.secretArn,
        WORKGROUP: engine.workgroup,
        DATABASE: data.database,
        ...environment,
      },
    });
    handler.allowReading(data.table, ['GetItem']);
    // When a key was last used, and the counters of its limits.
    handler.allowWriting(data.table, { UpdateItem: ['KEYS', 'LIMIT#*'] });
    handler.allow(['secretsmanager:GetSecretValue'], this.#cursorSecret.secretArn);
    engine.allowQuestions(handler);
    watchLoad(handler, this.#operators, throttledImpact);
    return handler;
  }
}

/** What is wrong although no call fails. */
function watchLoad(handler: WatchedFunction, operators: Operators, throttledImpact: string): void {
  operators.watch(handler, 'Throttled', {
    metric: handler.metricThrottles({ period: Duration.minutes(5) }),
    when: 'reaches',
    threshold: 1,
    periods: 1,
    meaning: throttledImpact,
  });
  operators.watch(handler, 'Slow', {
    metric: handler.metricDuration({ period: Duration.minutes(5), statistic: 'p99' }),
    when: 'reaches',
    threshold: SLOW.toMilliseconds(),
    periods: 3,
    meaning:
      'Answers take so long that some are given up. Look for queries that wait or read much in the workgroup.',
  });
}
