import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from '../../shared/config/stage.ts';

/** What encrypting and decrypting with a key takes: DynamoDB and S3 use the rights of the caller. */
export const USES_OF_KEY = [
  ...['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt'],
  ...['kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
];

/** The key of the customer for the construct `id` of `scope`; `undefined` if the stage uses keys of AWS. */
export function customerKey({ kmsKey }: Stage, scope: Construct, id: string): IKey | undefined {
  return kmsKey === undefined ? undefined : Key.fromKeyArn(scope, `${id}Key`, kmsKey);
}
