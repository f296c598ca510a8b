import type { DeploymentStore } from '../deployments/deployment.ts';
import { deploymentSchema } from '../deployments/deployment.ts';
import type { Key, Table } from './table.ts';
import { loadSole } from './unreadable-items.ts';

const KEY: Key = { pk: 'DEPLOYMENT', sk: 'LAST' };

/** Stores the last deployment as one item. Earlier ones are not needed. */
export function deploymentStoreIn(table: Table): DeploymentStore {
  return {
    save: (deployment) => table.put({ ...deployment, ...KEY }),
    load: () => loadSole(table, deploymentSchema, KEY),
  };
}
