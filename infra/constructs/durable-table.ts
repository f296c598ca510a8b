import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';
import { TABLE } from '../../shared/store/table-schema.ts';
import { customerKey } from './customer-key.ts';

const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

export const attribute = ({ name, type }: { name: string; type: keyof typeof TYPES }) => ({
  name,
  type: TYPES[type],
});

/** What a new table serves at once, in units per second. A runaway caller costs no more. */
const MOST = { maxReadRequestUnits: 12_000, maxWriteRequestUnits: 4_000 };

/** A table with the keys and expiry of all tables here. It outlives its stack if the stage keeps state. */
export class DurableTable extends TableV2 {
  constructor(
    scope: Construct,
    id: string,
    { stage, ...props }: { stage: Stage } & Pick<TablePropsV2, 'globalSecondaryIndexes'>,
  ) {
    const key = customerKey(stage, scope, id);
    super(scope, id, {
      partitionKey: attribute(TABLE.partitionKey),
      sortKey: attribute(TABLE.sortKey),
      ...props,
      timeToLiveAttribute: TABLE.expiryAttribute,
      ...(key && { encryption: TableEncryptionV2.customerManagedKey(key) }),
      billing: Billing.onDemand(MOST),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: stage.keepState },
      deletionProtection: stage.keepState,
      removalPolicy: stage.keepState ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
