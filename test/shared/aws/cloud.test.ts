import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCloud } from '../../../shared/aws/cloud.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { type LoopbackServer, listen } from '../../fixtures/loopback-server.ts';

let code: string;
let aws: LoopbackServer;
beforeEach(async () => {
  aws = await listen((request, _, response) => {
    const isJson = request.headers['content-type']?.includes('json');
    const error = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
    response.writeHead(400).end(isJson ? JSON.stringify({ __type: code }) : error);
  });
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws[Symbol.asyncDispose]();
});

test('a stack or a secret is missing only if AWS says so', async () => {
  const cloud = createCloud({ region: 'eu-central-1' });
  code = 'ValidationError';
  expect(await cloud.findStack('deltawatch-live-state')).toBeUndefined();
  code = 'ResourceNotFoundException';
  expect(await cloud.secretState('deltawatch/live/slack')).toBe('missing');
  code = 'AccessDeniedException';
  await expect(cloud.findStack('deltawatch-live-state')).rejects.toThrow(UpstreamError);
  await expect(cloud.secretState('deltawatch/live/slack')).rejects.toThrow(UpstreamError);
});
