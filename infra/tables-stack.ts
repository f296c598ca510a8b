import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { TablesDataAccess } from '../shared/config/stage.ts';
import { tablesEngine } from './constructs/tables-engine.ts';
import { WatchedFunction } from './constructs/watched-function.ts';
import { callsOfRules, watchLoad } from './data-access-stack.ts';
import { bundleWith } from './packed-bundle.ts';
import { type PartProps, stackOf } from './stage-props.ts';

const TABLES_FILE = 'tables.json';
/** The first request for an app in a process also looks up its tables and columns. */
const LOOK_UP_SECONDS = 60;
/** So that check-rules gets the response of a function that timed out. */
const GRACE_SECONDS = 5;

const functionSeconds = ({ tables }: TablesDataAccess): number => tables.timeoutSeconds + LOOK_UP_SECONDS;

/** How long check-rules waits for an answer. */
export const longestCallSeconds = (dataAccess: TablesDataAccess): number =>
  functionSeconds(dataAccess) + GRACE_SECONDS;

interface TablesStackProps extends PartProps {
  dataAccess: TablesDataAccess;
}

/** The function that reads the team's own tables for check-rules. Stateless, and without a public address. */
export class TablesStack extends Stack {
  readonly forRules: IFunction;

  constructor(scope: Construct, id: string, { stage, dataAccess, operators, bundles }: TablesStackProps) {
    super(scope, id, stackOf(stage, id, "figures from the team's own tables"));
    const { tables, vpc, gigabytesPerQuery, gigabytesPerHour } = dataAccess;
    const name = `deltawatch-${stage.name}-tables`;
    const engine = tablesEngine(this, { operators, name, gigabytesPerQuery, gigabytesPerHour, tables });
    const forRules = new WatchedFunction(this, 'figures-for-rules', {
      stage,
      operators,
      // The workgroup of the configuration is for the commands.
      bundle: bundleWith(this, join(bundles, 'data-access'), {
        name: TABLES_FILE,
        content: tables.engine === 'athena' ? { ...tables, workgroup: name } : tables,
      }),
      errorImpact:
        'The function figures-for-rules fails. Rules get errors instead of figures, and are not evaluated. A table or column may have changed: compare with "deltawatch check --live".',
      timeout: Duration.seconds(functionSeconds(dataAccess)),
      environment: { TABLES_FILE, ...engine.functionProps.environment },
      ...(vpc && { vpc }),
      ...(stage.reservesConcurrency && { reservedConcurrency: callsOfRules(stage) }),
    });
    engine.allowQuestions(forRules);
    watchLoad(forRules, operators, {
      throttledImpact:
        'The function figures-for-rules is throttled: its concurrency limit is reached. Rules are evaluated late. Check for slow calls in its log. Without reservesConcurrency in deltawatch.config.ts, check what else in the account uses up the concurrency.',
      slow: Duration.seconds(tables.timeoutSeconds * SLOW_SHARE),
      slowAdvice: engine.slowAdvice,
    });
    this.forRules = forRules;
  }
}

/** A request that takes longer than this part of its limit may soon reach it. */
const SLOW_SHARE = 0.7;
