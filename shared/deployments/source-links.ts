import * as z from 'zod';
import type { SourceLinks } from './rule-store.ts';

/** Pages link to these, so no other protocol is accepted. */
export const sourceLinksSchema = z.record(
  z.string(),
  z.url({ protocol: /^https?$/ }),
) satisfies z.ZodType<SourceLinks>;
