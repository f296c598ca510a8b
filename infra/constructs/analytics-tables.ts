import { Aws } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import {
  type ColumnType,
  folderOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../shared/contract/tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  'text?': 'string',
  integer: 'int',
  'integer?': 'int',
  bigint: 'bigint',
  'bigint?': 'bigint',
  double: 'double',
  boolean: 'boolean',
  millis: 'bigint',
  texts: 'array<string>',
};

/** The path that `deltawatch data publish` writes, below the folder of the table. */
const PARTITION = `app_id=\${app_id}/day=\${day}/`;

interface AnalyticsTablesProps {
  /** The name of the database: lower-case letters, digits and underscores. */
  name: string;
  /** The location of the tables, `s3://bucket/prefix`. */
  place: string;
  firstDay: string;
}

/**
 * The Athena tables of all apps. Partitions are projected, not registered: a query must name its app, and days range
 * from `firstDay` to tomorrow.
 */
export class AnalyticsTables extends Construct {
  readonly database: string;

  constructor(scope: Construct, id: string, { name, place, firstDay }: AnalyticsTablesProps) {
    super(scope, id);
    this.database = name;
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name, description: 'Tables of the data access service of Deltawatch' },
    });
    for (const table of TABLE_NAMES)
      new CfnTable(this, table, {
        catalogId: Aws.ACCOUNT_ID,
        databaseName: name,
        tableInput: tableInput(table, `${place}/${folderOf(table)}`, firstDay),
      }).addResourceDependency(database);
  }
}

function tableInput(table: TableName, location: string, firstDay: string): CfnTable.TableInputProperty {
  return {
    name: table,
    tableType: 'EXTERNAL_TABLE',
    parameters: {
      classification: 'parquet',
      'projection.enabled': 'true',
      'projection.app_id.type': 'injected',
      'projection.day.type': 'date',
      'projection.day.format': 'yyyy-MM-dd',
      'projection.day.range': `${firstDay},NOW+1DAY`,
      'storage.location.template': `${location}/${PARTITION}`,
    },
    partitionKeys: [
      { name: 'app_id', type: 'string' },
      { name: 'day', type: 'string' },
    ],
    storageDescriptor: {
      columns: Object.entries(TABLES[table]).map(([name, type]) => ({ name, type: TYPES[type] })),
      location: `${location}/`,
      inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
      serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
    },
  };
}
