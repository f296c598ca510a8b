import type { Deployment } from './deployment.ts';

/** Stores what the last deployment of the functions set up. */
export interface DeploymentStore {
  save(deployment: Deployment): Promise<void>;
  /** `undefined` before the first deployment, and always in local mode, which needs no set-up. */
  load(): Promise<Deployment | undefined>;
}
