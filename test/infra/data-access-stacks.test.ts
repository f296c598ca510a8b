import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../shared/config/stage.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { resourcesOf, statementsOf, synthesize } from './synthesis.ts';

const ruleSet = ruleSetOf(ruleNamed('orders'));
const [staging] = STAGES;
if (staging?.dataAccess.kind !== 'own') throw new Error('staging has no data access service of its own');
const { dataAccess: own } = staging;
const limits = { gigabytesPerQuery: 5, gigabytesPerHour: 50 };
const [synthesized, open, onAthena] = synthesize(ruleSet, [
  staging,
  {
    ...staging,
    name: 'open',
    dataAccess: { ...own, corsOrigins: ['https://a.example', 'https://b.example'] },
  },
  { ...staging, name: 'large', dataAccess: { ...own, engine: 'athena', ...limits } },
]);
const { data, dataAccess, alerting } = synthesized?.stacks ?? {};
const { dataAccess: athena } = onAthena?.stacks ?? {};
if (!data || !dataAccess || !alerting || !athena) throw new Error('a stack is missing');

/** The permissions of the public function. */
const statementsIn = (template: Template) =>
  statementsOf(resourcesOf(template).filter(({ id }) => !id.startsWith('figuresforrules')));
/** The actions allowed on resources whose ARN contains `part`, and the ARNs. */
function allowedOn(part: string, template: Template) {
  const found = statementsIn(template).filter(({ Resource }) => JSON.stringify(Resource).includes(part));
  return found.map(({ Action, Resource }) => ({ actions: Action, on: JSON.stringify(Resource) }));
}

describe('the data access service', () => {
  test('can read and list the published files, but not change or delete them', () => {
    const granted = statementsIn(dataAccess).flatMap(({ Action }) => Action);
    expect(granted.filter((action) => action.startsWith('s3:'))).toEqual(['s3:GetObject', 's3:ListBucket']);
    expect(allowedOn('/tables/*', dataAccess)).toMatchObject([{ actions: ['s3:GetObject'] }]);
    const listing = statementsIn(dataAccess).find(({ Action }) => Action.includes('s3:ListBucket'));
    expect(listing?.Condition).toEqual({ StringLike: { 's3:prefix': ['tables/*'] } });
    expect(granted.filter((action) => action.startsWith('dynamodb:'))).toEqual([
      'dynamodb:GetItem',
      'dynamodb:UpdateItem',
    ]);
  });

  test('logs no keys, paths or headers', () => {
    const [stage] = resourcesOf(dataAccess).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
    expect(JSON.stringify(stage?.Properties.AccessLogSettings)).not.toMatch(
      /path|query|header|routeKey|requestOverride/i,
    );
  });

  test('passes the CORS origins of the stage to the function', () => {
    const originsIn = (template: Template | undefined) =>
      JSON.stringify(template?.toJSON()).match(/"CORS_ORIGINS":"[^"]*"/g);
    expect(originsIn(dataAccess)).toBeNull();
    expect(originsIn(open?.stacks.dataAccess)).toEqual([
      '"CORS_ORIGINS":"https://a.example https://b.example"',
    ]);
  });
});

describe('the data access service on Athena', () => {
  test('enforces the workgroup settings of Athena, with a limit of bytes per query', () => {
    athena.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        EnforceWorkGroupConfiguration: true,
        EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
        BytesScannedCutoffPerQuery: 5e9,
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
      },
    });
  });

  test('can read the data and write results, but change or delete nothing else', () => {
    expect(allowedOn('/tables/*', athena)).toMatchObject([{ actions: ['s3:GetObject'] }]);
    const granted = statementsIn(athena).flatMap(({ Action }) => Action);
    expect(granted.filter((action) => action.startsWith('glue:'))).toSatisfy((all: string[]) =>
      all.every((action) => /^glue:(Batch)?Get/.test(action)),
    );
    expect(granted.filter((action) => /Delete|PutBucket|Create(?!LogStream)/.test(action))).toEqual([]);
    expect(allowedOn('/results/*', athena).flatMap(({ actions }) => actions)).toContain('s3:PutObject');
    for (const { on } of allowedOn('workgroup/', athena)) expect(on).toContain('workgroup/deltawatch-large');
  });

  test('can read only the data catalogue of its queries', () => {
    expect(allowedOn('datacatalog/', athena)).toEqual([
      { actions: ['athena:GetDataCatalog'], on: expect.stringMatching(/:datacatalog\/AwsDataCatalog"/) },
    ]);
  });
});

describe('the data source of rules', () => {
  const urlIn = (stage: Stage) => {
    const [{ stacks } = {}] = synthesize(ruleSet, [stage]);
    const functions = Object.values(stacks?.alerting.findResources('AWS::Lambda::Function') ?? {});
    const environments = functions.map(({ Properties }) => Properties.Environment?.Variables ?? {});
    const asking = environments.find((each) => each.API_KEY_SECRET !== undefined);
    return { stacks, asking, url: asking?.DATA_ACCESS_URL, comparesUsers: asking?.COMPARES_USERS };
  };

  test('is a function of the own service of the stage, and compares users', () => {
    const { asking, comparesUsers, url } = urlIn(staging);
    expect(JSON.stringify(asking?.DATA_ACCESS_FUNCTION)).toMatch(/figuresforrules.*Arn/);
    expect(url).toBeUndefined();
    expect(comparesUsers).toBe('true');
  });

  test('is a function without a URL that only check-rules can call', () => {
    const resources = [staging, { ...staging, name: 'open' }].flatMap(
      (stage) => synthesize(ruleSet, [stage])[0]?.resources ?? [],
    );
    const callable = resources.filter(
      ({ Type, Properties }) =>
        ['AWS::Lambda::Permission', 'AWS::Lambda::Url', 'AWS::ApiGatewayV2::Integration'].includes(Type) &&
        JSON.stringify(Properties).includes('figuresforrules'),
    );
    expect(callable).toEqual([]);
    const callers = resources.filter((resource) =>
      statementsOf([resource]).some(
        ({ Action, Resource }) =>
          Action.includes('lambda:InvokeFunction') && JSON.stringify(Resource).includes('figuresforrules'),
      ),
    );
    expect(new Set(callers.map(({ id }) => id.replace(/Role.*/, '')))).toEqual(new Set(['checkrules']));
  });

  test('has the same code and rights as the public function', () => {
    const own = resourcesOf(dataAccess);
    const find = (type: string, name: string) =>
      own.filter(({ Type, id }) => Type === type && id.startsWith(name));
    const [shown, forRules] = ['dataaccess', 'figuresforrules'].map((name) => ({
      code: find('AWS::Lambda::Function', name).map(({ Properties }) => Properties.Code),
      rights: statementsOf(find('AWS::IAM::Policy', name)).filter(
        ({ Action }) => !Action.includes('logs:PutLogEvents'),
      ),
    }));
    expect(forRules?.code).toHaveLength(1);
    expect(forRules).toEqual(shown);
  });

  test.each([
    [false, 'false'],
    [true, 'true'],
  ])('of an external service compares users if the stage says so: %s', (comparesUsers, expected) => {
    const url = 'https://data-access.example.com';
    const dataAccess = { kind: 'external', url, comparesUsers } as const;
    expect(urlIn({ ...staging, dataAccess }).comparesUsers).toBe(expected);
  });

  test('is the URL of the stage if it has no own service', () => {
    const url = 'https://data-access.example.com';
    const found = urlIn({ ...staging, dataAccess: { kind: 'external', url, comparesUsers: false } });
    expect(found.url).toBe(url);
    expect(Object.keys(found.stacks ?? {})).toEqual(['state', 'respond', 'alerting']);
  });
});
