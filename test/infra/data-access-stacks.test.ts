import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { STAGES, type Stage } from '../../infra/stages.ts';
import { LAYOUT_VERSION, TABLE_NAMES, TABLES } from '../../shared/analytics/tables.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { resourcesOf, statementsOf, synthesize } from './synthesis.ts';

const ruleSet = ruleSetOf(ruleNamed('orders'));
const [staging] = STAGES;
if (staging?.dataAccess.kind !== 'own') throw new Error('staging has no data access service of its own');
const { dataAccess: own } = staging;
const [synthesized, open] = synthesize(ruleSet, [
  staging,
  {
    ...staging,
    name: 'open',
    dataAccess: { ...own, corsOrigins: ['https://a.example', 'https://b.example'] },
  },
]);
const { data, dataAccess, alerting } = synthesized?.stacks ?? {};
if (!data || !dataAccess || !alerting) throw new Error('a stack is missing');

const statements = statementsOf(
  resourcesOf(dataAccess).filter(({ id }) => !id.startsWith('figuresforrules')),
);
/** What is allowed on resources whose ARN holds `part`, and the ARNs. */
function allowedOn(part: string) {
  const found = statements.filter(({ Resource }) => JSON.stringify(Resource).includes(part));
  return found.map(({ Action, Resource }) => ({ actions: Action, on: JSON.stringify(Resource) }));
}

const columnsSchema = z.array(z.object({ Name: z.string(), Type: z.string() }));
const tableSchema = z.object({
  Name: z.string(),
  PartitionKeys: columnsSchema,
  Parameters: z.record(z.string(), z.unknown()),
  StorageDescriptor: z.object({ Columns: columnsSchema }),
});

describe('the data of all apps', () => {
  test('are encrypted, reached by TLS alone, and a replaced day can be had back', () => {
    data.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ NoncurrentVersionExpiration: { NoncurrentDays: 30 }, Prefix: Match.absent() }),
          Match.objectLike({ ExpirationInDays: 1, Prefix: 'results/' }),
        ],
      },
    });
    data.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  test('leave a trace of each access in a bucket apart, as long as the stage keeps logs', () => {
    const buckets = resourcesOf(data).filter(({ Type }) => Type === 'AWS::S3::Bucket');
    const [kept, logs] = ['Bucket', 'AccessLogs'].map((name) =>
      buckets.find(({ id }) => id.slice(0, -8) === name),
    );
    expect(buckets).toHaveLength(2);
    expect(kept?.Properties.LoggingConfiguration).toEqual({
      DestinationBucketName: { Ref: logs?.id },
      LogFilePrefix: 'data/',
      TargetObjectKeyFormat: { PartitionedPrefix: { PartitionDateSource: 'EventTime' } },
    });
    expect(logs?.Properties).toMatchObject({
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: staging.logDays, Status: 'Enabled' }] },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    // With owners enforced there is no list of rights: S3 writes by the policy, and for this bucket alone.
    expect(logs?.Properties.AccessControl).toBeUndefined();
    data.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: { Ref: logs?.id },
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 's3:PutObject',
            Principal: { Service: 'logging.s3.amazonaws.com' },
            Condition: {
              ArnLike: { 'aws:SourceArn': { 'Fn::GetAtt': [kept?.id, 'Arn'] } },
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
            },
          }),
        ]),
      },
    });
  });

  test.each(TABLE_NAMES)('are found as %s by its app and UTC day, column by column', (table) => {
    const found = resourcesOf(data)
      .filter(({ Type }) => Type === 'AWS::Glue::Table')
      .map(({ Properties }) => tableSchema.parse(Properties.TableInput))
      .find(({ Name }) => Name === table);
    expect(found).toMatchObject({
      PartitionKeys: [
        { Name: 'app_id', Type: 'string' },
        { Name: 'day', Type: 'string' },
      ],
      Parameters: {
        'projection.enabled': 'true',
        'projection.app_id.type': 'injected',
        'projection.day.range': `${own.firstDay},NOW+1DAY`,
      },
    });
    const place = JSON.stringify(found?.Parameters['storage.location.template']);
    expect(place).toContain(`/tables/v${LAYOUT_VERSION}/${table}/app_id=\${app_id}/day=\${day}/`);
    const columns = found?.StorageDescriptor.Columns;
    expect(columns?.map(({ Name }) => Name)).toEqual(Object.keys(TABLES[table]));
    expect(
      columns?.filter(({ Name }) => ['recorded_at', 'screens', 'session_number'].includes(Name)),
    ).toEqual([
      { Name: 'recorded_at', Type: 'bigint' },
      { Name: 'session_number', Type: 'int' },
      { Name: 'screens', Type: 'array<string>' },
    ]);
  });
});

describe('the data access service', () => {
  test('asks Athena by settings that no query can change, up to so many bytes', () => {
    dataAccess.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        EnforceWorkGroupConfiguration: true,
        EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
        BytesScannedCutoffPerQuery: own.gigabytesPerQuery * 1e9,
        ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
      },
    });
  });

  test('reads the data, writes answers, and can change neither data, tables nor keys away', () => {
    const objects = allowedOn('/tables/*');
    expect(objects).toMatchObject([{ actions: ['s3:GetObject'] }]);
    const granted = statements.flatMap(({ Action }) => Action);
    expect(granted.filter((action) => action.startsWith('glue:'))).toSatisfy((all: string[]) =>
      all.every((action) => action.startsWith('glue:Get')),
    );
    expect(granted.filter((action) => action.startsWith('dynamodb:'))).toEqual([
      'dynamodb:GetItem',
      'dynamodb:UpdateItem',
    ]);
    expect(granted.filter((action) => /Delete|PutBucket|Create(?!LogStream)/.test(action))).toEqual([]);
    expect(allowedOn('/results/*').flatMap(({ actions }) => actions)).toContain('s3:PutObject');
    for (const { on } of allowedOn('workgroup/'))
      expect(on).toContain(`workgroup/deltawatch-${staging.name}`);
  });

  test('may look up the catalogue that its queries name, and no other', () => {
    expect(allowedOn('datacatalog/')).toEqual([
      { actions: ['athena:GetDataCatalog'], on: expect.stringMatching(/:datacatalog\/AwsDataCatalog"/) },
    ]);
  });

  test('has a second less than its caller waits, so that it says itself when time is up', () => {
    dataAccess.hasResourceProperties('AWS::Lambda::Function', { Timeout: 29 });
  });

  test('lets in no more than its stage says, and logs neither keys nor where they may hide', () => {
    dataAccess.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      DefaultRouteSettings: {
        ThrottlingRateLimit: own.requests.perSecond,
        ThrottlingBurstLimit: own.requests.burst,
      },
      AccessLogSettings: { Format: Match.stringLikeRegexp('requestId') },
    });
    const [stage] = resourcesOf(dataAccess).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
    expect(JSON.stringify(stage?.Properties.AccessLogSettings)).not.toMatch(
      /path|query|header|routeKey|requestOverride/i,
    );
  });

  test.each(['Errors', 'Throttles', 'Duration', '4xx', '5xx'])('has an alarm on %s', (MetricName) => {
    dataAccess.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName });
  });

  test('has an alarm on callers that the address turns away before the function sees them', () => {
    const [filter] = resourcesOf(dataAccess).filter(({ Type }) => Type === 'AWS::Logs::MetricFilter');
    expect(filter?.Properties).toMatchObject({
      FilterPattern: '{ ($.status = "429") && ($.integrationStatus != "200") }',
      MetricTransformations: [{ MetricName: 'TurnedAway-deltawatch-staging', MetricValue: '1' }],
    });
    dataAccess.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'TurnedAway-deltawatch-staging',
      Namespace: 'Deltawatch/staging',
      TreatMissingData: 'notBreaching',
    });
    const [stage] = resourcesOf(dataAccess).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
    const format = JSON.stringify(stage?.Properties.AccessLogSettings);
    for (const field of ['status', 'integrationStatus']) expect(format).toContain(`$context.${field}`);
  });

  test('has an alarm on what Athena has read in an hour, of all queries together', () => {
    dataAccess.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/Athena',
      MetricName: 'ProcessedBytes',
      Dimensions: [{ Name: 'WorkGroup', Value: `deltawatch-${staging.name}` }],
      Statistic: 'Sum',
      Period: 3600,
      Threshold: own.gigabytesPerHour * 1e9,
    });
  });

  test('lets pages read whose origins the stage names', () => {
    const originsIn = (template: typeof dataAccess | undefined) =>
      JSON.stringify(template?.toJSON()).match(/"CORS_ORIGINS":"[^"]*"/g);
    expect(originsIn(dataAccess)).toBeNull();
    expect(originsIn(open?.stacks.dataAccess)).toEqual([
      '"CORS_ORIGINS":"https://a.example https://b.example"',
    ]);
  });
});

describe('where rules get their figures', () => {
  const urlIn = (stage: Stage) => {
    const [{ stacks } = {}] = synthesize(ruleSet, [stage]);
    const functions = Object.values(stacks?.alerting.findResources('AWS::Lambda::Function') ?? {});
    const environments = functions.map(({ Properties }) => Properties.Environment?.Variables ?? {});
    const asking = environments.find((each) => each.API_KEY_SECRET !== undefined);
    return { stacks, asking, url: asking?.DATA_ACCESS_URL, comparesUsers: asking?.COMPARES_USERS };
  };

  test('is a function of the service of the stage, where it has one, which compares users', () => {
    const { asking, comparesUsers, url } = urlIn(staging);
    expect(JSON.stringify(asking?.DATA_ACCESS_FUNCTION)).toMatch(/figuresforrules.*Arn/);
    expect(url).toBeUndefined();
    expect(comparesUsers).toBe('true');
  });

  test('is a function that no address leads to, and that check-rules alone may call', () => {
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

  test('may do what the public function may, by the same code', () => {
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

  test('leaves the address where alerting of before imports it', () => {
    const exports = dataAccess.findOutputs('*', { Export: Match.anyValue() });
    expect(Object.keys(exports)).toContainEqual(expect.stringMatching(/^ExportsOutput.*ApiEndpoint/));
  });

  test.each([
    [undefined, 'false'],
    [true, 'true'],
  ])('is elsewhere, where users are compared if the stage says so: %s', (comparesUsers, notified) => {
    const url = 'https://data-access.example.com';
    const dataAccess = { kind: 'elsewhere', url, ...(comparesUsers && { comparesUsers }) } as const;
    expect(urlIn({ ...staging, dataAccess }).comparesUsers).toBe(notified);
  });

  test('is elsewhere, where it has none', () => {
    const url = 'https://data-access.example.com';
    const found = urlIn({ ...staging, dataAccess: { kind: 'elsewhere', url } });
    expect(found.url).toBe(url);
    expect(Object.keys(found.stacks ?? {})).toEqual(['state', 'respond', 'alerting']);
  });
});
