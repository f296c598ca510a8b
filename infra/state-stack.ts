import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE } from '../shared/adapters/dynamodb-table.ts';
import type { Stage } from './stages.ts';

const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;
const attribute = ({ name, type }: { name: string; type: keyof typeof TYPES }) => ({
  name,
  type: TYPES[type],
});

/** What must survive: the one table. Apart from the functions, so that no change of theirs can touch it. */
export class StateStack extends Stack {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, { description: `Deltawatch (${stage.name}): rules, alerts and readings` });
    this.table = new TableV2(this, 'Table', {
      partitionKey: attribute(TABLE.partitionKey),
      sortKey: attribute(TABLE.sortKey),
      globalSecondaryIndexes: [
        {
          indexName: TABLE.owedIndex.name,
          partitionKey: attribute(TABLE.owedIndex.partitionKey),
          sortKey: attribute(TABLE.owedIndex.sortKey),
          projectionType: ProjectionType.ALL,
        },
      ],
      timeToLiveAttribute: TABLE.expiryAttribute,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: stage.keepState },
      deletionProtection: stage.keepState,
      removalPolicy: stage.keepState ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
