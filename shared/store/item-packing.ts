import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod';

/** Above 5, brotli takes many times as long to save a few percent. */
const QUALITY = 5;

/** Most results are small, and keep their whole buffer in memory: the default of 16 KB costs more than compressing. */
const SMALLEST_BUFFER = 64;
const LARGEST_BUFFER = 16_384;
const UNPACKING_BUFFER = 4096;

/**
 * A value as compressed JSON: half the size of a map of attributes, and without DynamoDB's limits on numbers (it
 * refuses a p-value of 1e-200). Throws `ZodError` for a value that `packed(schema)` could not read back.
 */
export function pack<S extends z.ZodType>(schema: S, value: z.output<S>): Uint8Array {
  const json = JSON.stringify(z.encode(schema, value));
  return brotliCompressSync(json, {
    chunkSize: Math.min(LARGEST_BUFFER, Math.max(SMALLEST_BUFFER, json.length)),
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY },
  });
}

/** Reads a value of `schema` that `pack` wrote. */
export function packed<T>(schema: z.ZodType<T>) {
  return z
    .instanceof(Uint8Array)
    .transform((bytes, context): unknown => {
      try {
        return JSON.parse(brotliDecompressSync(bytes, { chunkSize: UNPACKING_BUFFER }).toString('utf8'));
      } catch {
        context.addIssue({ code: 'custom', message: 'is not compressed JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
