import { expect, test } from 'vitest';
import * as z from 'zod';
import { readEnvironment } from '../../../shared/runtime/environment.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';

const shape = { TABLE_NAME: z.string().min(1), QUEUE_URL: z.url(), CALLS: z.coerce.number().int() };

test('returns only the requested variables, parsed', () => {
  const variables = { TABLE_NAME: 'alerts', QUEUE_URL: 'https://queue.example/1', CALLS: '3', OTHER: 'x' };
  expect(readEnvironment(shape, variables)).toEqual({
    TABLE_NAME: 'alerts',
    QUEUE_URL: 'https://queue.example/1',
    CALLS: 3,
  });
});

test('lists all problems at once without quoting values', () => {
  const read = () => readEnvironment(shape, { QUEUE_URL: 'hunter2', CALLS: '1' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow('Invalid environment: TABLE_NAME is not set; QUEUE_URL is not valid: Invalid URL');
});
