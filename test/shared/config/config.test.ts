import { describe, expect, test } from 'vitest';
import { check } from '../../../shared/adapters/rule-files/rule-faults.ts';
import { pathText } from '../../../shared/adapters/rule-files/rule-source.ts';
import {
  type ConfigInput,
  configSchema,
  DEFAULT_CONFIG,
  defineConfig,
} from '../../../shared/config/config.ts';

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

describe('a stage', () => {
  test('needs an email address and a service only', () => {
    expect(stageOf({ operators, dataAccess: { kind: 'own', firstDay: '2026-01-01' } })).toEqual({
      name: 'production',
      operators,
      dataAccess: {
        ...{ kind: 'own', firstDay: '2026-01-01', gigabytesPerQuery: 50, gigabytesPerHour: 500 },
        ...{ requests: { perSecond: 20, burst: 40 }, corsOrigins: [] },
      },
      apiKeySecret: 'deltawatch/production/api-key',
      respond: {
        signingSecret: 'deltawatch/production/signing-keys',
        access: { kind: 'session', secret: 'deltawatch/production/session-keys' },
        requests: { perSecond: 20, burst: 40 },
      },
      calls: { perSecond: 4, perHour: 400 },
      keepState: true,
      logDays: 90,
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

test.each<[string, unknown, string[]]>([
  [
    'an unknown key',
    { rule: 'rules' },
    ['rule: unknown key "rule"; did you mean "rules"? Accepted: rules, figures, stages'],
  ],
  [
    'a stage without a service',
    { stages: { production: { operators } } },
    [
      'stages.production: needs dataAccess: the service with the figures, such as { kind: "external", url: "https://data.example.com" }',
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
