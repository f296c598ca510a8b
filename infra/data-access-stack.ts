import { join } from 'node:path';
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { Operators } from './constructs/operators.ts';
import { QueryEngine } from './constructs/query-engine.ts';
import { WatchedApi } from './constructs/watched-api.ts';
import { WatchedFunction } from './constructs/watched-function.ts';
import { type DataStack, type DataStackProps, PREFIXES } from './data-stack.ts';

/** A second under what the API waits for, so that the answer that time is up is still the function's own. */
const TIMEOUT = Duration.seconds(29);
const SLOW = Duration.seconds(20);

export interface DataAccessStackProps extends DataStackProps {
  data: Pick<DataStack, 'bucket' | 'table' | 'database'>;
  /** The folder of the bundles, one folder a function. */
  bundles: string;
}

/** The data access service over the data of all apps. Keeps nothing: what cannot be made anew is in the data stack. */
export class DataAccessStack extends Stack {
  /** Root of the interface. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: DataAccessStackProps) {
    const { stage, dataAccess, data } = props;
    super(scope, id, { description: `Deltawatch (${stage.name}): data access service` });
    const operators = new Operators(this, 'Operators', { mailbox: stage.operators });
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
    const handler = this.#function(props, engine, operators);
    this.url = new WatchedApi(this, 'Interface', {
      stage,
      operators,
      name: `deltawatch-${stage.name}`,
      description: `Data access service of Deltawatch (${stage.name})`,
      handler,
      requests: dataAccess.requests,
      errorImpact:
        'Callers get failures instead of figures, and rules are not judged. The log of data-access has each by its request id.',
    }).url;
    new CfnOutput(this, 'Url', { value: this.url, description: 'Root of the data access interface' });
  }

  #function(
    { stage, dataAccess, data, bundles }: DataAccessStackProps,
    engine: QueryEngine,
    operators: Operators,
  ): WatchedFunction {
    const cursorSecret = new Secret(this, 'CursorSecret', {
      description: 'Signs the cursors of lists; made here, and needed by nobody else',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    const handler = new WatchedFunction(this, 'data-access', {
      stage,
      operators,
      bundle: join(bundles, 'data-access'),
      errorImpact: 'Callers get failures that say nothing, and rules are not judged.',
      timeout: TIMEOUT,
      environment: {
        TABLE_NAME: data.table.tableName,
        CURSOR_SECRET: cursorSecret.secretArn,
        WORKGROUP: engine.workgroup,
        DATABASE: data.database,
        ...(dataAccess.corsOrigins.length > 0 && { CORS_ORIGINS: dataAccess.corsOrigins.join(' ') }),
      },
    });
    handler.allowReading(data.table, ['GetItem']);
    // When a key was last used, and the counters of its limits.
    handler.allowWriting(data.table, { UpdateItem: ['KEYS', 'LIMIT#*'] });
    handler.allow(['secretsmanager:GetSecretValue'], cursorSecret.secretArn);
    engine.allowQuestions(handler);
    watchLoad(handler, operators);
    return handler;
  }
}

/** What is wrong although no call fails. */
function watchLoad(handler: WatchedFunction, operators: Operators): void {
  operators.watch(handler, 'Throttled', {
    metric: handler.metricThrottles({ period: Duration.minutes(5) }),
    when: 'reaches',
    threshold: 1,
    periods: 1,
    meaning: 'Callers are turned away: as many calls run at once as the account allows. Ask AWS for more.',
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
