import { Aws } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import {
  type ColumnType,
  folderOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../shared/analytics/tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  'text?': 'string',
  integer: 'int',
  'integer?': 'int',
  double: 'double',
  boolean: 'boolean',
  millis: 'bigint',
  texts: 'array<string>',
};

/** Of a path that `deltawatch data publish` writes, under the folder of its table. */
const PARTITION = `app_id=\${app_id}/day=\${day}/`;

interface AnalyticsTablesProps {
  /** Of the database; lower-case letters, digits and underscores. */
  name: string;
  /** Where the tables lie, `s3://bucket/prefix`. */
  place: string;
  firstDay: string;
}

/**
 * The tables of all apps as Athena finds them. Partitions are worked out from a question and never registered: its app
 * must be named, its days are all from the first to tomorrow.
 */
export class AnalyticsTables extends Construct {
  readonly database: string;

  constructor(scope: Construct, id: string, { name, place, firstDay }: AnalyticsTablesProps) {
    super(scope, id);
    this.database = name;
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name, description: 'What the data access service of Deltawatch reads' },
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
