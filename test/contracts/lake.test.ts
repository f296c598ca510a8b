import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lake } from '../../local/data/publish/lake.ts';
import { s3Lake } from '../../local/data/publish/s3-lake.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import { folderLake } from '../fakes/folder-lake.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const KEYS = ['a/day=1/data.parquet', 'a/day=2/data.parquet', 'a/day=3/data.parquet', 'b/day=1/data.parquet'];
const CONTENT = Buffer.from([0, 255, 13, 10]);

const clientOf = (endpoint: string, accessKeyId = 'none') =>
  new S3Client({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey: 'none' },
    maxAttempts: 1,
  });

const contentOf = async (lake: Lake, key: string) => Buffer.from((await lake.read(key))?.content ?? []);

let s3: S3Server;
let folder: string;
beforeEach(async () => {
  s3 = await startS3Server();
  folder = await mkdtemp(join(tmpdir(), 'lake-'));
});
afterEach(async () => {
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe.each<[string, () => Lake]>([
  ['a folder', () => folderLake(join(folder, 'made-later'))],
  ['a bucket', () => s3Lake(clientOf(s3.url), { bucket: 'lake', prefix: 'some/prefix' })],
  ['a bucket as a whole', () => s3Lake(clientOf(s3.url), { bucket: 'lake', prefix: '' })],
])('%s', (_, open) => {
  test('is empty at first', async () => {
    expect(await open().list('a/')).toEqual([]);
  });

  test('lists all Parquet files of a prefix, with the tags that put returns', async () => {
    const lake = open();
    const put = [];
    for (const key of KEYS) put.push(await lake.put(key, CONTENT));
    await lake.put('a/notes.json', CONTENT);
    const listed = await lake.list('a/');
    expect([...listed].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(put.slice(0, 3));
    expect(await lake.list('b/')).toEqual(put.slice(3));
  });

  test('reads an object with its tag, and none that is missing', async () => {
    const lake = open();
    expect(await lake.read('a/notes.json')).toBeUndefined();
    const stored = await lake.put('a/notes.json', CONTENT);
    const found = await lake.read('a/notes.json');
    expect(found?.stored).toEqual(stored);
    expect(Buffer.from(found?.content ?? [])).toEqual(CONTENT);
  });

  test('replaces an object that it has listed', async () => {
    const lake = open();
    await lake.put('b/day=1/data.parquet', Buffer.from('before'));
    const [before] = await lake.list('b/');
    await lake.put('b/day=1/data.parquet', CONTENT, before);
    expect(await contentOf(lake, 'b/day=1/data.parquet')).toEqual(CONTENT);
  });

  test('rejects the replacement of an unlisted or changed object', async () => {
    const lake = open();
    const [key, other] = ['b/day=1/data.parquet', 'b/day=2/data.parquet'];
    await lake.put(key, Buffer.from('before'));
    const [before] = await lake.list('b/');
    await expect(lake.put(key, CONTENT)).rejects.toThrow(ConflictError);
    await lake.put(key, CONTENT, before);
    await expect(lake.put(key, Buffer.from('late'), before)).rejects.toThrow(ConflictError);
    await expect(lake.put(other, CONTENT, before)).rejects.toThrow(ConflictError);
    expect(await contentOf(lake, key)).toEqual(CONTENT);
    expect(await lake.list('b/')).toHaveLength(1);
  });

  test('removes only the named objects', async () => {
    const lake = open();
    for (const key of KEYS) await lake.put(key, CONTENT);
    await lake.remove(KEYS.slice(0, 2));
    await lake.remove([]);
    expect((await lake.list('a/')).map(({ key }) => key)).toEqual([KEYS[2]]);
    expect(await lake.list('b/')).toHaveLength(1);
  });
});

describe('a bucket', () => {
  const open = () => s3Lake(clientOf(s3.url), { bucket: 'lake', prefix: 'p' });

  test('is addressed by path for a host without subdomains', async () => {
    await open().put('b/day=1/data.parquet', CONTENT);
    expect(s3.objects).toEqual(new Map([['lake/p/b/day=1/data.parquet', CONTENT]]));
  });

  test.each<[string, (lake: Lake) => Promise<unknown>]>([
    ['LIST', (lake) => lake.list('a/')],
    ['GET', (lake) => lake.read('a/x')],
    ['PUT', (lake) => lake.put('a/x', CONTENT)],
    ['DELETE', (lake) => lake.remove(['a/x'])],
  ])('that refuses to %s causes an error with its code', async (verb, ask) => {
    s3.refusalOf = (request) => (request.startsWith(verb) ? 'AccessDenied' : undefined);
    await expect(ask(open())).rejects.toMatchObject({
      name: 'UpstreamError',
      retryable: false,
      message: expect.stringContaining('AccessDenied'),
    });
  });

  test('with a concurrent write causes a ConflictError', async () => {
    s3.refusalOf = () => 'ConditionalRequestConflict';
    await expect(open().put('a/x', CONTENT)).rejects.toThrow(ConflictError);
  });

  test('that cannot be reached causes a retryable error', async () => {
    const lake = s3Lake(clientOf('http://127.0.0.1:1'), { bucket: 'lake', prefix: '' });
    await expect(lake.list('')).rejects.toMatchObject({ name: 'UpstreamError', retryable: true });
  });

  test('causes a ConfigError without credentials', async () => {
    const client = new S3Client({
      endpoint: s3.url,
      region: 'eu-central-1',
      credentials: async () => {
        throw Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
      },
    });
    await expect(s3Lake(client, { bucket: 'lake', prefix: '' }).list('')).rejects.toThrow(ConfigError);
  });
});
