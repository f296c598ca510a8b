import * as z from 'zod';
import { dataAccessOf } from './data-access.ts';
import { postHogSchema } from './posthog.ts';
import { type SqlTables, sqlTablesSchema } from './sql-tables.ts';
import { type Stage, stageNameSchema, stageOf, stageSchema } from './stage.ts';

const path = z.string().min(1, 'must be the path of a folder');

/** Where the commands on this machine get figures: from a folder, a service or tables. */
export const figuresSchema = z
  .strictObject({
    /** A folder of `deltawatch data import`. */
    data: path.optional(),
    /** The base URL of a data access service. */
    service: z
      .url({ protocol: /^https?$/, error: 'must be a URL, such as "https://data.example.com"' })
      .optional(),
    /** The name of the secret with the API key of the service. */
    apiKeySecret: z.string().min(1).optional(),
    /** Tables of a team. */
    sql: sqlTablesSchema.optional(),
    /** The events of a project of PostHog. */
    posthog: postHogSchema.optional(),
  })
  .transform(({ data, service, apiKeySecret, sql, posthog }, { addIssue }): FigureSource => {
    const sources: FigureSource[] = [
      ...(data === undefined ? [] : [{ kind: 'folder' as const, dir: data }]),
      ...(service === undefined ? [] : [{ kind: 'service' as const, url: service, apiKeySecret }]),
      ...[sql, posthog].flatMap((tables) => (tables ? [{ kind: 'tables' as const, tables }] : [])),
    ];
    const [source] = sources;
    if (source && sources.length === 1) return source;
    addIssue({ code: 'custom', message: 'must have one of data, service, sql and posthog' });
    return z.NEVER;
  });
export type FiguresInput = z.input<typeof figuresSchema>;
export type FigureSource =
  | { kind: 'folder'; dir: string }
  | { kind: 'service'; url: string; apiKeySecret: string | undefined }
  | { kind: 'tables'; tables: SqlTables };

/** Where people read the files of the repository. The path of a file and its line follow. */
const repositorySchema = z
  .url({
    protocol: /^https?$/,
    error: 'must be a URL, such as "https://github.com/acme/rules/blob/main/"',
    abort: true,
  })
  .refine((url) => !/[?#]/.test(url) && !/^\w+:\/\/[^/]*@/.test(url), {
    error: 'must end in a path, without a user, "?" or "#", because the path of a file and its line follow',
  })
  .transform((url) => url.replace(/\/*$/, '/'));

/** The form of `deltawatch.config.ts`. Paths are relative to its folder. */
export const configSchema = z
  .strictObject({
    /** The folder of the rules. */
    rules: path.default('rules'),
    /** The URL of the folder of this file in its repository, to which the page links rules. */
    repository: repositorySchema.optional(),
    /** Default: the data that was imported on this machine. */
    figures: figuresSchema.optional(),
    /** The deployments on AWS, by name. */
    stages: z.record(stageNameSchema, stageSchema).default({}),
  })
  .transform(({ stages, ...config }, { addIssue }) => {
    const { figures } = config;
    const service = figures?.kind === 'service' ? figures.url : undefined;
    const tables = figures?.kind === 'tables' ? figures.tables : undefined;
    const complete: Stage[] = [];
    for (const [name, stage] of Object.entries(stages)) {
      const { dataAccess, region } = stage;
      const found = dataAccessOf({ dataAccess, region, service, tables });
      if (found.kind === 'found') complete.push(stageOf(name, { ...stage, dataAccess: found.dataAccess }));
      else addIssue({ code: 'custom', path: ['stages', name], message: found.message });
    }
    return { ...config, stages: complete };
  });

/** A configuration with all defaults. */
export type Config = z.output<typeof configSchema>;

/** The default export of `deltawatch.config.ts`, typed so that editors complete and check it. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}

export type ConfigInput = z.input<typeof configSchema>;

/** The configuration of a folder without a file. */
export const DEFAULT_CONFIG: Config = configSchema.parse({});
