import { ArnFormat, Aws, Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import {
  type DeployableAthena,
  type DeployableTables,
  databasesOf,
  ENGINE_NAMES,
  secretOfTables,
} from '../../shared/config/sql-tables.ts';
import type { Operators } from './operators.ts';
import type { WatchedFunction, WatchedFunctionProps } from './watched-function.ts';

/** What runs the queries of the data access service. */
export interface QueryEngine {
  /** What a function needs to use it. */
  functionProps: Partial<
    Pick<WatchedFunctionProps, 'megabytes' | 'diskMegabytes' | 'layers' | 'environment'>
  >;
  /** For the alarm on slow requests: what to check. */
  slowAdvice: string;
  /** Allows `by` to read the data of all apps. */
  allowQuestions(by: WatchedFunction): void;
}

interface AthenaProps {
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
      acknowledge(
        by,
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
      acknowledge(
        by,
        `${writtenArn(bucket)}/${prefixes.results}/*`,
        'Athena names each result by the id of its query, and writes it with the permissions of the caller.',
      );
      by.allow(['s3:GetBucketLocation', 's3:ListBucketMultipartUploads'], bucket.bucketArn);
      allowListing(by, bucket.bucketArn, `${prefixes.results}/`);
    },
  };
}

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

function athenaTables(
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
        acknowledge(by, `arn:${written(partition, 'Partition')}:s3:::${bucket}/${prefix}*`, OBJECTS);
      }
      if (tables.kmsKeys.length > 0) by.allow(['kms:Decrypt'], ...tables.kmsKeys);
      by.allow(['lakeformation:GetDataAccess'], '*');
      acknowledge(by, '*', 'The action has no resources. Lake Formation decides which tables it may read.');
    },
  };
}

const OBJECTS = 'Reads the objects of the tables: a query decides which of them it needs.';

/** Allows listing and reading the objects under `<prefix>/`. */
function allowTables(by: WatchedFunction, bucket: Bucket, prefix: string): void {
  by.allow(['s3:GetObject'], bucket.arnForObjects(`${prefix}/*`));
  allowListing(by, bucket.bucketArn, `${prefix}/`);
  acknowledge(by, `${writtenArn(bucket)}/${prefix}/*`, OBJECTS);
}

function allowListing(by: WatchedFunction, bucketArn: string, prefix: string): void {
  by.addToRolePolicy(
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [bucketArn],
      conditions: { StringLike: { 's3:prefix': [`${prefix}*`] } },
    }),
  );
}

/** For cdk-nag: permissions end in a star if the names of tables and objects are not known in advance. */
function acknowledge(by: WatchedFunction, arn: string, reason: string): void {
  if (by.role) Validations.of(by.role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason });
}

/** ARNs as cdk-nag writes them. */
function writtenArn(bucket: Bucket): string {
  const { defaultChild } = bucket.node;
  const id = defaultChild instanceof CfnBucket ? Stack.of(bucket).getLogicalId(defaultChild) : '';
  return `<${id}.Arn>`;
}

const written = (value: string, name: string): string =>
  Token.isUnresolved(value) ? `<AWS::${name}>` : value;

/** DuckDB takes half of it. This much brings one processor and a part of a second one. */
const MEGABYTES = 2048;
/** The most that Lambda offers. It costs a hundredth of the memory. */
const DISK_MEGABYTES = 10_240;
/** The rest is for queries that exceed their memory. */
const FILE_MEGABYTES = 8_000;

interface DuckDbEngineProps {
  bucket: Bucket;
  prefix: string;
  firstDay: string;
  /** The folder of a layer with the native library of DuckDB. */
  layer: string;
}

/** DuckDB in the functions themselves, over local copies of published files. */
export function duckDbEngine(
  parent: Construct,
  { bucket, prefix, firstDay, layer }: DuckDbEngineProps,
): QueryEngine {
  const library = new LayerVersion(new Construct(parent, 'DuckDb'), 'Library', {
    code: Code.fromAsset(layer),
    compatibleArchitectures: [Architecture.ARM_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
    description: 'The native library of DuckDB',
    license: 'MIT',
  });
  const LAKE = bucket.s3UrlForObject(prefix);
  return {
    functionProps: {
      megabytes: MEGABYTES,
      diskMegabytes: DISK_MEGABYTES,
      layers: [library],
      environment: { LAKE, FIRST_DAY: firstDay, FILE_MEGABYTES: String(FILE_MEGABYTES) },
    },
    slowAdvice:
      'Look at the duration of each request in the log. If many are slow, set engine: "athena" in dataAccess of the stage in deltawatch.config.ts.',
    allowQuestions: (by) => allowTables(by, bucket, prefix),
  };
}
