import { CfnOutput, Stack } from 'aws-cdk-lib';
import { type ITable, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Stage } from '../shared/config/stage.ts';
import { INDEXES } from '../shared/store/table-schema.ts';
import { attribute, DurableTable } from './constructs/durable-table.ts';
import { Operators } from './constructs/operators.ts';
import { stackOf } from './stage-props.ts';

/** The table with all state, and the mailbox of all alarms: apart, so that no deployment of functions can touch it. */
export class StateStack extends Stack {
  readonly table: ITable;
  readonly operators: Operators;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, {
      ...stackOf(stage, id, 'rules, alerts and readings'),
      terminationProtection: stage.keepState,
    });
    const own = new DurableTable(this, 'Table', {
      stage,
      globalSecondaryIndexes: INDEXES.map(({ name, partitionKey, sortKey }) => ({
        indexName: name,
        partitionKey: attribute(partitionKey),
        sortKey: attribute(sortKey),
        projectionType: ProjectionType.ALL,
      })),
    });
    this.table = stage.state
      ? TableV2.fromTableAttributes(this, 'Adopted', {
          tableName: stage.state.table,
          globalIndexes: INDEXES.map(({ name }) => name),
        })
      : (own as ITable);
    this.operators = new Operators(this, 'Operators', stage);
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
    // The other stacks import these until they are deployed with another table, and CloudFormation refuses to remove an
    // export in use. So the own table stays too.
    for (const value of [own.tableArn, own.tableName]) this.exportValue(value);
  }
}
