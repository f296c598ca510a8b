import { describe, expect, test } from 'vitest';
import {
  type ConfigInput,
  configSchema,
  DEFAULT_CONFIG,
  defineConfig,
} from '../../../shared/config/config.ts';
import type { SqlTablesInput } from '../../../shared/config/sql-tables.ts';
import { check } from '../../../shared/rule-files/rule-faults.ts';
import { pathText } from '../../../shared/rule-files/rule-source.ts';

const operators = 'oncall@example.com';
const figures = { service: 'https://data.example.com', apiKeySecret: 'shop-key' };

const stageOf = (stage: NonNullable<ConfigInput['stages']>[string], config: ConfigInput = {}) =>
  configSchema.parse(defineConfig({ ...config, stages: { production: stage } })).stages[0];

function faultsOf(config: unknown): string[] {
  const checked = check(configSchema, config);
  return checked.kind === 'faults'
    ? checked.faults.map(({ path, message }) => `${pathText(path)}: ${message}`)
    : [];
}

test('an empty configuration watches the folder "rules"', () => {
  expect(DEFAULT_CONFIG).toEqual({ rules: 'rules', stages: [] });
});

test('the repository is a web address without a user, a query or an anchor, and ends in a slash', () => {
  const url = 'https://github.com/acme/rules/blob/main';
  for (const repository of [url, `${url}/`])
    expect(configSchema.parse({ repository }).repository).toBe(`${url}/`);
  for (const repository of [
    'acme/rules',
    'javascript:alert(1)',
    'https://me:secret@github.com/acme',
    `${url}?a=b`,
  ])
    expect(faultsOf({ repository }), repository).toEqual([expect.stringMatching(/^repository: must /)]);
});

describe('a stage', () => {
  const oidc = { kind: 'oidc' as const, issuer: 'https://login.example.com', audience: ['deltawatch'] };

  test('gives roles to the groups of a token', () => {
    const groups = [{ group: 'oncall', role: 'answer' as const, apps: ['shop'] }];
    const respond = { access: { ...oidc, roles: { groups } } };
    expect(stageOf({ operators, respond }, { figures })?.respond.access).toMatchObject({
      roles: { claim: 'groups', groups },
    });
  });

  test.each([
    [{ group: 'oncall', role: 'admin', apps: ['shop'] }, /an admin is one of all apps/],
    [{ group: 'on call', role: 'read' }, /must be a group without blanks/],
    [{ group: 'oncall', role: 'write' }, /role: /],
    [{ group: 'oncall', role: 'read', apps: [] }, /apps: /],
  ])('refuses the role %j', (group, fault) => {
    const respond = { access: { ...oidc, roles: { groups: [group] } } };
    const stages = { production: { operators, respond } };
    expect(faultsOf({ figures, stages })).toEqual([expect.stringMatching(fault)]);
  });

  test('needs an email address and a service only', () => {
    expect(stageOf({ operators, dataAccess: { kind: 'own', firstDay: '2026-01-01' } })).toEqual({
      name: 'production',
      operators,
      dataAccess: {
        ...{ kind: 'own', engine: 'duckdb', firstDay: '2026-01-01' },
        ...{ requests: { perSecond: 20, burst: 40 }, corsOrigins: [] },
      },
      apiKeySecret: 'deltawatch/production/api-key',
      respond: {
        signingSecret: 'deltawatch/production/signing-keys',
        access: { kind: 'session', secret: 'deltawatch/production/session-keys' },
        requests: { perSecond: 20, burst: 40 },
      },
      calls: { perSecond: 4, perHour: 400, atOnce: 2 },
      keepState: true,
      logDays: 90,
      notesVersions: true,
      reservesConcurrency: false,
    });
  });

  test('uses the service of the commands', () => {
    expect(stageOf({ operators }, { figures })?.dataAccess).toEqual({
      ...{ kind: 'external', url: 'https://data.example.com', comparesUsers: false },
    });
  });

  test('keeps the secrets that it names', () => {
    const stage = stageOf(
      {
        operators,
        apiKeySecret: 'shop/key',
        respond: { signingSecret: 'shop/links', access: { kind: 'session', secret: 'shop/sessions' } },
      },
      { figures },
    );
    expect(stage).toMatchObject({
      apiKeySecret: 'shop/key',
      respond: { signingSecret: 'shop/links', access: { kind: 'session', secret: 'shop/sessions' } },
    });
  });
});

describe('a stage over own tables', () => {
  const columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
  const apps = { shop: { events: { table: 'log', columns } } };
  const athena = {
    engine: 'athena',
    database: 'analytics',
    locations: ['s3://lake/'],
    apps,
  } satisfies SqlTablesInput;

  test('reads the tables of the commands, in their region', () => {
    const stage = stageOf({ operators }, { figures: { sql: { ...athena, region: 'eu-west-1' } } });
    expect(stage).toMatchObject({
      region: 'eu-west-1',
      dataAccess: { kind: 'tables', tables: athena },
    });
  });

  test('has limits of its own', () => {
    const dataAccess = { kind: 'tables', gigabytesPerQuery: 2 } as const;
    expect(stageOf({ operators, dataAccess }, { figures: { sql: athena } })?.dataAccess).toMatchObject({
      ...{ kind: 'tables', gigabytesPerQuery: 2, tables: athena },
    });
  });

  test.each(['postgres', 'clickhouse', 'trino'] as const)('reads tables of a server: %s', (engine) => {
    const vpc = { subnets: ['subnet-0a1b'], securityGroups: ['sg-0a1b'] };
    const sql = { engine, urlSecret: 'shop/url', apps };
    const stage = stageOf({ operators, dataAccess: { kind: 'tables', vpc } }, { figures: { sql } });
    expect(stage?.dataAccess).toMatchObject({ kind: 'tables', vpc, tables: sql });
    expect(stage?.region).toBeUndefined();
  });

  test.each<{ name: string; sql: object | undefined; stage?: object; says: string }>([
    {
      name: 'DuckDB',
      sql: { engine: 'duckdb', apps },
      says: 'cannot read files and DuckDB databases of this machine: name tables in another engine, or a service in dataAccess',
    },
    {
      name: 'limits of Athena for PostgreSQL',
      sql: { engine: 'postgres', urlSecret: 'url', apps },
      stage: { dataAccess: { kind: 'tables', gigabytesPerHour: 5 } },
      says: 'has gigabytesPerHour, which limits Athena, but its tables are in PostgreSQL: remove it',
    },
    {
      name: 'tables without locations',
      sql: { ...athena, locations: undefined },
      says: 'may read no table: add "locations" to figures.sql, such as ["s3://company-lake/events/"]',
    },
    {
      name: 'tables of another catalog',
      sql: { ...athena, catalog: 'mysql' },
      says: 'cannot read the catalog mysql: use tables of AwsDataCatalog',
    },
    {
      name: 'queries that take long',
      sql: { engine: 'clickhouse', urlSecret: 'url', apps, timeoutSeconds: 600 },
      says: 'cannot wait for 600 seconds: set timeoutSeconds of figures.sql to at most 120',
    },
    {
      name: 'another region',
      sql: { ...athena, region: 'eu-west-1' },
      stage: { region: 'us-east-1' },
      says: 'is in us-east-1, but its tables are in eu-west-1: Athena reads its own region',
    },
    {
      name: 'no tables',
      sql: undefined,
      stage: { dataAccess: { kind: 'tables' } },
      says: 'needs tables: set "sql" of figures, or "tables" of dataAccess',
    },
  ])('$name are refused', ({ sql, stage, says }) => {
    const config = { ...(sql && { figures: { sql } }), stages: { production: { operators, ...stage } } };
    expect(faultsOf(config)).toEqual([`stages.production: ${says}`]);
  });
});

const POSTHOG = { project: 1, keySecret: 'posthog-key', apps: { shop: {} } };
test.each<[string, unknown, string[]]>([
  [
    'a key in the address of PostHog',
    { rules: 'rules', figures: { posthog: { ...POSTHOG, host: 'https://phx_word@eu.posthog.com' } } },
    ['figures.posthog.host: must have no key: keySecret names the secret with it'],
  ],
  [
    'more security groups than Lambda takes',
    {
      rules: 'rules',
      stages: {
        production: {
          operators: 'oncall@example.com',
          dataAccess: {
            kind: 'tables',
            vpc: { subnets: ['subnet-0a1b2c3d'], securityGroups: Array(6).fill('sg-0a1b2c3d') },
          },
        },
      },
    },
    ['stages.production.dataAccess.vpc.securityGroups: must have at most 5 entries'],
  ],
  [
    'the name of a subnet instead of its id',
    {
      stages: {
        production: {
          operators,
          dataAccess: { kind: 'tables', vpc: { subnets: ['private'], securityGroups: ['sg-0a1b2c3d'] } },
        },
      },
    },
    ['stages.production.dataAccess.vpc.subnets[0]: must be an id such as "subnet-0a1b2c3d"'],
  ],
  [
    'an unknown key',
    { rule: 'rules' },
    ['rule: unknown key "rule"; did you mean "rules"? Accepted: rules, repository, figures, stages'],
  ],
  [
    'a stage without a service',
    { stages: { production: { operators } } },
    [
      'stages.production: needs dataAccess: the service with the figures, such as { kind: "external", url: "https://data.example.com" }',
    ],
  ],
  [
    'a limit of Athena with the default engine',
    {
      stages: {
        production: { operators, dataAccess: { kind: 'own', firstDay: '2026-01-01', gigabytesPerQuery: 5 } },
      },
    },
    [
      'stages.production.dataAccess.gigabytesPerQuery: limits Athena, but the engine is DuckDB: remove it, or set engine: "athena"',
    ],
  ],
  [
    'a stage whose name cannot be part of a resource name',
    { figures, stages: { 'Production EU': { operators } } },
    ['stages.Production EU: use up to 20 lower-case letters, digits and dashes, such as "production"'],
  ],
  [
    'an account as a number, which loses zeros',
    { figures, stages: { production: { operators, account: 12345678901 } } },
    ['stages.production.account: must be text (in quotes where it looks like a number)'],
  ],
  [
    'a secret instead of its name',
    { figures, stages: { production: { operators, apiKeySecret: 'key: abc' } } },
    [
      'stages.production.apiKeySecret: must be the name of a secret in Secrets Manager, such as "deltawatch/api-key"',
    ],
  ],
  [
    'a page without TLS',
    { figures, stages: { production: { operators, respond: { publicUrl: 'http://alerts.example.com' } } } },
    ['stages.production.respond.publicUrl: must be a URL that starts with "https://"'],
  ],
  ...['https://example.com/alerts', 'https://alerts.example.com/', 'https://alerts.example.com?a=b'].map(
    (publicUrl): [string, unknown, string[]] => [
      `the page at ${publicUrl}`,
      { figures, stages: { production: { operators, respond: { publicUrl } } } },
      [
        'stages.production.respond.publicUrl: must be https, a host and nothing after it, such as "https://alerts.example.com": cookies and links of the page start at the root',
      ],
    ],
  ),
])('%s is refused', (_, config, faults) => {
  expect(faultsOf(config)).toEqual(faults);
});
