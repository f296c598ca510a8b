import * as z from 'zod';
import { appSettingsSchema } from '../access/app-settings.ts';
import {
  appsOf,
  columnsSchema,
  EVENT_COLUMNS,
  nameSchema,
  type PostHogTables,
  sqlTablesSchema,
  timeoutSeconds,
} from './sql-tables.ts';

const settings = {
  /** The address of its page. */
  host: z
    .url({ protocol: /^https?$/, error: 'must be a URL, such as "https://eu.posthog.com"' })
    .refine((url) => !URL.parse(url)?.username, 'must have no key: keySecret names the secret with it')
    .default('https://us.posthog.com'),
  /** The number of the project, which is in the address of its pages. */
  project: z.int().positive(),
  /** The name of the secret with a personal API key, which needs the scope `query:read`. */
  keySecret: nameSchema,
  timeoutSeconds,
  apps: appsOf(
    z.strictObject({
      ...appSettingsSchema.pick({ zone: true, dashboardUrl: true }).shape,
      /** Instead of those of PostHog: the name of a column, or an expression of HogQL. */
      columns: columnsSchema(EVENT_COLUMNS, []).default({}),
    }),
  ),
};

/** Where figures come from, if a team has its events in PostHog. */
export const postHogSchema = z
  .strictObject(settings)
  .transform((given): PostHogTables => ({ engine: 'posthog', ...given }));

/** Tables of any engine, as a stage takes them. */
export const tablesSchema = z.discriminatedUnion('engine', [
  ...sqlTablesSchema.options,
  z.strictObject({ engine: z.literal('posthog'), ...settings }),
]);
