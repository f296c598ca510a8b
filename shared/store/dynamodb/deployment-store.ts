import * as z from 'zod';
import type { Deployment } from '../../deployments/deployment.ts';
import type { DeploymentStore } from '../../deployments/deployment-store.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { getItem, type Key, putItem, type Table } from './requests.ts';
import { parseSole } from './unreadable-items.ts';

const KEY: Key = { pk: 'DEPLOYMENT', sk: 'LAST' };

const deploymentSchema = z.object({
  stack: z.string(),
  cadences: z.array(z.string()),
  secrets: z.array(z.string()),
  targets: z.array(z.string()),
  hasButtons: z.boolean(),
  ruleFormat: z.number().default(0),
}) satisfies SchemaOf<Deployment>;

/** Stores the last deployment as one item. Earlier ones are not needed. */
export function dynamodbDeploymentStore(table: Table): DeploymentStore {
  return {
    save: (deployment) => putItem(table, { Item: { ...deployment, ...KEY } }),

    async load() {
      const item = await getItem(table, KEY);
      return item && parseSole(table, deploymentSchema, item);
    },
  };
}
