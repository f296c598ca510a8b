import type { DeploymentStore } from '../deployments/deployment.ts';
import { deploymentSchema } from '../deployments/deployment.ts';
import { type Key, putItem, type Table } from './dynamodb-table.ts';
import { loadSole } from './unreadable-items.ts';

const KEY: Key = { pk: 'DEPLOYMENT', sk: 'LAST' };

/** Stores the last deployment as one item. Earlier ones are not needed. */
export function deploymentStoreIn(table: Table): DeploymentStore {
  return {
    save: (deployment) => putItem(table, { Item: { ...deployment, ...KEY } }),
    load: () => loadSole(table, deploymentSchema, KEY),
  };
}
