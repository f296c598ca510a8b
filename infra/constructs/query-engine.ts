import { Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
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

export const OBJECTS = 'Reads the objects of the tables: a query decides which of them it needs.';

/** Allows listing and reading the objects under `<prefix>/`. */
export function allowTables(by: WatchedFunction, bucket: Bucket, prefix: string): void {
  by.allow(['s3:GetObject'], bucket.arnForObjects(`${prefix}/*`));
  allowListing(by, bucket.bucketArn, `${prefix}/`);
  by.acknowledgeStar(`${writtenArn(bucket)}/${prefix}/*`, OBJECTS);
}

export function allowListing(by: WatchedFunction, bucketArn: string, prefix: string): void {
  by.addToRolePolicy(
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [bucketArn],
      conditions: { StringLike: { 's3:prefix': [`${prefix}*`] } },
    }),
  );
}

/** ARNs as cdk-nag writes them. */
export function writtenArn(bucket: Bucket): string {
  const { defaultChild } = bucket.node;
  const id = defaultChild instanceof CfnBucket ? Stack.of(bucket).getLogicalId(defaultChild) : '';
  return `<${id}.Arn>`;
}

export const written = (value: string, name: string): string =>
  Token.isUnresolved(value) ? `<AWS::${name}>` : value;
