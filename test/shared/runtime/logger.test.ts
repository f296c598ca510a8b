import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, loggingFailure } from '../../../shared/runtime/logger.ts';
import { createMeter, createRequestMeter } from '../../../shared/runtime/metrics.ts';

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
  createLogger('notify').info('sent', { channel: 'growth', items: 3 });
  expect(printed.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'INFO',
      service: 'notify',
      message: 'sent',
      channel: 'growth',
      items: 3,
    }),
  ]);
});

test.each([
  ['a field named like a secret', { apiKey: 'hunter2' }],
  ['a nested field', { request: { headers: { Authorization: 'hunter2' } } }],
  ['a Slack webhook in a sentence', { reason: 'POST https://hooks.slack.com/services/T0/B0/hunter2 failed' }],
  ["a URL's query", { url: 'https://data.example/v1?key=hunter2' }],
  ['a legacy key in a path with its query', { path: '/v2/event?appid=shop&apikey=hunter2&page=1' }],
  ['an API key in any text', { reason: 'no route for /v2/dwk_hunter2' }],
  [
    'an API key directly after other letters',
    { reason: 'no parameter xdwk_hunter2, no path /v2/event_dwk_hunter2-3' },
  ],
  ['a signed link', { reason: 'GET /a/eyJhbGciOiJIUzI1NiJ9.hunter2.hunter2-_x failed' }],
  ['a truncated signed link', { reason: 'the token x_eyJhbGciOiJIUzI1NiJ9.hunter2' }],
  ['a session cookie', { reason: 'Cookie: __Host-session=eyJhbGciOiJIUzI1NiJ9.e30.hunter2; zone=UTC' }],
  ['a legacy key in an encoded query', { path: '/v2/event%3Fappid%3Dshop%26apikey%3Dhunter2' }],
  ["a URL's password", { url: 'https://me:hunter2@data.example/' }],
  ['a bearer token', { reason: 'sent "Bearer hunter2"' }],
  [
    'an error and its cause',
    { error: new Error('a', { cause: new Error('at https://x.example/?k=hunter2') }) },
  ],
])('redacts %s', (_, fields) => {
  createLogger('notify').info('failed', fields);
  expect(printed.join()).toContain('[redacted]');
  expect(printed.join()).not.toContain('hunter2');
});

test('logs a failure with its cause and rethrows it', async () => {
  const failure = new Error('no answer', { cause: new Error('reset') });
  const work = loggingFailure(createLogger('notify'), () => Promise.reject(failure));
  await expect(work).rejects.toBe(failure);
  expect(printed.join()).toMatch(/"level":"ERROR".*no answer.*reset/);
});

test('createMeter writes a count as an embedded metric of its function', () => {
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Deltawatch/staging');
  createMeter('check-rules').count('Evaluations', 12);
  expect(JSON.parse(printed.join())).toMatchObject({
    service: 'check-rules',
    Evaluations: 12,
  });
});

test('createRequestMeter writes all figures of a request in one line', () => {
  const figures = { Requests: 1, Refusals: 0, Failures: 0, DurationMs: 12, Rows: 3, BytesScanned: 4096 };
  const meter = createRequestMeter('data-access', 'Deltawatch/test');
  meter(figures);
  meter({ ...figures, Rows: 7 });
  expect(printed).toHaveLength(2);
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({
    ...figures,
    service: 'data-access',
    _aws: { CloudWatchMetrics: [{ Namespace: 'Deltawatch/test', Dimensions: [['service']] }] },
  });
  expect(JSON.parse(printed[1] ?? '')).toMatchObject({ Rows: 7 });
});
