import { ArnFormat, Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { TABLE_NAMES } from '../../shared/contract/tables.ts';
import type { WatchedFunction, WatchedFunctionProps } from './watched-function.ts';

/** The default data catalog of the account. */
const CATALOGUE = 'AwsDataCatalog';

/** What running queries in a workgroup needs. */
export const QUERY_ACTIONS = [
  'athena:StartQueryExecution',
  'athena:GetQueryExecution',
  'athena:GetQueryResults',
  'athena:StopQueryExecution',
];

export const bytesPerHour = (workgroup: string): Metric =>
  new Metric({
    namespace: 'AWS/Athena',
    metricName: 'ProcessedBytes',
    dimensionsMap: { WorkGroup: workgroup },
    statistic: 'Sum',
    period: Duration.hours(1),
  });

interface WorkgroupProps {
  name: string;
  description: string;
  gigabytesPerQuery: number;
  /** Where Athena stores results. */
  results: CfnWorkGroup.WorkGroupConfigurationProperty;
}

/** A workgroup whose settings override those of a query, and whose queries stop at a limit. */
export function addWorkgroup(
  scope: Construct,
  { name, description, gigabytesPerQuery, results }: WorkgroupProps,
): void {
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
}

/** What runs the queries of the data access service. */
export interface QueryEngine {
  /** What a function needs to use it. */
  readonly functionProps: Pick<
    WatchedFunctionProps,
    'megabytes' | 'diskMegabytes' | 'layers' | 'environment'
  >;
  /** For the alarm on slow requests: what to check. */
  readonly slowAdvice: string;
  /** Allows `by` to read the data of all apps. */
  allowQuestions(by: WatchedFunction): void;
}

interface AthenaEngineProps {
  /** Unique in the account. */
  name: string;
  gigabytesPerQuery: number;
  bucket: Bucket;
  /** Prefixes of the bucket: the tables that queries read, and the results that Athena writes. */
  prefixes: { tables: string; results: string };
  database: string;
}

export const ATHENA_SLOW_ADVICE =
  'Check the Athena workgroup for queries that wait or read much. bytesScanned is in the log of each request.';

/** An Athena workgroup for the tables of all apps, and the permissions to query them. */
export class AthenaEngine extends Construct implements QueryEngine {
  readonly workgroup: string;
  readonly functionProps: QueryEngine['functionProps'];
  readonly slowAdvice = ATHENA_SLOW_ADVICE;
  readonly #props: AthenaEngineProps;

  constructor(scope: Construct, id: string, props: AthenaEngineProps) {
    super(scope, id);
    const { name, bucket, prefixes, gigabytesPerQuery, database } = props;
    this.#props = props;
    this.workgroup = name;
    this.functionProps = { environment: { WORKGROUP: name, DATABASE: database } };
    addWorkgroup(this, {
      ...{ name, description: 'Queries of the data access service of Deltawatch', gigabytesPerQuery },
      results: {
        resultConfiguration: {
          outputLocation: `${bucket.s3UrlForObject(prefixes.results)}/`,
          encryptionConfiguration: { encryptionOption: 'SSE_S3' },
          expectedBucketOwner: Aws.ACCOUNT_ID,
        },
      },
    });
  }

  /** The bytes that Athena bills: all that queries read in an hour, including queries that were stopped. */
  metricBytesPerHour(): Metric {
    return bytesPerHour(this.workgroup);
  }

  /** Athena uses the permissions of the caller, so `by` also needs access to the catalog and the objects. */
  allowQuestions(by: WatchedFunction): void {
    const { bucket, prefixes } = this.#props;
    by.allow(QUERY_ACTIONS, this.#arn('athena', 'workgroup', this.workgroup));
    by.allow(['athena:GetDataCatalog'], this.#arn('athena', 'datacatalog', CATALOGUE));
    this.#allowCatalogue(by);
    allowTables(by, bucket, prefixes.tables);
    by.allow(
      ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
      bucket.arnForObjects(`${prefixes.results}/*`),
    );
    acknowledgeObjects(
      by,
      bucket,
      prefixes.results,
      'Athena names each result by the id of its query, and writes it with the permissions of the caller.',
    );
    by.allow(['s3:GetBucketLocation', 's3:ListBucketMultipartUploads'], bucket.bucketArn);
    allowListing(by, bucket, prefixes.results);
  }

  #allowCatalogue(by: WatchedFunction): void {
    const { database } = this.#props;
    const databaseArn = (name: string) => this.#arn('glue', 'database', name);
    const tableArns = TABLE_NAMES.map((table) => this.#arn('glue', 'table', `${database}/${table}`));
    // Athena always looks up a database `default` too.
    by.allow(['glue:GetDatabase'], this.#arn('glue', 'catalog'), databaseArn('default'));
    by.allow(
      ['glue:GetDatabase', 'glue:GetTable'],
      this.#arn('glue', 'catalog'),
      databaseArn(database),
      ...tableArns,
    );
  }

  #arn(service: string, resource: string, resourceName?: string): string {
    const arnFormat = resourceName === undefined ? ArnFormat.NO_RESOURCE_NAME : ArnFormat.SLASH_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service, resource, arnFormat, ...(resourceName && { resourceName }) });
  }
}

/** Allows listing and reading the objects under `<prefix>/`. */
export function allowTables(by: WatchedFunction, bucket: Bucket, prefix: string): void {
  by.allow(['s3:GetObject'], bucket.arnForObjects(`${prefix}/*`));
  allowListing(by, bucket, prefix);
  const reason = 'Reads the objects of all apps: a query decides which of them it needs.';
  acknowledgeObjects(by, bucket, prefix, reason);
}

function allowListing(by: WatchedFunction, bucket: Bucket, prefix: string): void {
  by.addToRolePolicy(
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': [`${prefix}/*`] } },
    }),
  );
}

/** For cdk-nag: permissions on objects end in a star, because the names of objects are not known in advance. */
function acknowledgeObjects(by: WatchedFunction, bucket: Bucket, prefix: string, reason: string): void {
  if (!by.role || !(bucket.node.defaultChild instanceof CfnBucket)) return;
  const bucketId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild);
  Validations.of(by.role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${prefix}/*]`,
    reason,
  });
}
