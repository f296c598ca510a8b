import { CfnOutput, Stack } from 'aws-cdk-lib';
import { ProjectionType, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Stage } from '../shared/config/stage.ts';
import { INDEXES } from '../shared/store/table-schema.ts';
import { attribute, DurableTable } from './constructs/durable-table.ts';
import { Operators } from './constructs/operators.ts';
import { stackOf } from './stage-props.ts';

/**
 * The one table with all state, and the mailbox of all alarms. A separate stack, so that no deployment of functions can
 * touch it.
 */
export class StateStack extends Stack {
  readonly table: TableV2;
  readonly operators: Operators;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, {
      ...stackOf(stage, id),
      description: `Deltawatch (${stage.name}): rules, alerts and readings`,
      terminationProtection: stage.keepState,
    });
    this.table = new DurableTable(this, 'Table', {
      stage,
      globalSecondaryIndexes: INDEXES.map(({ name, partitionKey, sortKey }) => ({
        indexName: name,
        partitionKey: attribute(partitionKey),
        sortKey: attribute(sortKey),
        projectionType: ProjectionType.ALL,
      })),
    });
    this.operators = new Operators(this, 'Operators', { mailbox: stage.operators });
    for (const access of ['Read', 'Write'])
      this.operators.watch(this, `${access}sThrottled`, {
        metric: this.table.metric(`${access}ThrottleEvents`, { statistic: 'Sum' }),
        periods: 3,
        meaning: `DynamoDB has refused some requests to the table for 15 minutes, because they exceed its throughput. Functions retry; rules and messages are late. The metric ${access}ThrottleEvents of the table shows how many. Run fewer rules at the same time.`,
      });
    new CfnOutput(this, 'TableName', {
      value: this.table.tableName,
      description: 'The table of rules and alerts',
    });
  }
}
