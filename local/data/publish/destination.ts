import { S3Client } from '@aws-sdk/client-s3';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { folderLake } from './folder-lake.ts';
import type { Lake } from './lake.ts';
import { s3Lake } from './s3-lake.ts';

/**
 * The lake at `s3://BUCKET/PREFIX`, with the default credentials, or in a folder.
 * @throws InvalidRequestError for any other URL.
 */
export function lakeAt(destination: string): Lake {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(destination)) return folderLake(destination);
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/.exec(destination) ?? [];
  if (bucket === undefined)
    throw new InvalidRequestError(`"${destination}" is neither s3://BUCKET/PREFIX nor a folder`);
  // The user need not know the region of the bucket.
  return s3Lake(new S3Client({ followRegionRedirects: true }), { bucket, prefix });
}
