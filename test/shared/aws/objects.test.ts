import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type S3Objects, s3Objects } from '../../../shared/aws/objects.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { type S3Server, startS3Server } from '../../contracts/s3-server.ts';
import { listen } from '../../fixtures/loopback-server.ts';

const IN_TIME = new AbortController().signal;
const KEYS = ['day=1/a', 'day=2/a', 'day=2/b'];

const objectsAt = (endpoint: string): S3Objects => {
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' };
  const client = new S3Client({ endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
  return s3Objects(client, { bucket: 'lake', prefix: 'tables' });
};

let s3: S3Server;
let folder: string;
beforeEach(async () => {
  s3 = await startS3Server();
  folder = await mkdtemp(join(tmpdir(), 's3-objects-'));
  for (const key of [...KEYS, 'other'])
    s3.objects.set(`lake/tables/${key}`, Buffer.from(`content of ${key}`));
});
afterEach(async () => {
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('lists all pages of a prefix, with keys below the place', async () => {
  const listed = await objectsAt(s3.url).list('day=');
  expect(listed.map(({ key, bytes }) => [key, bytes])).toEqual(KEYS.map((key) => [key, 18]));
});

test('saves the content of a listed object', async () => {
  const objects = objectsAt(s3.url);
  const [object] = await objects.list('day=1');
  if (!object) throw new Error('nothing is listed');
  const path = join(folder, 'one');
  expect(await objects.download(object, path, IN_TIME)).toBe('saved');
  expect(await readFile(path, 'utf8')).toBe('content of day=1/a');
});

test.each<[string, (key: string) => void]>([
  ['replaced', (key) => s3.objects.set(key, Buffer.from('other content'))],
  ['removed', (key) => s3.objects.delete(key)],
])('saves nothing of an object that was %s', async (_, change) => {
  const objects = objectsAt(s3.url);
  const [object] = await objects.list('day=1');
  if (!object) throw new Error('nothing is listed');
  change(`lake/tables/${object.key}`);
  expect(await objects.download(object, join(folder, 'one'), IN_TIME)).toBe('changed');
  expect(await readdir(folder)).toEqual([]);
});

test('saves nothing of an object whose connection breaks', async () => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(200, { 'content-length': '18', etag: '"one"' });
    response.write('content', () => response.destroy());
  });
  const object = { key: 'day=1/a', tag: '"one"', bytes: 18 };
  const download = objectsAt(server.url).download(object, join(folder, 'one'), IN_TIME);
  await expect(download).rejects.toThrow(UpstreamError);
  await expect(download).rejects.toMatchObject({ retryable: true });
  expect(await readdir(folder)).toEqual([]);
});

test('saves nothing when the caller has gone', async () => {
  const stopping = new AbortController();
  await using server = await listen((_request, _body, response) => {
    response.writeHead(200, { 'content-length': '18', etag: '"one"' });
    response.write('content', () => stopping.abort());
  });
  const object = { key: 'day=1/a', tag: '"one"', bytes: 18 };
  const path = join(folder, 'one');
  await expect(objectsAt(server.url).download(object, path, stopping.signal)).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
});
