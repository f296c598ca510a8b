import { deployableTables, regionOf } from './deployable-tables.ts';
import { ENGINE_NAMES, type SqlTables } from './sql-tables.ts';
import { type DataAccess, LIMITS_OF_ATHENA, type WrittenDataAccess } from './stage.ts';

interface Wanted {
  /** What the stage names. */
  dataAccess: WrittenDataAccess | undefined;
  region: string | undefined;
  /** What the commands use. */
  service?: string | undefined;
  tables?: SqlTables | undefined;
}

type Found = { kind: 'found'; dataAccess: DataAccess } | { kind: 'missing'; message: string };

/** Where a stage gets its figures: from what it names, or else from what the commands use. */
export function dataAccessOf({ dataAccess, region, service, tables }: Wanted): Found {
  if (dataAccess?.kind === 'tables' || (!dataAccess && tables)) {
    const own = dataAccess?.tables ?? tables;
    if (own === undefined) return missing('needs tables: set "sql" of figures, or "tables" of dataAccess');
    const deployable = deployableTables(own);
    if (typeof deployable === 'string') return missing(deployable);
    const ofTables = regionOf(deployable) ?? region;
    if (region !== undefined && ofTables !== region)
      return missing(`is in ${region}, but its tables are in ${ofTables}: Athena reads its own region`);
    const limit = LIMITS_OF_ATHENA.find((each) => dataAccess?.[each] !== undefined);
    if (limit !== undefined && deployable.engine !== 'athena')
      return missing(
        `has ${limit}, which limits Athena, but its tables are in ${ENGINE_NAMES[deployable.engine]}: remove it`,
      );
    return { kind: 'found', dataAccess: { ...dataAccess, kind: 'tables', tables: deployable } };
  }
  if (dataAccess) return { kind: 'found', dataAccess };
  if (service !== undefined)
    return { kind: 'found', dataAccess: { kind: 'external', url: service, comparesUsers: false } };
  return missing(
    'needs dataAccess: the service with the figures, such as { kind: "external", url: "https://data.example.com" }',
  );
}

const missing = (message: string): Found => ({ kind: 'missing', message });
