import type { Deployment } from './deployment.ts';

/** Keeps what the last deployment of the functions set up. */
export interface DeploymentStore {
  save(deployment: Deployment): Promise<void>;
  /** `undefined` before the first deployment that tells, and always on one machine, where nothing needs to be set up. */
  load(): Promise<Deployment | undefined>;
}
