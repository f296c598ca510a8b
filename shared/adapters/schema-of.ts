import type * as z from 'zod';

/**
 * What `z.object(…) satisfies SchemaOf<T>` holds a schema to: it gives a `T`, and knows each of its fields. (That it
 * gives a `T` alone would let it forget an optional field, and strip it.)
 */
export type SchemaOf<T> = z.ZodType<T> & { shape: Record<keyof T, unknown> };
