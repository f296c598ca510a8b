import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type IBucket,
  ObjectOwnership,
  PartitionDateSource,
  TargetObjectKeyFormat,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { OwnDataAccess, Stage } from '../shared/config/stage.ts';
import { AnalyticsTables } from './constructs/analytics-tables.ts';
import { customerKey } from './constructs/customer-key.ts';
import { DurableTable } from './constructs/durable-table.ts';
import { acknowledgeFindings } from './constructs/findings.ts';
import { stackOf } from './stage-props.ts';

/** Prefixes of the bucket: the tables that the data access service reads, and the results of Athena. */
export const PREFIXES = { tables: 'tables', results: 'results' } as const;

/** How long a day that was replaced by mistake can be restored. */
const KEEP_REPLACED = Duration.days(30);
/** The service reads a result seconds after Athena wrote it. */
const KEEP_RESULTS = Duration.days(1);

export interface DataStackProps {
  stage: Stage;
  dataAccess: OwnDataAccess;
}

/** The state of the data access service: the data of all apps, their settings and the keys. */
export class DataStack extends Stack {
  readonly bucket: Bucket;
  /** Keys, settings and rate limit counters. */
  readonly table: TableV2;
  readonly database: string;

  constructor(scope: Construct, id: string, { stage, dataAccess }: DataStackProps) {
    super(scope, id, {
      ...stackOf(stage, id, 'data, settings and keys of all apps'),
      terminationProtection: stage.keepState,
    });
    this.bucket = this.#bucket(stage);
    this.table = new DurableTable(this, 'Table', { stage });
    const place = this.bucket.s3UrlForObject(PREFIXES.tables);
    const { database } = new AnalyticsTables(this, 'Analytics', {
      name: `deltawatch_${stage.name.replaceAll('-', '_')}`,
      place,
      firstDay: dataAccess.firstDay,
    });
    this.database = database;
    new CfnOutput(this, 'DataPlace', { value: place, description: 'deltawatch data publish --to' });
    new CfnOutput(this, 'TableName', { value: this.table.tableName, description: 'deltawatch keys --table' });
  }

  #bucket(stage: Stage): Bucket {
    const encryptionKey = customerKey(stage, this, 'Bucket');
    const bucket = new Bucket(this, 'Bucket', {
      ...privateBucket(stage),
      ...(encryptionKey && { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      versioned: true,
      serverAccessLogsBucket: this.#accessLogs(stage) as IBucket,
      serverAccessLogsPrefix: 'data/',
      targetObjectKeyFormat: TargetObjectKeyFormat.partitionedPrefix(PartitionDateSource.EVENT_TIME),
      lifecycleRules: [
        { noncurrentVersionExpiration: KEEP_REPLACED, abortIncompleteMultipartUploadAfter: Duration.days(1) },
        {
          prefix: `${PREFIXES.results}/`,
          expiration: KEEP_RESULTS,
          noncurrentVersionExpiration: Duration.days(1),
        },
      ],
    });
    acknowledgeFindings(bucket, {
      S3BucketReplicationEnabled: 'The folder of the imports has all data, and publishes it again.',
    });
    return bucket;
  }

  /** Logs who reads, writes and deletes which object, in a bucket that an attacker of the data cannot change. */
  #accessLogs(stage: Stage): Bucket {
    const logs = new Bucket(this, 'AccessLogs', {
      ...privateBucket(stage),
      lifecycleRules: [{ expiration: Duration.days(stage.logDays) }],
    });
    acknowledgeFindings(logs, {
      S3BucketReplicationEnabled: 'The bucket has the logs of logDays, and no data.',
      S3BucketVersioningEnabled: 'Only S3 writes here, and never the same object twice.',
      S3DefaultEncryptionKMS: 'S3 delivers access logs only to a bucket without KMS.',
    });
    return logs;
  }
}

const privateBucket = (stage: Stage) => ({
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  encryption: BucketEncryption.S3_MANAGED,
  removalPolicy: stage.keepState ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
});
