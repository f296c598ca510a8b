import type { Construct } from 'constructs';
import {
  type DeployableAthena,
  type DeployableTables,
  secretOfTables,
} from '../../shared/config/deployable-tables.ts';
import { ENGINE_NAMES } from '../../shared/config/sql-tables.ts';
import { type AthenaProps, athenaTables } from './athena-engine.ts';
import type { QueryEngine } from './query-engine.ts';

/** What reads the tables of a team. */
export const tablesEngine = (
  parent: Construct,
  { tables, ...props }: AthenaProps & { tables: DeployableTables },
): QueryEngine =>
  tables.engine === 'athena' ? athenaTables(parent, { ...props, tables }) : serverEngine(tables);

/** A server with a URL or a key, which only the function knows. */
function serverEngine(tables: Exclude<DeployableTables, DeployableAthena>): QueryEngine {
  const secret = secretOfTables(tables);
  return {
    // The certificates of databases of AWS, which Node.js does not know: a file of the runtime of Lambda.
    functionProps:
      tables.engine === 'postgres'
        ? { environment: { NODE_EXTRA_CA_CERTS: '/var/runtime/ca-cert.pem' } }
        : {},
    slowAdvice: `Look in ${ENGINE_NAMES[tables.engine]} for statements that wait or read much.`,
    allowQuestions: (by) => by.allowSecrets(secret === undefined ? [] : [secret]),
  };
}
