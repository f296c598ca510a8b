import { ArnFormat, Stack, Token, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type DeployableTables, databasesOf } from '../../shared/config/sql-tables.ts';
import { addWorkgroup, bytesPerHour, QUERY_ACTIONS } from './query-engine.ts';
import type { WatchedFunction } from './watched-function.ts';

interface TablesEngineProps {
  /** Unique in the account. */
  name: string;
  gigabytesPerQuery: number;
  tables: DeployableTables;
}

/** A workgroup of Athena for tables of a team, and the permissions to query them. */
export class TablesEngine extends Construct {
  readonly workgroup: string;
  readonly #tables: DeployableTables;

  constructor(scope: Construct, id: string, { name, gigabytesPerQuery, tables }: TablesEngineProps) {
    super(scope, id);
    this.#tables = tables;
    this.workgroup = name;
    addWorkgroup(this, {
      ...{ name, description: 'Queries of Deltawatch on tables of the team', gigabytesPerQuery },
      // Results are in storage of Athena, so the role writes to no bucket.
      results: { managedQueryResultsConfiguration: { enabled: true } },
    });
  }

  metricBytesPerHour(): Metric {
    return bytesPerHour(this.workgroup);
  }

  /** Athena uses the permissions of the caller, so `by` also needs access to the catalog and the objects. */
  allowQuestions(by: WatchedFunction): void {
    const { catalog, kmsKeys } = this.#tables;
    by.allow(QUERY_ACTIONS, this.#arn('athena', `workgroup/${this.workgroup}`));
    by.allow(['athena:GetDataCatalog'], this.#arn('athena', `datacatalog/${catalog}`));
    this.#allowCatalog(by);
    this.#allowObjects(by);
    if (kmsKeys.length > 0) by.allow(['kms:Decrypt'], ...kmsKeys);
    by.allow(['lakeformation:GetDataAccess'], '*');
    this.#acknowledge(
      by,
      '*',
      'The action has no resources. Lake Formation decides which tables it may read.',
    );
  }

  #allowCatalog(by: WatchedFunction): void {
    const databases = databasesOf(this.#tables);
    const catalog = this.#arn('glue', 'catalog');
    const databaseArn = (name: string) => this.#arn('glue', `database/${name}`);
    // Athena always looks up a database `default` too.
    by.allow(['glue:GetDatabase'], catalog, databaseArn('default'));
    const actions = ['GetDatabase', 'GetTable', 'GetPartition', 'GetPartitions', 'BatchGetPartition'];
    const tables = databases.map((name) => `table/${name}/*`);
    by.allow(
      actions.map((action) => `glue:${action}`),
      ...[catalog, ...databases.map(databaseArn), ...tables.map((table) => this.#arn('glue', table))],
    );
    for (const table of tables)
      this.#acknowledge(by, this.#writtenArn('glue', table), 'A view may read any table of its database.');
  }

  #allowObjects(by: WatchedFunction): void {
    for (const location of this.#tables.locations) {
      const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(location) ?? [];
      const { partition } = Stack.of(this);
      const bucketArn = `arn:${partition}:s3:::${bucket}`;
      by.allow(['s3:GetObject'], `${bucketArn}/${prefix}*`);
      by.allow(['s3:GetBucketLocation'], bucketArn);
      by.addToRolePolicy(
        new PolicyStatement({
          actions: ['s3:ListBucket'],
          resources: [bucketArn],
          conditions: { StringLike: { 's3:prefix': [`${prefix}*`] } },
        }),
      );
      this.#acknowledge(
        by,
        `arn:${written(partition, 'Partition')}:s3:::${bucket}/${prefix}*`,
        'Reads the objects of the tables: a query decides which of them it needs.',
      );
    }
  }

  /** For cdk-nag: which tables and objects a query needs is not known in advance. */
  #acknowledge(by: WatchedFunction, arn: string, reason: string): void {
    if (by.role) Validations.of(by.role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason });
  }

  #arn(service: string, resource: string): string {
    return Stack.of(this).formatArn({ service, resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });
  }

  /** An ARN as cdk-nag writes it. */
  #writtenArn(service: string, resource: string): string {
    const { partition, region, account } = Stack.of(this);
    const parts = [written(partition, 'Partition'), service, written(region, 'Region')];
    return ['arn', ...parts, written(account, 'AccountId'), resource].join(':');
  }
}

const written = (value: string, name: string): string =>
  Token.isUnresolved(value) ? `<AWS::${name}>` : value;
