import * as z from 'zod';
import { type Stage, stageNameSchema, stageOf, stageSchema } from './stage.ts';

const path = z.string().min(1, 'must be the path of a folder');

/** Where the commands on this machine get figures. */
const figuresSchema = z.union([
  /** A folder of `deltawatch data import`. */
  z.strictObject({ data: path }),
  /** A data access service, and the name of the secret with its API key. */
  z.strictObject({
    service: z.url({ protocol: /^https?$/, error: 'must be a URL, such as "https://data.example.com"' }),
    apiKeySecret: z.string().min(1),
  }),
]);
export type FigureSource = z.output<typeof figuresSchema>;

/** The form of `deltawatch.config.ts`. Paths are relative to its folder. */
export const configSchema = z
  .strictObject({
    /** The folder of the rules. */
    rules: path.default('rules'),
    /** Default: the data that was imported on this machine. */
    figures: figuresSchema.optional(),
    /** The deployments on AWS, by name. */
    stages: z.record(stageNameSchema, stageSchema).default({}),
  })
  .transform(({ stages, ...config }, { addIssue }) => {
    const { figures } = config;
    const service = figures && 'service' in figures ? figures.service : undefined;
    const complete: Stage[] = [];
    for (const [name, { dataAccess, ...stage }] of Object.entries(stages)) {
      const external = service && { kind: 'external' as const, url: service, comparesUsers: false };
      const found = dataAccess ?? external;
      if (found) complete.push(stageOf(name, { ...stage, dataAccess: found }));
      else
        addIssue({
          code: 'custom',
          path: ['stages', name],
          message:
            'needs dataAccess: the service with the figures, such as { kind: "external", url: "https://data.example.com" }',
        });
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
