import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { callAws, inBatchesOf } from '../../../shared/aws/requests.ts';
import { ConflictError, UpstreamError } from '../../../shared/runtime/errors.ts';
import type { Lake, Stored } from './lake.ts';

const SERVICE = 'S3';
/** Wrong ETag, concurrent write, and deleted object. */
const OVERTAKEN = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];
const KEYS_PER_REQUEST = 1000;

/** Objects of a bucket under `<prefix>/`. Keys of the lake omit the prefix. */
export function s3Lake(client: S3Client, { bucket, prefix }: { bucket: string; prefix: string }): Lake {
  const root = prefix === '' ? '' : `${prefix}/`;
  return {
    list: (inner) =>
      callAws(SERVICE, async () => {
        const stored: Stored[] = [];
        const asked = { Bucket: bucket, Prefix: `${root}${inner}` };
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, asked))
          for (const { Key = '', ETag = '' } of Contents)
            if (Key.endsWith('.parquet')) stored.push({ key: Key.slice(root.length), tag: ETag });
        return stored;
      }),

    read: (key) =>
      callAws(SERVICE, async () => {
        const found = await client
          .send(new GetObjectCommand({ Bucket: bucket, Key: `${root}${key}` }))
          .catch(unlessMissing);
        const content = await found?.Body?.transformToByteArray();
        return content && { stored: { key, tag: found?.ETag ?? '' }, content };
      }),

    async put(key, content, instead) {
      const condition = instead ? { IfMatch: instead.tag } : { IfNoneMatch: '*' };
      const object = { Bucket: bucket, Key: `${root}${key}`, Body: content, ...condition };
      const { ETag = '' } = await callAws(SERVICE, () =>
        client.send(new PutObjectCommand(object)).catch(overtaken(key)),
      );
      return { key, tag: ETag };
    },

    async remove(keys) {
      for (const batch of inBatchesOf(KEYS_PER_REQUEST, [...keys])) {
        const Objects = batch.map((key) => ({ Key: `${root}${key}` }));
        const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
        const { Errors = [] } = await callAws(SERVICE, () => client.send(command));
        if (Errors[0])
          throw new UpstreamError(`S3 refused to delete ${Errors.length} objects: ${Errors[0].Code}`, {
            retryable: false,
          });
      }
    },
  };
}

const overtaken = (key: string) => (cause: unknown) => {
  if (cause instanceof Error && OVERTAKEN.includes(cause.name))
    throw new ConflictError(`another process wrote ${key} in the meantime`, { cause });
  throw cause;
};

function unlessMissing(cause: unknown): undefined {
  if (cause instanceof NoSuchKey) return undefined;
  throw cause;
}
