import * as z from 'zod';
import { isZone } from '../analytics/zone.ts';

/** Requests that one key may make. */
const rateLimitSchema = z.strictObject({
  perSecond: z.int().min(1).default(5),
  perHour: z.int().min(1).default(500),
  /** Off for benches only; answers say so. */
  enforce: z.boolean().default(true),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;
export const DEFAULT_RATE_LIMIT: RateLimit = rateLimitSchema.parse({});

/** What the service knows of an app besides its data. */
export const appSettingsSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/)
    // Some file systems take KEYS.json for keys.json.
    .refine(
      (id) => id.toLowerCase() !== 'keys',
      'an app may not be called "keys": keys.json holds the API keys',
    ),
  name: z.string().min(1),
  /** IANA zone in which days, weeks and months of this app begin. */
  zone: z.string().refine(isZone, 'not an IANA time zone').default('UTC'),
  /** Root of links to sessions and users; without it those links are "". */
  dashboardUrl: z.url().optional(),
  rateLimit: rateLimitSchema.prefault({}),
});
export type AppSettings = z.infer<typeof appSettingsSchema>;
