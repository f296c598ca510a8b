import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { UpstreamError } from '../runtime/errors.ts';
import { callAws } from './requests.ts';

const SERVICE = 'S3';
/** Another ETag, or no object. S3 denies access to a missing one if the right to list names a prefix. */
const CHANGED = ['PreconditionFailed', 'NoSuchKey', 'AccessDenied'];

interface S3Object {
  key: string;
  /** The ETag. */
  tag: string;
  bytes: number;
}

export interface S3Objects {
  /** The objects whose key begins with `prefix`, sorted by key. */
  list(prefix: string): Promise<S3Object[]>;
  /** Saves an object at `path`, complete or not at all. `changed`: it is no longer the one that was listed. */
  download(object: S3Object, path: string, signal: AbortSignal): Promise<'saved' | 'changed'>;
}

/** Reads the objects of a bucket under `<prefix>/`. Keys omit the prefix. */
export function s3Objects(
  client: S3Client,
  { bucket, prefix }: { bucket: string; prefix: string },
): S3Objects {
  return {
    list: (inner) =>
      callAws(SERVICE, async () => {
        const objects: S3Object[] = [];
        const asked = { Bucket: bucket, Prefix: `${prefix}/${inner}` };
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, asked))
          for (const { Key = '', ETag = '', Size = 0 } of Contents)
            objects.push({ key: Key.slice(prefix.length + 1), tag: ETag, bytes: Size });
        return objects;
      }),

    async download({ key, tag, bytes }, path, signal) {
      const asked = new GetObjectCommand({ Bucket: bucket, Key: `${prefix}/${key}`, IfMatch: tag });
      const draft = `${path}.new`;
      try {
        const send = () => client.send(asked, { abortSignal: signal }).catch(unlessChanged);
        const found = await callAws(SERVICE, send);
        if (found === undefined) return 'changed';
        if (!(found.Body instanceof Readable)) throw new TypeError('S3 returned no content');
        const file = createWriteStream(draft);
        await pipeline(found.Body, file, { signal }).catch((cause: unknown) => {
          throw incomplete(key, cause);
        });
        if (file.bytesWritten !== bytes) throw incomplete(key);
        await rename(draft, path);
        return 'saved';
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

const incomplete = (key: string, cause?: unknown) =>
  new UpstreamError(`S3 sent ${key} incompletely, or it could not be saved`, { retryable: true, cause });

function unlessChanged(cause: unknown): undefined {
  if (cause instanceof Error && CHANGED.includes(cause.name)) return undefined;
  throw cause;
}
