import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, loggingFailure } from '../../../shared/runtime/logger.ts';
import { createMeter } from '../../../shared/runtime/metrics.ts';

const printed: string[] = [];
for (const stream of [process.stdout, process.stderr])
  vi.spyOn(stream, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
beforeEach(() => printed.splice(0));
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('writes one JSON line with the fields beside the message', () => {
  createLogger('announce').info('sent', { channel: 'growth', items: 3 });
  expect(printed.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'INFO',
      service: 'announce',
      message: 'sent',
      channel: 'growth',
      items: 3,
    }),
  ]);
});

test.each([
  ['a field named like a secret', { apiKey: 'hunter2' }],
  ['a nested one', { request: { headers: { Authorization: 'hunter2' } } }],
  ['a Slack webhook in a sentence', { reason: 'POST https://hooks.slack.com/services/T0/B0/hunter2 failed' }],
  ["a URL's query", { url: 'https://data.example/v1?key=hunter2' }],
  ["a URL's password", { url: 'https://me:hunter2@data.example/' }],
  ['a bearer token', { reason: 'sent "Bearer hunter2"' }],
  [
    'an error and its cause',
    { error: new Error('a', { cause: new Error('at https://x.example/?k=hunter2') }) },
  ],
])('takes out %s', (_, fields) => {
  createLogger('announce').info('failed', fields);
  expect(printed.join()).toContain('[redacted]');
  expect(printed.join()).not.toContain('hunter2');
});

test('logs a failure with its cause and lets it go on', async () => {
  const failure = new Error('no answer', { cause: new Error('reset') });
  const work = loggingFailure(createLogger('announce'), () => Promise.reject(failure));
  await expect(work).rejects.toBe(failure);
  expect(printed.join()).toMatch(/"level":"ERROR".*no answer.*reset/);
});

test('counts as an embedded metric of its function', () => {
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Deltawatch/staging');
  createMeter('check-rules').count('Evaluations', 12);
  expect(JSON.parse(printed.join())).toMatchObject({
    service: 'check-rules',
    Evaluations: 12,
  });
});
