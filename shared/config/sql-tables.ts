import * as z from 'zod';
import { appSettingsSchema } from '../access/app-settings.ts';
import { CARRIED, type Columns, GIVEN } from '../contract/tables.ts';
import { didYouMean } from '../text/nearest-words.ts';

export const regionSchema = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region, such as "eu-central-1"');

export const kmsKeySchema = z.string().regex(/^arn:[\w-]+:kms:\S+:key\/\S+$/, 'must be the ARN of a KMS key');

/** Columns of a session that Deltawatch computes from its events, if there is no table of sessions. */
const COMPUTED = [
  ...['session_number', 'duration_sec', 'event_count'],
  ...['screens', 'screen_count', 'unique_screen_count'],
];
const FIRST_OF_USER = Object.keys(CARRIED).filter((name) => name.startsWith('first_'));
const OF_SESSION = Object.keys(GIVEN.sessions);
/** Columns that describe a session. Without a table of sessions, the events have them. */
const DESCRIBING = OF_SESSION.filter((name) => !(name in GIVEN.events) && !COMPUTED.includes(name));
export const EVENT_COLUMNS = [...Object.keys(GIVEN.events), ...DESCRIBING];

export const nameSchema = z.string().min(1);

/** The name of a column, or an expression over the columns of its table. */
const columnSchema = z.union([nameSchema, z.strictObject({ sql: z.string().min(1) })], {
  error: 'must be the name of a column, or { sql: "an expression" }',
});
export type SqlColumn = z.infer<typeof columnSchema>;

/** A column with a JSON object, or the column of each property. */
const propertiesSchema = z.union([columnSchema, z.record(nameSchema, columnSchema)], {
  error: 'must be a column with a JSON object, or an object with the column of each property',
});
export type SqlProperties = z.infer<typeof propertiesSchema>;

const PROPERTIES = ['properties', 'user_properties'];

/** The columns of one table. It may have the `known` ones and must have the `required` ones. */
export function columnsSchema(known: readonly string[], required: readonly string[]) {
  return z.record(z.string(), propertiesSchema).superRefine((columns, context) => {
    for (const [name, column] of Object.entries(columns)) {
      if (!known.includes(name)) {
        const near = didYouMean(name, known) || `; the columns are ${known.join(', ')}`;
        context.addIssue({ code: 'custom', path: [name], message: `is not a column that is read${near}` });
      } else if (!PROPERTIES.includes(name) && !columnSchema.safeParse(column).success)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'must be the name of a column, or { sql: "an expression" }',
        });
    }
    for (const name of required)
      if (!(name in columns))
        context.addIssue({ code: 'custom', path: [name], message: 'is required: name its column' });
  });
}

/**
 * The day by which a table is partitioned, so that a query reads only the partitions of its days. Rows may lie in a
 * partition of another day than their `recorded_at`: that of another time zone, or of their arrival.
 */
const partitionSchema = z.strictObject({
  /** A date, or a day as a text or number in `format`. */
  day: columnSchema,
  format: z.enum(['YYYY-MM-DD', 'YYYY/MM/DD', 'YYYYMMDD']).default('YYYY-MM-DD'),
  /** How many days the partition of a row may be from the UTC day of its `recorded_at`. */
  marginDays: z.int().min(0).max(3_650).default(1),
});
export type SqlPartition = z.infer<typeof partitionSchema>;

const tableSchema = (known: readonly string[], required: readonly string[]) =>
  z
    .strictObject({
      /** The name of a table or view, with its schema if it has one, or a SELECT. */
      table: z.union([nameSchema, z.strictObject({ sql: z.string().min(1) })]).optional(),
      /** Files that DuckDB reads as one table: `events/*.parquet`. */
      files: nameSchema.optional(),
      partition: partitionSchema.optional(),
      columns: columnsSchema(known, required),
    })
    .refine(({ table, files }) => (table === undefined) !== (files === undefined), {
      error: 'must have either table or files',
    });
export type SqlTable = z.infer<ReturnType<typeof tableSchema>>;

const REQUIRED_OF = {
  events: ['event_name', 'user_id', 'recorded_at'],
  sessions: ['session_id', 'user_id', 'recorded_at'],
  users: ['user_id'],
  screen_visits: ['session_id', 'user_id', 'screen_name', 'recorded_at'],
} as const;

const appSchema = z
  .strictObject({
    ...appSettingsSchema.pick({ zone: true, dashboardUrl: true }).shape,
    events: tableSchema(EVENT_COLUMNS, REQUIRED_OF.events),
    sessions: tableSchema(OF_SESSION, REQUIRED_OF.sessions).optional(),
    users: tableSchema(['user_id', 'user_name', 'user_properties', ...FIRST_OF_USER], REQUIRED_OF.users)
      .refine(({ partition }) => partition === undefined, {
        path: ['partition'],
        error: 'is only for tables with recorded_at: users are read as a whole',
      })
      .optional(),
    screen_visits: tableSchema(Object.keys(GIVEN.screen_visits), REQUIRED_OF.screen_visits).optional(),
  })
  .superRefine(({ events, sessions }, context) => {
    if (sessions === undefined) return;
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: ['events', 'columns', name], message });
    if (events.columns.session_id === undefined)
      refuse('session_id', 'is required: with a table of sessions, each event names its session');
    for (const name of Object.keys(events.columns))
      if (DESCRIBING.includes(name))
        refuse(name, 'describes a session: map it in sessions, because the app has a table of sessions');
  });
/** The tables of one app. */
export type SqlApp = z.infer<typeof appSchema>;

export const appsOf = <App extends z.ZodType>(app: App) =>
  z
    .record(appSettingsSchema.shape.id, app)
    .refine((apps) => Object.keys(apps).length > 0, { error: 'must have an app' });
const appsSchema = appsOf(appSchema);

/** The time of one request. */
export const timeoutSeconds = z.number().positive().max(600).default(60);

/** How much the questions of the rules may read in a day before `check --live` and `plan --live` warn. It stops nothing. */
const gigabytesPerDay = z.number().positive().optional();

export const DEFAULT_CATALOG = 'AwsDataCatalog';

/** The S3 location of a table, such as `s3://lake/events/`. */
const locationSchema = z.string().regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{2,62}\/([\w!.*'()=-]+\/)*$/, {
  error: 'must be a location in S3 that ends with "/", such as "s3://company-lake/events/"',
});

const athenaSchema = z.strictObject({
  engine: z.literal('athena'),
  /** For commands on this machine. A stage has a workgroup of its own. */
  workgroup: nameSchema.default('primary'),
  /** The database of tables that name none. */
  database: nameSchema,
  catalog: nameSchema.default(DEFAULT_CATALOG),
  /** Default: that of the AWS credentials, or of the stage. */
  region: regionSchema.optional(),
  /** Where the objects of the tables are. A stage may read only these. */
  locations: z.array(locationSchema).optional(),
  /** Other databases that a stage may read, such as those behind a view. */
  databases: z.array(nameSchema).default([]),
  /** The ARNs of the KMS keys of these objects. */
  kmsKeys: z.array(kmsKeySchema).default([]),
  timeoutSeconds,
  gigabytesPerDay,
  apps: appsSchema,
});

const database = {
  /** The name of the secret with the URL of the database. */
  urlSecret: nameSchema,
  timeoutSeconds,
  /** Connections to the database at the same time. */
  connections: z.int().min(1).max(20).default(4),
  apps: appsSchema,
};

/** Where figures come from, if a team has no data access service: its own tables of events. */
export const sqlTablesSchema = z.discriminatedUnion('engine', [
  z.strictObject({ engine: z.literal('postgres'), ...database }),
  z.strictObject({ engine: z.literal('clickhouse'), ...database, gigabytesPerDay }),
  z.strictObject({
    engine: z.literal('trino'),
    /** The name of the secret with the URL of the coordinator. */
    urlSecret: nameSchema,
    /** Those of tables whose names have none. */
    catalog: nameSchema.optional(),
    schema: nameSchema.optional(),
    timeoutSeconds,
    gigabytesPerDay,
    apps: appsSchema,
  }),
  z.strictObject({
    engine: z.literal('duckdb'),
    /** A database file. Tables without it are files. */
    database: nameSchema.optional(),
    timeoutSeconds,
    memoryLimit: z
      .string()
      .regex(/^\d+(MB|GB)$/, 'must be a size such as 1GB')
      .default('1GB'),
    apps: appsSchema,
  }),
  athenaSchema,
]);
export type SqlTables = z.infer<typeof sqlTablesSchema> | PostHogTables;

/** The events of a project of PostHog. `columns` replaces some of theirs. */
export interface PostHogTables {
  engine: 'posthog';
  host: string;
  project: number;
  keySecret: string;
  timeoutSeconds: number;
  apps: Record<string, Omit<SqlApp, 'events'> & { columns: SqlTable['columns'] }>;
}
export type TablesOf<Engine extends SqlTables['engine']> = Extract<SqlTables, { engine: Engine }>;

/** The names of engines in sentences. */
export const ENGINE_NAMES = {
  athena: 'Athena',
  clickhouse: 'ClickHouse',
  postgres: 'PostgreSQL',
  posthog: 'PostHog',
  trino: 'Trino',
} as const;

/** As it is written in a configuration. */
export type SqlTablesInput = z.input<typeof sqlTablesSchema>;

/** The type of each column that a table may have. */
export const COLUMNS_OF = {
  events: { ...GIVEN.sessions, ...GIVEN.events },
  sessions: GIVEN.sessions,
  users: { ...CARRIED, user_id: 'text' },
  screen_visits: GIVEN.screen_visits,
} as const satisfies Record<keyof typeof REQUIRED_OF, Columns>;
export type SqlTableName = keyof typeof COLUMNS_OF;
