import { CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Trigger, type TriggerProps } from 'aws-cdk-lib/triggers';
import type { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';
import { customerKey } from './customer-key.ts';

export function logKeptFor(stage: Stage, scope: Construct, id: string): LogGroup {
  const encryptionKey = customerKey(stage, scope, id);
  return new LogGroup(scope, id, {
    retention: stage.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  });
}

/** The construct that CDK adds to the stack of a trigger, with a function that calls the handler. */
const CALLER = 'AWSCDK.TriggerCustomResourceProviderCustomResourceProvider';

/** A trigger whose calls are logged for as long as the stage says. By default, Lambda keeps their log forever. */
export class LoggedTrigger extends Trigger {
  constructor(scope: Construct, id: string, { stage, ...props }: TriggerProps & { stage: Stage }) {
    super(scope, id, props);
    const { logGroupName } = logKeptFor(stage, scope, `${id}Log`);
    const caller = Stack.of(this).node.findChild(CALLER).node.findChild('Handler');
    if (!CfnResource.isCfnResource(caller)) throw new Error(`${caller.node.path} is not a resource`);
    caller.addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
  }
}
