import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';

/** A log that is kept for as long as the stage says. */
export function logKeptFor({ logDays }: Stage, scope: Construct, id: string): LogGroup {
  return new LogGroup(scope, id, { retention: logDays, removalPolicy: RemovalPolicy.DESTROY });
}
