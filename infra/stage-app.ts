import { App } from 'aws-cdk-lib';
import type { Stage } from '../shared/config/stage.ts';
import { Deltawatch, type DeltawatchProps } from './cdk.ts';

/** In the code, so that a deployment does not depend on a `cdk.json`. */
const FEATURE_FLAGS = {
  '@aws-cdk/core:target-partitions': ['aws'],
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:useCdkManagedLogGroup': true,
  '@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy': true,
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

export interface StageAppProps extends Pick<DeltawatchProps, 'rules' | 'bundles' | 'duckDbLibrary'> {
  stages: Stage[];
  /** Where the app is synthesized. Default: the folder that the CDK CLI wants. */
  outdir?: string;
}

/** An app with these stages, each a construct `deltawatch-<stage>`. */
export function stageApp({ stages, outdir, ...parts }: StageAppProps): { app: App; added: Deltawatch[] } {
  const app = new App({
    context: FEATURE_FLAGS,
    analyticsReporting: false,
    ...(outdir !== undefined && { outdir }),
  });
  const added = stages.map(
    (stage) => new Deltawatch(app, `deltawatch-${stage.name}`, { ...stage, ...parts }),
  );
  return { app, added };
}
