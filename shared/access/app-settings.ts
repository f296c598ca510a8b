import * as z from 'zod';
import { isZone } from '../contract/zone.ts';

/** The number of requests that one key may make. */
const rateLimitSchema = z.strictObject({
  perSecond: z.int().min(1).default(5),
  perHour: z.int().min(1).default(500),
  /** `false` only for benchmarks. Responses say so. */
  enforce: z.boolean().default(true),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;
export const DEFAULT_RATE_LIMIT: RateLimit = rateLimitSchema.parse({});

/** The settings of an app in the data access service. */
export const appSettingsSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/)
    // Some file systems ignore case.
    .refine(
      (id) => id.toLowerCase() !== 'keys',
      'an app cannot be named "keys": keys.json stores the API keys',
    ),
  name: z.string().min(1),
  /** IANA zone of the days, weeks and months of this app. */
  zone: z.string().refine(isZone, 'not an IANA time zone').default('UTC'),
  /** Base URL of links to sessions and users. Without it, these links are "". */
  dashboardUrl: z.url().optional(),
  rateLimit: rateLimitSchema.prefault({}),
});
export type AppSettings = z.infer<typeof appSettingsSchema>;
