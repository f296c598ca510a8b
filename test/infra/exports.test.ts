import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type Stage, stageNameSchema, stageOf, stageSchema } from '../../shared/config/stage.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { TABLES_STAGE } from '../fixtures/tables-stage.ts';
import { synthesize } from './synthesis.ts';

// CloudFormation refuses to remove or change an export while another stack imports it, and stacks are deployed one by
// one. So a stack must keep what the stacks of the previous deployment import, whatever option has changed.

type Written = z.input<typeof stageSchema>;

const OWN: Written['dataAccess'] = { kind: 'own', firstDay: '2024-01-01' };
const EXTERNAL: Written['dataAccess'] = { kind: 'external', url: 'https://figures.example.com' };
const OIDC = { kind: 'oidc' as const, issuer: 'https://login.example.com', audience: ['deltawatch'] };
const FEW = { perSecond: 1, burst: 2 };

/** A value of every option that is not its default. */
const CHANGES: Record<keyof Written | 'all', Partial<Written>[]> = {
  account: [{ account: '111122223333' }],
  region: [{ region: 'eu-north-1' }],
  dataAccess: [
    { dataAccess: EXTERNAL },
    { dataAccess: { ...EXTERNAL, url: 'https://other.example.com', comparesUsers: true } },
    { dataAccess: { ...OWN, engine: 'athena' } },
    { dataAccess: { ...OWN, engine: 'athena', gigabytesPerQuery: 1, gigabytesPerHour: 2 } },
    { dataAccess: { ...OWN, firstDay: '2026-01-01' } },
    { dataAccess: { ...OWN, requests: FEW, corsOrigins: ['https://example.com'] } },
    { dataAccess: { kind: 'tables' } },
  ],
  respond: [
    { respond: { publicUrl: 'https://alerts.example.com' } },
    { respond: { publicUrl: 'https://other.example.com' } },
    { respond: { access: { kind: 'iam' } } },
    { respond: { access: OIDC } },
    { respond: { access: { ...OIDC, roles: { groups: [{ group: 'oncall', role: 'admin' }] } } } },
    { respond: { access: { kind: 'session', secret: 'own/session' } } },
    { respond: { signingSecret: 'own/signing', slackSigningSecret: 'own/slack', requests: FEW } },
  ],
  apiKeySecret: [{ apiKeySecret: 'own/api-key' }],
  calls: [{ calls: { perSecond: 1, perHour: 2 } }],
  operators: [{ operators: 'others@example.com' }],
  keepState: [{ keepState: false }],
  state: [{ state: { table: 'restored' } }],
  kmsKey: [{ kmsKey: 'arn:aws:kms:eu-north-1:111122223333:key/0c46c3a5-3d6d-4d2c-9a4b-1f2e3d4c5b6a' }],
  logDays: [{ logDays: 7 }],
  notesVersions: [{ notesVersions: false }],
  reservesConcurrency: [{ reservesConcurrency: true }],
  all: [
    {
      dataAccess: EXTERNAL,
      respond: { publicUrl: 'https://alerts.example.com', access: { kind: 'iam' } },
      ...{ keepState: false, logDays: 7, reservesConcurrency: true },
    },
  ],
};

const OPTIONS: [string, Partial<Written>][] = [
  ['the defaults', {}],
  ...Object.values(CHANGES)
    .flat()
    .map((change): [string, Partial<Written>] => [JSON.stringify(change), change]),
];

interface Exchange {
  /** By stack: the exports and their values. */
  exports: Record<string, Record<string, string>>;
  imported: Set<string>;
}

const exchanges = new Map(OPTIONS.map(([name, change]) => [name, exchangeOf(stageWith(change))]));

function stageWith(change: Partial<Written>): Stage {
  const written = { operators: 'oncall@example.com', dataAccess: OWN, ...change };
  const schema = stageSchema.extend({ dataAccess: stageSchema.shape.dataAccess.unwrap() });
  const { dataAccess, ...stage } = schema.parse(written);
  return stageOf(stageNameSchema.parse('live'), {
    ...stage,
    dataAccess: dataAccess.kind === 'tables' ? TABLES_STAGE.dataAccess : dataAccess,
  });
}

function exchangeOf(stage: Stage): Exchange {
  const [made] = synthesize(ruleSetOf(ruleNamed('orders')), [stage]);
  const stacks = Object.entries<Template>({ ...made?.stacks });
  const text = JSON.stringify(stacks.map(([, template]) => template.toJSON()));
  const imports = [...text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)];
  return {
    exports: Object.fromEntries(stacks.map(([name, template]) => [name, exportsOf(template)])),
    imported: new Set(imports.map(([, name = '']) => name)),
  };
}

function exportsOf(template: Template): Record<string, string> {
  const schema = z.object({ Export: z.object({ Name: z.string() }).optional(), Value: z.unknown() });
  const outputs = z.record(z.string(), schema).default({}).parse(template.toJSON().Outputs);
  return Object.fromEntries(
    Object.values(outputs).flatMap(({ Export, Value }) =>
      Export ? [[Export.Name, JSON.stringify(Value)]] : [],
    ),
  );
}

test('every option is covered', () => {
  expect(Object.keys(CHANGES).toSorted()).toEqual([...Object.keys(stageSchema.shape), 'all'].toSorted());
  expect(exchanges.get('the defaults')?.imported.size).toBeGreaterThan(3);
});

/** What stages that were deployed by earlier versions import. */
const OF_EARLIER_VERSIONS = [
  'data-access:ExportsOutputFnGetAttfiguresforrules568B3B9BArn4B9454AE',
  'data:ExportsOutputFnGetAttBucket83908E77Arn063C8555',
  'data:ExportsOutputFnGetAttTableCD117FA1ArnE2C8C204',
  'data:ExportsOutputRefBucket83908E7781C90AC0',
  'data:ExportsOutputRefTableCD117FA1D18A8047',
  'respond:ExportsOutputFnGetAttAnswersApi8BDA3964ApiEndpoint0C9E6C19',
  'state:ExportsOutputFnGetAttTableCD117FA1ArnE2C8C204',
  'state:ExportsOutputRefTableCD117FA1D18A8047',
];

test('exports that earlier versions use survive an update', () => {
  const { exports = {} } = exchanges.get('the defaults') ?? {};
  const names = Object.values(exports).flatMap((each) => Object.keys(each));
  expect(names).toEqual(expect.arrayContaining(OF_EARLIER_VERSIONS.map((name) => `deltawatch-live-${name}`)));
});

test.each(OPTIONS)('exports in use survive every change to and from %s', (name) => {
  const after = exchanges.get(name);
  const broken = OPTIONS.flatMap(([earlier]) => {
    const before = exchanges.get(earlier);
    if (!before || !after) return ['nothing was synthesized'];
    return Object.entries(before.exports).flatMap(([stack, exported]) => {
      const now = after.exports[stack];
      // A stack that the stage no longer has stays as it is.
      if (!now) return [];
      const inUse = Object.entries(exported).filter(([each]) => before.imported.has(each));
      return inUse.flatMap(([each, value]) => (now[each] === value ? [] : [`${earlier}: ${each}`]));
    });
  });
  expect(broken).toEqual([]);
});
