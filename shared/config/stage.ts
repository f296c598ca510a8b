import * as z from 'zod';
import { rolesSchema } from '../alerts/roles.ts';
import { type DeployableTables, regionOf } from './deployable-tables.ts';
import { tablesSchema as tablesOfEngine } from './posthog.ts';
import { kmsKeySchema, regionSchema } from './sql-tables.ts';

const NAME = /^[a-z][a-z0-9-]{0,19}$/;

/** The name of a stage is part of every resource name. */
export const stageNameSchema = z
  .string()
  .regex(NAME, 'use up to 20 lower-case letters, digits and dashes, such as "production"');

const secretName = z
  .string()
  .regex(
    /^[\w/+=.@-]{1,512}$/,
    'must be the name of a secret in Secrets Manager, such as "deltawatch/api-key"',
  );

const requestsSchema = z
  .strictObject({ perSecond: z.int().min(1).default(20), burst: z.int().min(1).default(40) })
  .prefault({});

/** A data access service that already exists. */
const externalSchema = z.strictObject({
  kind: z.literal('external'),
  /** Its base URL. */
  url: z.url({ protocol: /^https$/, error: 'must be a URL that starts with "https://"' }),
  /**
   * User analytics accept `comparison`, which the interface does not require. A question about users then takes one
   * call instead of two.
   */
  comparesUsers: z.boolean().default(false),
});

/** Only with Athena, which charges by bytes read. */
const athenaLimits = {
  /** How much a query may read before it is stopped: 50 by default. */
  gigabytesPerQuery: z.number().positive().optional(),
  /** How much all queries of an hour may read before the alarm `EngineSpending` fires: 500. It stops nothing. */
  gigabytesPerHour: z.number().positive().optional(),
};
export const LIMITS_OF_ATHENA = ['gigabytesPerQuery', 'gigabytesPerHour'] as const;

/** The stage's own data access service, over published files in S3. */
const ownSchema = z
  .strictObject({
    kind: z.literal('own'),
    /** What runs the queries: DuckDB in the function itself, or Athena for questions that read more than about 1 GB. */
    engine: z.enum(['duckdb', 'athena']).default('duckdb'),
    /** The first UTC day of data, `YYYY-MM-DD`. Older data is ignored. */
    firstDay: z.iso.date('must be a day, such as "2026-01-01"'),
    ...athenaLimits,
    /** Limit for all callers together, whether their keys are valid or not. */
    requests: requestsSchema,
    /** Origins whose pages may read answers in a browser, such as `https://example.com`. */
    corsOrigins: z.array(z.url()).default([]),
  })
  .superRefine((own, { addIssue }) => {
    if (own.engine === 'athena') return;
    for (const limit of LIMITS_OF_ATHENA)
      if (own[limit] !== undefined)
        addIssue({
          code: 'custom',
          path: [limit],
          message: 'limits Athena, but the engine is DuckDB: remove it, or set engine: "athena"',
        });
  });

/** The ids of resources of one kind. Lambda accepts at most `most`. A CDK app may know only tokens for them. */
const idsSchema = (prefix: string, most: number) => {
  const id = new RegExp(`^(${prefix}-[0-9a-f]+|\\$\\{Token\\[.+)$`);
  return z
    .array(z.string().regex(id, `must be an id such as "${prefix}-0a1b2c3d"`))
    .min(1)
    .max(most);
};

/** The network from which a function reaches a private database. */
const vpcSchema = z.strictObject({ subnets: idsSchema('subnet', 16), securityGroups: idsSchema('sg', 5) });

/** The team's own tables, read by a function of the stage. */
const tablesSchema = z.strictObject({
  kind: z.literal('tables'),
  /** Default: `sql` of `figures`. */
  tables: tablesOfEngine.optional(),
  vpc: vpcSchema.optional(),
  ...athenaLimits,
});

/**
 * Who may use the page. `session`: people who opened a link of `deltawatch open`. `secret` signs these links and the
 * sessions; it is separate from `signingSecret`, so that notify cannot create sessions. `iam` and `oidc`: the API
 * checks the signature or token of each request, which a proxy has to add. Links in messages work in all cases.
 */
const accessSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session'), secret: secretName.optional() }),
  z.strictObject({ kind: z.literal('iam') }),
  z.strictObject({
    ...{ kind: z.literal('oidc'), issuer: z.url(), audience: z.array(z.string()).min(1) },
    /** What the groups of the token may do. Default: everybody may do everything. */
    roles: rolesSchema.optional(),
  }),
]);

/** The page on which people see and answer alerts. */
const respondSchema = z.strictObject({
  /** The secret that signs links in messages: one key per line. The first key signs, and all are accepted. */
  signingSecret: secretName.optional(),
  /** The signing secret of a Slack app with buttons. Leave out if messages only have links. */
  slackSigningSecret: secretName.optional(),
  access: accessSchema.prefault({ kind: 'session' }),
  /** The URL of your domain or proxy in front of the API, such as `https://alerts.example.com`. Default: that of AWS. */
  publicUrl: z
    .url({ protocol: /^https$/, error: 'must be a URL that starts with "https://"' })
    .refine(
      isBareHost,
      'must be https, a host and nothing after it, such as "https://alerts.example.com": cookies and links of the page start at the root',
    )
    .optional(),
  /** Limit for all callers together, and separately for each path of links and Slack requests. */
  requests: requestsSchema,
});

/** Text that is not a URL has a fault of its own. */
function isBareHost(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { href, origin } = new URL(url);
  return href === `${origin}/` && !url.endsWith('/');
}

/** One deployment of the whole system on AWS. Secrets are created by hand, so that no deployment ever sees them. */
export const stageSchema = z.strictObject({
  /** The AWS account and region. Default: those of the credentials that deploy. */
  account: z
    .string()
    .regex(/^\d{12}$/, 'must be the 12 digits of an AWS account, in quotes')
    .optional(),
  region: regionSchema.optional(),
  /** Default: the service of `figures`. */
  dataAccess: z.discriminatedUnion('kind', [externalSchema, ownSchema, tablesSchema]).optional(),
  respond: respondSchema.prefault({}),
  /** The secret with the API key of the data access service. */
  apiKeySecret: secretName.optional(),
  /** How many calls Deltawatch may make. By default, the service allows 5 per second and 500 per hour. */
  calls: z
    .strictObject({
      perSecond: z.number().positive().default(4),
      perHour: z.int().min(1).default(400),
      /** Batches of rules that are checked at once and share the calls per second. A queue serves 2 or more. */
      atOnce: z.int().min(2).max(1000).default(2),
    })
    .prefault({}),
  /** Whether charts and messages note when a new version of an app reached 5% of its sessions: one call a day per app. */
  notesVersions: z.boolean().default(true),
  /** The email address for alarms of the system itself. Not Slack, because Slack may be what fails. */
  operators: z.email('must be an email address, such as "oncall@example.com"'),
  /** Whether the state outlives its stack, and the table can be restored to any second of the last 35 days. */
  keepState: z.boolean().default(true),
  /** A table that exists and has the state: that of an earlier stage, or one restored from a backup. Default: its own. */
  state: z
    .strictObject({
      table: z.string().regex(/^[\w.-]{3,255}$/, 'must be the name of a table of DynamoDB'),
    })
    .optional(),
  /** The ARN of your key in KMS, for tables, logs, the topic, the bucket and new secrets. Default: keys of AWS. */
  kmsKey: kmsKeySchema.optional(),
  logDays: z.literal([7, 90]).default(90),
  /**
   * Whether to reserve concurrency for check-rules and notify, so that nothing else in the account can use it all. Fails
   * to deploy in a new account whose concurrency limit is 10, because Lambda keeps those unreserved.
   */
  reservesConcurrency: z.boolean().default(false),
});

type WrittenStage = z.output<typeof stageSchema>;
export type OwnDataAccess = z.output<typeof ownSchema>;
export type Vpc = z.output<typeof vpcSchema>;
export interface TablesDataAccess extends z.output<typeof tablesSchema> {
  tables: DeployableTables;
}
export type DataAccess = z.output<typeof externalSchema> | OwnDataAccess | TablesDataAccess;
export type WrittenDataAccess = NonNullable<WrittenStage['dataAccess']>;
export type Access =
  | { kind: 'session'; secret: string }
  | Exclude<z.output<typeof accessSchema>, { kind: 'session' }>;

/** A stage with every setting. Secrets that are not named are called `deltawatch/<stage>/…`. */
export interface Stage extends Omit<WrittenStage, 'dataAccess' | 'respond' | 'apiKeySecret'> {
  name: string;
  dataAccess: DataAccess;
  respond: Omit<WrittenStage['respond'], 'signingSecret' | 'access'> & {
    signingSecret: string;
    access: Access;
  };
  apiKeySecret: string;
}

/** Adds the names of secrets, and the region of tables or of the key. */
export function stageOf(name: string, written: WrittenStage & { dataAccess: DataAccess }): Stage {
  const { respond, apiKeySecret = secretOf(name, 'api-key') } = written;
  const { access, signingSecret = secretOf(name, 'signing-keys') } = respond;
  return {
    ...written,
    ...inRegionOf(written),
    name,
    apiKeySecret,
    respond: { ...respond, signingSecret, access: accessOf(name, access) },
  };
}

/** Athena reads the tables of its own region, and a key encrypts what is in its own. */
function inRegionOf({ region, dataAccess, kmsKey }: Pick<Stage, 'region' | 'dataAccess' | 'kmsKey'>) {
  const ofTables = dataAccess.kind === 'tables' ? regionOf(dataAccess.tables) : undefined;
  const found = region ?? ofTables ?? kmsKey?.split(':')[3];
  return found === undefined ? {} : { region: found };
}

function accessOf(name: string, access: WrittenStage['respond']['access']): Access {
  if (access.kind !== 'session') return access;
  return { kind: 'session', secret: access.secret ?? secretOf(name, 'session-keys') };
}

function secretOf(stage: string, what: string): string {
  return `deltawatch/${stage}/${what}`;
}
