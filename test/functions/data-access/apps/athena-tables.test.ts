import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Apps } from '../../../../functions/data-access/apps/apps.ts';
import { athenaTables } from '../../../../functions/data-access/apps/athena-tables.ts';
import { mappedApps } from '../../../../functions/data-access/apps/mapped-apps.ts';
import { db } from '../../../../functions/data-access/engines/query.ts';
import { inSpan } from '../../../../functions/data-access/queries/question.ts';
import { requestErrorFrom } from '../../../../functions/data-access/requests/request-error.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../../../shared/config/sql-tables.ts';
import { AthenaServer, type Reply } from '../engines/athena-server.ts';

let server: AthenaServer;
beforeAll(async () => {
  server = await AthenaServer.open();
});
afterAll(() => server.close());

/** A result, or why the statement failed. */
type Outcome = { columns: Record<string, string>; cells?: string[] } | { fails: object } | { error: string };

/** Answers each statement with the outcome of the first pattern that it matches. */
function answers(...outcomes: [pattern: RegExp, outcome: Outcome][]): void {
  const statements = new Map<unknown, string>();
  const outcomeOf = (id: unknown): Outcome => {
    const found = outcomes.find(([pattern]) => pattern.test(statements.get(id) ?? ''));
    if (!found) throw new Error(`no answer to ${statements.get(id)}`);
    return found[1];
  };
  server.replies(({ operation, input }): Reply => {
    const id = input.QueryExecutionId ?? `q${statements.size}`;
    if (operation === 'StartQueryExecution') statements.set(id, String(input.QueryString));
    const outcome = outcomeOf(id);
    if ('error' in outcome) return { error: outcome.error, status: 400 };
    if (operation === 'StartQueryExecution') return { QueryExecutionId: id };
    if (operation === 'GetQueryExecution')
      return { QueryExecution: { Status: 'fails' in outcome ? outcome.fails : { State: 'SUCCEEDED' } } };
    if ('fails' in outcome) return {};
    const row = (cells: string[]) => ({ Data: cells.map((VarCharValue) => ({ VarCharValue })) });
    return {
      ResultSet: {
        ResultSetMetadata: {
          ColumnInfo: Object.entries(outcome.columns).map(([Name, Type]) => ({ Name, Type })),
        },
        Rows: [row(Object.keys(outcome.columns)), ...(outcome.cells ? [row(outcome.cells)] : [])],
      },
    };
  });
}

const started = () => server.calls.filter(({ operation }) => operation === 'StartQueryExecution');
const statements = () => started().map(({ input }) => String(input.QueryString));

type Events = SqlTablesInput['apps'][string]['events'];
const COLUMNS = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };

async function open(events: Partial<Events> = {}, connection: object = {}): Promise<Apps> {
  const apps = { shop: { events: { table: 'log', columns: COLUMNS, ...events } } };
  const config = sqlTablesSchema.parse({
    ...{ engine: 'athena', workgroup: 'alerts', database: 'analytics', region: 'eu-central-1' },
    ...{ timeoutSeconds: 5, apps },
  });
  if (config.engine !== 'athena') throw new Error('another engine');
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  return mappedApps(
    athenaTables(config, { endpoint: server.url, credentials, maxAttempts: 1, ...connection }),
  );
}

const failure = (opening: Promise<Apps>) =>
  opening.then(
    () => 'opened',
    (error: unknown) => String(error),
  );

const LOG = {
  columns: { type: 'varchar', who: 'bigint', ts: 'timestamp', dt: 'varchar', pages: 'array', sums: 'array' },
};
const LISTS: [RegExp, Outcome] = [
  /^select typeof\("pages"\) as type0, typeof\("sums"\) as type1 from/,
  { columns: { type0: 'varchar', type1: 'varchar' }, cells: ['array(varchar(8))', 'array(bigint)'] },
];
const DESCRIBED: [RegExp, Outcome] = [/^select \* from "log" limit 0$/, LOG];

const SPAN = { from: Date.parse('2026-04-10T08:00:00Z'), to: Date.parse('2026-04-10T09:00:00Z') };
const COUNT = db
  .selectFrom('events')
  .select(sql<number>`count(*)`.as('n'))
  .where(inSpan({ span: SPAN, now: SPAN.to }));

beforeEach(() => answers(DESCRIBED, LISTS));

test('a statement reads the partitions of its days, in the workgroup and database', async () => {
  answers(
    DESCRIBED,
    LISTS,
    [/^select "dt" as value/, { columns: { value: 'varchar' }, cells: ['2026-04-01'] }],
    [/count/, { columns: { n: 'bigint' }, cells: ['12'] }],
  );
  const apps = await open({ partition: { day: 'dt' } });
  const found = await apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) => engine.answer(COUNT));
  expect(found?.answer.rows).toEqual([{ n: 12 }]);
  expect(started().at(-1)?.input).toMatchObject({
    WorkGroup: 'alerts',
    QueryExecutionContext: { Catalog: 'AwsDataCatalog', Database: 'analytics' },
    ResultReuseConfiguration: { ResultReuseByAgeConfiguration: { Enabled: false } },
  });
  expect(statements().at(-1)).toContain(
    `("ts" >= timestamp '2026-04-10 00:00:00' and "ts" < timestamp '2026-04-11 00:00:00'` +
      ` and "dt" >= '2026-04-09' and "dt" < '2026-04-12')`,
  );
});

test('shows the team the reason of a permanent failure, but not of a temporary one', async () => {
  const answered = async (outcome: Outcome) => {
    answers(DESCRIBED, LISTS, [/count/, outcome]);
    const apps = await open();
    const asked = apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) => engine.answer(COUNT));
    return requestErrorFrom(await asked.then(String, (error) => error)).message;
  };
  expect(await answered({ error: 'AccessDeniedException' })).toMatch(/Athena/);
  const isPassing = { AthenaError: { ErrorCategory: 1, ErrorType: 9, Retryable: true } };
  expect(await answered({ fails: { State: 'FAILED', ...isPassing } })).toBe(
    'the data cannot be read at the moment; retry later',
  );
});

test('a list of texts fits, a list of numbers does not', async () => {
  const session = { columns: { ...COLUMNS, session_id: 'who' } };
  const sessions = (screens: string) => ({
    table: 'log',
    columns: { session_id: 'who', user_id: 'who', recorded_at: 'ts', screens },
  });
  const openWith = (screens: string) => {
    const apps = { shop: { events: { table: 'log', ...session }, sessions: sessions(screens) } };
    const config = sqlTablesSchema.parse({ engine: 'athena', database: 'analytics', apps });
    if (config.engine !== 'athena') throw new Error('another engine');
    const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
    return mappedApps(athenaTables(config, { endpoint: server.url, region: 'eu-central-1', credentials }));
  };
  expect(await failure(openWith('pages'))).toBe('opened');
  expect(await failure(openWith('sums'))).toBe(
    'ConfigError: apps.shop.sessions.columns.screens: "sums" must be a list of texts: use { sql: "an expression" }',
  );
});

const MISSING = "COLUMN_NOT_FOUND: line 1:9: Column 'os' cannot be resolved or requester is not authorized";
test.each<{ name: string; outcome: Outcome; says: string }>([
  {
    name: 'a wrong expression',
    outcome: {
      fails: {
        State: 'FAILED',
        StateChangeReason: MISSING,
        AthenaError: { ErrorCategory: 2, ErrorType: 1006 },
      },
    },
    says: `ConfigError: apps.shop.events.columns.platform: Athena cannot read the expression: ${MISSING}`,
  },
  {
    name: 'a statement that cannot be started',
    outcome: { error: 'InvalidRequestException' },
    says: 'ConfigError: apps.shop.events.columns.platform: Athena cannot read the expression: near SELECT secret',
  },
  {
    name: 'a role without rights',
    outcome: { error: 'AccessDeniedException' },
    says: 'UpstreamError: Athena rejected the call: AccessDeniedException',
  },
  {
    name: 'a failure of Athena',
    outcome: {
      fails: {
        State: 'FAILED',
        StateChangeReason: 'internal',
        AthenaError: { ErrorCategory: 1, ErrorType: 200 },
      },
    },
    says: 'UpstreamError: the query failed in Athena with error 200',
  },
])('$name says what is wrong', async ({ outcome, says }) => {
  answers(DESCRIBED, LISTS, [/^select \(lower\(os\)\)/, outcome]);
  expect(await failure(open({ columns: { ...COLUMNS, platform: { sql: 'lower(os)' } } }))).toBe(says);
});

test('missing credentials say so', async () => {
  const credentials = async () => {
    throw Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    });
  };
  expect(await failure(open({}, { credentials }))).toBe(
    'ConfigError: Athena cannot be used: Could not load credentials from any providers',
  );
});
