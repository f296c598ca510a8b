import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { neededSecrets } from '../../cli/deploy/deploy-secrets.ts';
import { stacksOf } from '../../cli/options/stages.ts';
import { bundleHandler } from '../../infra/bundles.ts';
import type { Stage } from '../../shared/config/stage.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { KMS_KEY } from '../fixtures/every-option.ts';
import { type LoopbackServer, listen } from '../fixtures/loopback-server.ts';
import { postHogStage, serverStage, stageWith, TABLES_STAGE, VPC } from '../fixtures/tables-stage.ts';
import { AthenaServer, type Reply } from '../functions/data-access/engines/athena-server.ts';
import { postgresServer } from '../functions/data-access/engines/postgres-server.ts';
import { startLoopbackCloud } from './loopback-cloud.ts';
import { appWith, resourcesOf, statementsOf, synthesize } from './synthesis.ts';

const ruleSet = ruleSetOf(ruleNamed('orders'));
const [synthesized] = synthesize(ruleSet, [TABLES_STAGE]);
if (!synthesized?.stacks.tables) throw new Error('a stack is missing');
const { tables, alerting } = synthesized.stacks;
const statements = statementsOf(resourcesOf(tables));

const environmentSchema = z.object({ Variables: z.record(z.string(), z.unknown()).default({}) }).prefault({});

function variablesOfCheckRules(): Record<string, unknown> {
  const all = resourcesOf(alerting)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => environmentSchema.parse(Properties.Environment).Variables);
  return all.find((variables) => 'DATA_ACCESS_FUNCTION' in variables) ?? {};
}

const resourcesFor = (action: string) =>
  statements
    .filter(({ Action }) => Action.includes(action))
    .map(({ Resource }) => JSON.stringify(Resource).replaceAll(/\{"Ref":"AWS::AccountId"\}/g, 'ACCOUNT'));

test('a stage over tables has no service of its own, and nothing with a public address but the page', () => {
  expect(Object.keys(synthesized.stacks ?? {})).toEqual(['state', 'respond', 'alerting', 'tables']);
  const types = resourcesOf(tables).map(({ Type }) => Type);
  for (const type of ['AWS::ApiGatewayV2::Api', 'AWS::Lambda::Url', 'AWS::Lambda::Permission'])
    expect(types).not.toContain(type);
});

test('Lake Formation can let its function read tables', () => {
  expect(statements.map(({ Action }) => Action)).toContainEqual(['lakeformation:GetDataAccess']);
});

test('its dashboard shows the bytes of its questions', () => {
  const dashboard = resourcesOf(alerting).find(({ Type }) => Type === 'AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(dashboard?.Properties).replaceAll('\\', '');
  expect(text).toContain('"BytesScanned","service","figures-for-rules"');
});

test('its operators find its stack, and create no API key', () => {
  expect(stacksOf(TABLES_STAGE)).toContain('deltawatch-team-tables');
  const names = neededSecrets(TABLES_STAGE, ruleSet.routes).map(({ name }) => name);
  expect(names).toEqual(['deltawatch/team/signing-keys', 'deltawatch/team/session-keys', 'slack-webhook']);
});

describe('the function that reads the tables', () => {
  test('reads the named locations and databases, and writes nothing', () => {
    expect(resourcesFor('s3:GetObject').join()).toMatch(/s3:::archive\/\*.*s3:::lake\/events\/\*/);
    const listed = statements.filter(({ Action }) => Action.includes('s3:ListBucket'));
    expect(listed.map(({ Condition }) => Condition)).toEqual([
      { StringLike: { 's3:prefix': ['events/*'] } },
      { StringLike: { 's3:prefix': ['*'] } },
    ]);
    expect(resourcesFor('glue:GetTable').join()).toMatch(/table\/analytics\/\*.*table\/sales\/\*/);
    const actions = statements
      .flatMap(({ Action }) => Action)
      .filter((action) => !action.startsWith('logs:'));
    expect(actions.filter((action) => !/:(BatchGet|Get|List|StartQuery|StopQuery)/.test(action))).toEqual([]);
    expect(actions.join()).not.toContain('*');
  });

  test('may decrypt with the named keys only', () => {
    expect(resourcesFor('kms:Decrypt')).toEqual([]);
    const key = 'arn:aws:kms:eu-central-1:111122223333:key/1234';
    const [found] = synthesize(ruleSet, [stageWith({ kmsKeys: [key] })]);
    const allowed = statementsOf(found?.resources ?? []).filter(({ Action }) =>
      Action.includes('kms:Decrypt'),
    );
    expect(allowed.map(({ Resource }) => Resource)).toContainEqual(key);
  });

  test('has a workgroup with a limit of bytes, whose results are in no bucket', () => {
    tables.hasResourceProperties('AWS::Athena::WorkGroup', {
      Name: 'deltawatch-team-tables',
      WorkGroupConfiguration: {
        EnforceWorkGroupConfiguration: true,
        BytesScannedCutoffPerQuery: 50e9,
        ManagedQueryResultsConfiguration: { Enabled: true },
      },
    });
    tables.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ProcessedBytes',
      Dimensions: [{ Name: 'WorkGroup', Value: 'deltawatch-team-tables' }],
      Threshold: 500e9,
    });
  });

  test('is called by check-rules, which needs no API key and waits for it', () => {
    const variables = variablesOfCheckRules();
    expect(JSON.stringify(variables.DATA_ACCESS_FUNCTION)).toMatch(/figuresforrules.*Arn/);
    expect(variables).toMatchObject({ COMPARES_USERS: 'true', CALL_SECONDS: '125' });
    expect(variables).not.toHaveProperty('API_KEY_SECRET');
    expect(JSON.stringify(alerting.toJSON())).not.toContain('api-key');
    tables.hasResourceProperties('AWS::Lambda::Function', { Timeout: 120 });
  });
});

describe('the function that reads tables of a server', () => {
  const SECRET = 'deltawatch/clickhouse-url';
  const [made] = synthesize(ruleSet, [serverStage('clickhouse')]);
  if (!made?.stacks.tables) throw new Error('a stack is missing');
  const resources = resourcesOf(made.stacks.tables);
  const allowed = statementsOf(resources).filter(({ Action }) => !Action.join().startsWith('logs:'));

  test('is alone in the subnets and security groups of the stage', () => {
    const inVpc = made.resources.filter(({ Properties }) => Properties.VpcConfig !== undefined);
    expect(inVpc.map(({ id, Properties }) => [id.slice(0, 15), Properties.VpcConfig])).toEqual([
      ['figuresforrules', { SubnetIds: VPC.subnets, SecurityGroupIds: VPC.securityGroups }],
    ]);
    // Lambda connects with the role, so its policy must be there first.
    expect(inVpc[0]?.DependsOn).toEqual([
      expect.stringMatching('RoleDefaultPolicy'),
      expect.stringMatching(/^figuresforrulesRole/),
    ]);
    expect(allowed.find(({ Action }) => Action.includes('ec2:CreateNetworkInterface'))?.Resource).toBe('*');
  });

  test('may read only the secret with the URL, which no other function may', () => {
    const reading = (each: typeof resources) =>
      statementsOf(each).filter(({ Resource }) => JSON.stringify(Resource).includes(SECRET));
    expect(reading(resources).flatMap(({ Action }) => Action)).toEqual([
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
    ]);
    expect(reading(made.resources)).toHaveLength(1);
    expect(
      allowed.flatMap(({ Action }) => Action).filter((each) => !/^(ec2|secretsmanager):/.test(each)),
    ).toEqual([]);
  });

  test('decrypts it with the key of the stage', () => {
    const [found] = synthesize(ruleSet, [{ ...serverStage('trino', {}), kmsKey: KMS_KEY }]);
    const ofKey = statementsOf(found?.stacks.tables ? resourcesOf(found.stacks.tables) : []);
    expect(ofKey.filter(({ Resource }) => Resource === KMS_KEY).map(({ Action }) => Action)).toEqual([
      ['kms:Decrypt'],
    ]);
    expect(JSON.stringify(found?.resources)).not.toContain('ec2:CreateNetworkInterface');
  });

  test('its secret is one that a deployment asks for', () => {
    const needed = neededSecrets(serverStage('clickhouse'), ruleSet.routes);
    expect(needed).toContainEqual({
      ...{ name: SECRET, purpose: 'the URL of ClickHouse, with user and password', origin: 'ask' },
    });
  });

  test('may read the key of PostHog, which a deployment asks for', () => {
    const [found] = synthesize(ruleSet, [postHogStage()]);
    expect(JSON.stringify(statementsOf(found?.resources ?? []))).toContain('deltawatch/posthog-key');
    expect(JSON.stringify(found?.resources)).not.toContain('bytes that the engine reads');
    expect(neededSecrets(postHogStage(), ruleSet.routes)).toContainEqual({
      ...{ name: 'deltawatch/posthog-key', purpose: 'a personal API key of PostHog', origin: 'ask' },
    });
  });

  test('trusts the databases of AWS if it reads PostgreSQL', () => {
    const variablesOf = (engine: 'clickhouse' | 'postgres') =>
      JSON.stringify(synthesize(ruleSet, [serverStage(engine)])[0]?.resources).includes(
        'NODE_EXTRA_CA_CERTS',
      );
    expect([variablesOf('postgres'), variablesOf('clickhouse')]).toEqual([true, false]);
  });

  test.each([
    { engine: 'postgres', shown: false },
    { engine: 'trino', shown: true },
  ] as const)('its dashboard shows the bytes of $engine: $shown', ({ engine, shown }) => {
    const text = JSON.stringify(synthesize(ruleSet, [serverStage(engine)])[0]?.resources);
    expect(text.includes('bytes that the engine reads')).toBe(shown);
  });
});

test.each([
  { name: 'in its region', stage: TABLES_STAGE },
  { name: 'without a region', stage: stageWith({ region: undefined }) },
  { name: 'on a server in a VPC', stage: serverStage('postgres') },
  {
    name: 'in a VPC',
    stage: { ...TABLES_STAGE, dataAccess: { ...TABLES_STAGE.dataAccess, vpc: VPC } } as Stage,
  },
])('cdk-nag reports no finding $name that is not acknowledged', ({ stage }) => {
  using made = appWith(ruleSet, [stage]);
  const { violations } = new AwsSolutionsChecks(made.app).validateScope(made.app);
  expect(violations).toEqual([]);
});

describe('its bundle', () => {
  let folder: string;
  let athena: AthenaServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'own-tables-'));
    await bundleHandler('functions/data-access/handler.ts', folder);
    using made = appWith(ruleSet, [TABLES_STAGE]);
    const packed = join(made.app.outdir, 'data-access-deltawatch-team-tables', 'tables.json');
    await writeFile(join(folder, 'tables.json'), await readFile(packed));
    athena = await AthenaServer.open();
  });
  afterAll(async () => {
    await athena.close();
    await rm(folder, { recursive: true });
  });

  const LOG = { action: 'varchar', customer_no: 'bigint', occurred_at: 'timestamp' };
  const eventFor = (app: string) => ({
    version: '2.0',
    rawPath: '/api/data-access/v1/event/analytics',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', 'x-api-key': 'check-rules' },
    requestContext: { domainName: 'data-access.invalid', http: { method: 'POST' } },
    body: JSON.stringify({ app_id: app, aggregation: [{ attribute: 'event_count' }] }),
    isBase64Encoded: false,
  });

  const invokeFor = (...apps: string[]) => invoke(athena.url, ...apps);

  /**
   * Calls the handler in one process, for one app after the other, ten minutes apart. The last result, or the message of
   * its failure.
   */
  async function invoke(endpoint: string, ...apps: string[]): Promise<string> {
    const call = `
      const { handler } = await import(process.argv[1]);
      const now = Date.now;
      let last, calls = 0;
      Date.now = () => now() + calls * 600_000;
      for (const event of JSON.parse(process.argv[2])) {
        last = await handler(event).then(JSON.stringify, (error) => error.message);
        calls += 1;
      }
      console.log('ANSWER ' + last);`;
    const events = JSON.stringify(apps.map(eventFor));
    const args = ['--input-type=module', '--eval', call, join(folder, 'index.mjs'), events];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: {
        ...{ TABLES_FILE: 'tables.json', AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'eu-central-1' },
        ...{ AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' },
      },
    });
    return stdout.split('ANSWER ')[1]?.trim() ?? '';
  }

  const startedStatements = () =>
    athena.calls
      .filter(({ operation }) => operation === 'StartQueryExecution')
      .map(({ input }) => String(input.QueryString).slice(0, 40));

  const REASON = "TABLE_NOT_FOUND: line 1:15: Table 'awsdatacatalog.sales.gone' does not exist";
  const FAILED = {
    State: 'FAILED',
    StateChangeReason: REASON,
    AthenaError: { ErrorCategory: 2, ErrorType: 1000 },
  };

  /** An Athena with the table `activity`, in which everyone has 42 events. */
  function repliesOfAthena(): void {
    let last = '';
    athena.replies(({ operation, input }): Reply => {
      if (operation === 'StartQueryExecution') last = String(input.QueryString);
      const isFailed = last.includes('gone');
      const columns = last.includes('count') ? { m0: 'bigint' } : LOG;
      const rows = [Object.keys(columns), ...(last.includes('count') ? [['42']] : [])];
      return {
        QueryExecutionId: 'query',
        QueryExecution: { Status: isFailed ? FAILED : { State: 'SUCCEEDED' } },
        ResultSet: {
          ResultSetMetadata: { ColumnInfo: Object.entries(columns).map(([Name, Type]) => ({ Name, Type })) },
          Rows: rows.map((cells) => ({ Data: cells.map((VarCharValue) => ({ VarCharValue })) })),
        },
      };
    });
  }

  function expectCount(answer: string): void {
    const { statusCode, body } = JSON.parse(answer);
    expect([statusCode, JSON.parse(body).data]).toEqual([200, [{ event_count: 42 }]]);
  }

  test('checks the tables once, and answers from them within its rights', async () => {
    repliesOfAthena();
    expectCount(await invokeFor('shop', 'shop'));
    expect(startedStatements()).toEqual([
      'select * from "sales"."activity" limit 0',
      expect.stringContaining('count(*)'),
      expect.stringContaining('count(*)'),
    ]);
    expect(athena.calls[0]?.input.WorkGroup).toBe('deltawatch-team-tables');
    const allowed = statements.flatMap(({ Action }) => Action);
    for (const { operation } of athena.calls) expect(allowed).toContain(`athena:${operation}`);
  });

  test('fails for an app whose table cannot be read, and names it, but answers for the others', async () => {
    repliesOfAthena();
    const file = join(folder, 'tables.json');
    const packed = await readFile(file, 'utf8');
    const { apps, ...rest } = JSON.parse(packed);
    const broken = { ...apps.shop, events: { ...apps.shop.events, table: 'sales.gone' } };
    await writeFile(file, JSON.stringify({ ...rest, apps: { broken, ...apps } }));
    const message = `apps.broken.events: Athena cannot read sales.gone: ${REASON}`;
    expect(await invokeFor('broken')).toBe(message);
    expectCount(await invokeFor('broken', 'shop'));
    // It is looked up again, because the team may have repaired it.
    repliesOfAthena();
    expect(await invokeFor('broken', 'shop', 'broken')).toBe(message);
    const lookUps = startedStatements().filter((statement) => statement.endsWith('limit 0'));
    expect(lookUps.filter((statement) => statement.includes('gone'))).toHaveLength(2);
    await writeFile(file, packed);
  });

  describe('over a server', () => {
    const mapping = () => join(folder, 'tables.json');
    let kept: string;
    beforeAll(async () => {
      kept = await readFile(mapping(), 'utf8');
    });
    afterAll(() => writeFile(mapping(), kept));

    const pack = async (stage: Stage) => {
      using made = appWith(ruleSet, [stage]);
      const packed = join(made.app.outdir, 'data-access-deltawatch-team-tables', 'tables.json');
      await writeFile(mapping(), await readFile(packed));
    };

    /** Secrets Manager, with one URL after the other, and a ClickHouse with 42 events for the user `reader`. */
    async function secretsWith(urlsOf: (server: LoopbackServer) => string[]) {
      const users: string[] = [];
      let read = 0;
      const server = await listen(({ headers }, body, response) => {
        if (headers['x-amz-target'] === 'secretsmanager.GetSecretValue') {
          const urls = urlsOf(server);
          return response.end(JSON.stringify({ SecretString: urls[Math.min(read++, urls.length - 1)] }));
        }
        users.push(Buffer.from(String(headers.authorization).slice(6), 'base64').toString());
        const types = { action: 'String', customer_no: 'UInt64', occurred_at: 'DateTime' };
        const isCount = body.includes('count(');
        response.end(
          JSON.stringify({
            meta: Object.entries(isCount ? { m0: 'UInt64' } : types).map(([name, type]) => ({ name, type })),
            data: isCount ? [[42]] : [],
          }),
        );
      });
      return { server, users };
    }

    test('asks ClickHouse with the URL of its secret, on a connection for each statement', async () => {
      await pack(serverStage('clickhouse'));
      const place = (server: LoopbackServer) => server.url.replace('http://', '');
      const { server, users } = await secretsWith((each) => [`http://reader:hidden@${place(each)}/shop`]);
      await using _ = server;
      expectCount(await invoke(server.url, 'shop', 'shop'));
      expect(users).toEqual(['reader:hidden', 'reader:hidden', 'reader:hidden']);
      // And one to Secrets Manager.
      expect(server.connections()).toBe(users.length + 1);
    });

    test('asks PostHog with the key of its secret', async () => {
      const keys: unknown[] = [];
      await using server = await listen(({ headers }, _body, response) => {
        if (headers['x-amz-target'] === 'secretsmanager.GetSecretValue')
          return response.end(JSON.stringify({ SecretString: 'phx_hidden' }));
        keys.push(headers.authorization);
        response.end(JSON.stringify({ columns: ['uuid'], types: [['uuid', 'UUID']], results: [] }));
      });
      await pack(postHogStage(server.url));
      // This project has one column.
      expect(await invoke(server.url, 'shop')).toMatch(
        'apps.shop.events.columns.event_name: events has no column "event"',
      );
      expect(new Set(keys)).toEqual(new Set(['Bearer phx_hidden']));
    });

    test('uses a password that was replaced', async () => {
      await pack(serverStage('clickhouse'));
      const { server, users } = await secretsWith(({ url }) =>
        ['old', 'new'].map((password) => url.replace('//', `//reader:${password}@`)),
      );
      await using _ = server;
      expectCount(await invoke(server.url, 'shop', 'shop'));
      expect(users.at(-1)).toBe('reader:new');
    });

    test('fails without its secret, and names it', async () => {
      await pack(serverStage('clickhouse'));
      await using server = await listen((_request, _body, response) => {
        response.writeHead(400).end(JSON.stringify({ __type: 'ResourceNotFoundException' }));
      });
      expect(await invoke(server.url, 'shop')).toBe(
        'There is no secret "deltawatch/clickhouse-url" in Secrets Manager: create it',
      );
    });

    test('speaks the protocol of PostgreSQL', async () => {
      await pack(serverStage('postgres'));
      await using database = await postgresServer();
      const { server } = await secretsWith(() => [database.url]);
      await using _ = server;
      // This server has a table with another column.
      expect(await invoke(server.url, 'shop')).toMatch(
        'apps.shop.events.columns.event_name: sales.activity has no column "action"',
      );
    });
  });
});

test('check-rules runs without an API key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'check-rules-'));
  await using cloud = await startLoopbackCloud();
  await bundleHandler('functions/check-rules/handler.ts', folder);
  const batch = JSON.stringify({ id: 'one', tick: 'a@b', scheduledAt: 0, app: 'shop', checks: [] });
  const delivery = { body: batch, receiptHandle: 'handle', attributes: { ApproximateReceiveCount: '1' } };
  const call = `
    const { handler } = await import(process.argv[1]);
    await handler({ Records: [JSON.parse(process.argv[2])] });`;
  const args = ['--input-type=module', '--eval', call, join(folder, 'index.mjs'), JSON.stringify(delivery)];
  const variables = Object.entries(variablesOfCheckRules()).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `${cloud.url}/${name}`,
  ]);
  const env = {
    ...Object.fromEntries(variables),
    ...{ TABLE_NAME: cloud.table.name, AWS_ENDPOINT_URL: cloud.url, AWS_REGION: 'eu-central-1' },
    ...{ AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' },
  };
  const running = promisify(execFile)(process.execPath, args, { env });
  await expect(running).rejects.toThrow('no rules are deployed');
  expect([...cloud.actions].filter((action) => action.startsWith('secretsmanager'))).toEqual([]);
  await rm(folder, { recursive: true });
});
