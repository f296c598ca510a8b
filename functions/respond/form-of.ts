import type { Context } from 'hono';

/** The fields of a form; none if the body is not a form, so that its page says what is missing. */
export function formOf({ req }: Context): Promise<Record<string, unknown>> {
  return req.parseBody().catch(() => ({}));
}
