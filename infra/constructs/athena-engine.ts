import { ArnFormat, Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type DeployableAthena, databasesOf } from '../../shared/config/deployable-tables.ts';
import type { Operators } from './operators.ts';
import { allowListing, allowTables, OBJECTS, type QueryEngine, written, writtenArn } from './query-engine.ts';
import type { WatchedFunction } from './watched-function.ts';

export interface AthenaProps {
  operators: Operators;
  /** The name of the workgroup, unique in the account. */
  name: string;
  /** 50 by default. */
  gigabytesPerQuery?: number | undefined;
  /** 500 by default. */
  gigabytesPerHour?: number | undefined;
}

interface WorkgroupProps extends AthenaProps {
  description: string;
  /** The text of the alarm on more than `gigabytesPerHour`. */
  spendingImpact: string;
  /** Where Athena stores results. */
  results: CfnWorkGroup.WorkGroupConfigurationProperty;
  /** The databases whose tables queries may read. */
  databases: string[];
}

/** A workgroup of Athena whose queries stop at a limit. Returns what allows a function to query its databases. */
function addWorkgroup(parent: Construct, props: WorkgroupProps): (by: WatchedFunction) => void {
  const { operators, name, description, results, databases } = props;
  const { gigabytesPerQuery = 50, gigabytesPerHour = 500 } = props;
  const scope = new Construct(parent, 'Engine');
  new CfnWorkGroup(scope, 'Workgroup', {
    name,
    description,
    // Deletes its query history too.
    recursiveDeleteOption: true,
    workGroupConfiguration: {
      engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
      enforceWorkGroupConfiguration: true,
      publishCloudWatchMetricsEnabled: true,
      bytesScannedCutoffPerQuery: gigabytesPerQuery * 1e9,
      ...results,
    },
  });
  operators.watch(scope, 'Spending', {
    // The bytes that Athena bills: all that queries read in an hour, including queries that were stopped.
    metric: new Metric({
      ...{ namespace: 'AWS/Athena', metricName: 'ProcessedBytes', dimensionsMap: { WorkGroup: name } },
      ...{ statistic: 'Sum', period: Duration.hours(1) },
    }),
    threshold: gigabytesPerHour * 1e9,
    meaning: props.spendingImpact,
  });

  const stack = Stack.of(parent);
  const arn = (service: string, resource: string) =>
    stack.formatArn({ service, resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });
  // Athena uses the permissions of the caller, which also needs access to the catalog.
  return (by) => {
    const queries = ['StartQueryExecution', 'GetQueryExecution', 'GetQueryResults', 'StopQueryExecution'];
    by.allow(
      queries.map((action) => `athena:${action}`),
      arn('athena', `workgroup/${name}`),
    );
    by.allow(['athena:GetDataCatalog'], arn('athena', 'datacatalog/AwsDataCatalog'));
    const catalog = arn('glue', 'catalog');
    // Athena always looks up a database `default` too.
    by.allow(['glue:GetDatabase'], catalog, arn('glue', 'database/default'));
    const actions = ['GetDatabase', 'GetTable', 'GetPartition', 'GetPartitions', 'BatchGetPartition'];
    const resources = databases.flatMap((each) => [`database/${each}`, `table/${each}/*`]);
    by.allow(
      actions.map((action) => `glue:${action}`),
      ...[catalog, ...resources.map((each) => arn('glue', each))],
    );
    const { partition, region, account } = stack;
    const place = [written(partition, 'Partition'), 'glue', written(region, 'Region')];
    for (const each of databases)
      by.acknowledgeStar(
        ['arn', ...place, written(account, 'AccountId'), `table/${each}/*`].join(':'),
        'A question may read any table of its database.',
      );
  };
}

const SLOW_ADVICE =
  'Check the Athena workgroup for queries that wait or read much. bytesScanned is in the log of each request.';

interface AthenaEngineProps extends AthenaProps {
  /** The ARN of the key of the customer that encrypts results, if any. */
  kmsKey: string | undefined;
  bucket: Bucket;
  /** Prefixes of the bucket: the tables that queries read, and the results that Athena writes. */
  prefixes: { tables: string; results: string };
  database: string;
}

export function athenaEngine(parent: Construct, props: AthenaEngineProps): QueryEngine {
  const { bucket, prefixes, database, kmsKey, ...others } = props;
  const allowQueries = addWorkgroup(parent, {
    ...others,
    description: 'Queries of the data access service of Deltawatch',
    spendingImpact:
      'Athena has read more within an hour than gigabytesPerHour in deltawatch.config.ts, and charges for it. bytesScanned in the log of data-access says whose requests read most. Lower the limits of that app, or revoke its key.',
    results: {
      resultConfiguration: {
        outputLocation: `${bucket.s3UrlForObject(prefixes.results)}/`,
        encryptionConfiguration:
          kmsKey === undefined ? { encryptionOption: 'SSE_S3' } : { encryptionOption: 'SSE_KMS', kmsKey },
        expectedBucketOwner: Aws.ACCOUNT_ID,
      },
    },
    databases: [database],
  });
  return {
    functionProps: { environment: { WORKGROUP: props.name, DATABASE: database } },
    slowAdvice: SLOW_ADVICE,
    allowQuestions(by) {
      allowQueries(by);
      allowTables(by, bucket, prefixes.tables);
      by.allow(
        ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
        bucket.arnForObjects(`${prefixes.results}/*`),
      );
      by.acknowledgeStar(
        `${writtenArn(bucket)}/${prefixes.results}/*`,
        'Athena names each result by the id of its query, and writes it with the permissions of the caller.',
      );
      by.allow(['s3:GetBucketLocation', 's3:ListBucketMultipartUploads'], bucket.bucketArn);
      allowListing(by, bucket.bucketArn, `${prefixes.results}/`);
    },
  };
}

/** The tables of a team. */
export function athenaTables(
  parent: Construct,
  { tables, ...props }: AthenaProps & { tables: DeployableAthena },
): QueryEngine {
  const allowQueries = addWorkgroup(parent, {
    ...props,
    description: 'Queries of Deltawatch on tables of the team',
    spendingImpact:
      'Athena has read more of your tables within an hour than gigabytesPerHour in deltawatch.config.ts, and charges for it. bytesScanned in the log of figures-for-rules says which requests read most. Name the partitions of the tables, or map a table of sessions.',
    // Results are in storage of Athena, so the role writes to no bucket.
    results: { managedQueryResultsConfiguration: { enabled: true } },
    databases: databasesOf(tables),
  });
  return {
    functionProps: {},
    slowAdvice: SLOW_ADVICE,
    allowQuestions(by) {
      allowQueries(by);
      const { partition } = Stack.of(parent);
      for (const location of tables.locations) {
        const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(location) ?? [];
        const bucketArn = `arn:${partition}:s3:::${bucket}`;
        by.allow(['s3:GetObject'], `${bucketArn}/${prefix}*`);
        by.allow(['s3:GetBucketLocation'], bucketArn);
        allowListing(by, bucketArn, prefix);
        by.acknowledgeStar(`arn:${written(partition, 'Partition')}:s3:::${bucket}/${prefix}*`, OBJECTS);
      }
      if (tables.kmsKeys.length > 0) by.allow(['kms:Decrypt'], ...tables.kmsKeys);
      by.allow(['lakeformation:GetDataAccess'], '*');
      by.acknowledgeStar(
        '*',
        'The action has no resources. Lake Formation decides which tables it may read.',
      );
    },
  };
}
