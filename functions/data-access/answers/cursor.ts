import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RequestError } from '../requests/request-error.ts';

/**
 * Where a walk through a list stands. The clock, and with it the default window, is that of its first page, so that
 * later pages neither repeat nor miss a record; `at` and `id` are what the last record shown is listed by.
 */
const walkSchema = z.strictObject({
  now: z.int(),
  page: z.int().min(2),
  at: z.int(),
  id: z.string(),
});
export type Walk = z.infer<typeof walkSchema>;

export const CURSOR_MISMATCH =
  'the cursor does not belong to this query; send next_cursor with an unchanged body, or omit it for the first page';

/** Text that only this service can make, good for `query` alone. */
export function sealCursor(walk: Walk, query: unknown, secret: string): string {
  const payload = Buffer.from(JSON.stringify(walk)).toString('base64url');
  return `${payload}.${signature(payload, query, secret)}`;
}

/** @throws RequestError INVALID_CURSOR when the cursor was changed or made for another query. */
export function openCursor(cursor: string, query: unknown, secret: string): Walk {
  const dot = cursor.lastIndexOf('.');
  const [payload, given] = [cursor.slice(0, dot), cursor.slice(dot + 1)];
  const [expected, offered] = [Buffer.from(signature(payload, query, secret)), Buffer.from(given)];
  if (expected.length !== offered.length || !timingSafeEqual(expected, offered)) {
    throw new RequestError('INVALID_CURSOR', `cursor: ${CURSOR_MISMATCH}`, [
      { path: 'cursor', message: CURSOR_MISMATCH },
    ]);
  }
  return walkSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

const signature = (payload: string, query: unknown, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([payload, query]))
    .digest('base64url');
