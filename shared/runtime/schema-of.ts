import type * as z from 'zod';

/**
 * `z.object(…) satisfies SchemaOf<T>` checks that a schema parses to `T` and has each of its fields. Parsing to `T`
 * alone would allow a schema that lacks an optional field, and strips it.
 */
export type SchemaOf<T> = z.ZodType<T> & { shape: Record<keyof T, unknown> };
