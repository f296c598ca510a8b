import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RequestError } from '../requests/request-error.ts';

/**
 * The position in a list. All pages use the clock of the first page, and with it its default window, so that they
 * neither repeat nor miss a record. `at` and `id` are the sort key of the last record returned.
 */
const positionSchema = z.strictObject({
  now: z.int(),
  page: z.int().min(2),
  at: z.int(),
  id: z.string(),
});
export type CursorPosition = z.infer<typeof positionSchema>;

const CURSOR_MISMATCH =
  'the cursor does not belong to this query; send next_cursor with an unchanged body, or omit it for the first page';

/** A signed cursor, valid for `query` only. */
export function encodeCursor(position: CursorPosition, query: unknown, secret: string): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${payload}.${signature(payload, query, secret)}`;
}

/** @throws RequestError INVALID_CURSOR if the cursor was changed or belongs to another query. */
export function decodeCursor(cursor: string, query: unknown, secret: string): CursorPosition {
  const dot = cursor.lastIndexOf('.');
  const [payload, given] = [cursor.slice(0, dot), cursor.slice(dot + 1)];
  const [expected, offered] = [Buffer.from(signature(payload, query, secret)), Buffer.from(given)];
  if (expected.length !== offered.length || !timingSafeEqual(expected, offered)) {
    throw new RequestError('INVALID_CURSOR', `cursor: ${CURSOR_MISMATCH}`, [
      { path: 'cursor', message: CURSOR_MISMATCH },
    ]);
  }
  return positionSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

const signature = (payload: string, query: unknown, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([payload, query]))
    .digest('base64url');
