import { App } from 'aws-cdk-lib';
import type { Stage } from '../shared/config/stage.ts';
import { Deltawatch, type DeltawatchProps } from './cdk.ts';

export interface StageAppProps extends Pick<DeltawatchProps, 'rules' | 'bundles' | 'duckDbLibrary'> {
  stages: Stage[];
  /** Where the app is synthesized. Default: the folder that the CDK CLI wants. */
  outdir?: string;
}

/** An app with these stages, each a construct `deltawatch-<stage>`. */
export function stageApp({ stages, outdir, ...parts }: StageAppProps): { app: App; added: Deltawatch[] } {
  const app = new App({
    analyticsReporting: false,
    ...(outdir !== undefined && { outdir }),
  });
  const added = stages.map(
    (stage) => new Deltawatch(app, `deltawatch-${stage.name}`, { ...stage, ...parts }),
  );
  return { app, added };
}
