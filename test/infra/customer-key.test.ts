import { expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { EVERY_OPTION, KMS_KEY } from '../fixtures/every-option.ts';
import { mentions, statementsOf, synthesize } from './synthesis.ts';

const stages = synthesize(ruleSetOf(ruleNamed('orders')), [...EVERY_OPTION]);

const ENCRYPTED = [
  ...['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup', 'AWS::SNS::Topic', 'AWS::SecretsManager::Secret'],
  ...['AWS::S3::Bucket', 'AWS::Athena::WorkGroup'],
];

test.each(stages)('the key of the customer encrypts what $stage.name keeps', ({ resources, stage }) => {
  const plain = resources
    .filter(({ Type }) => ENCRYPTED.includes(Type))
    .filter(({ Properties }) => !mentions(Properties, KMS_KEY))
    .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
  // S3 delivers access logs only to a bucket without KMS, and Athena itself keeps the results over tables.
  const without = { own: ['AccessLogs'], tables: ['EngineWorkgroup'], external: [] };
  expect(plain).toEqual(stage.name === 'postgres' ? [] : without[stage.dataAccess.kind]);
});

test.each(stages)('in $stage.name, the functions with the table may use its key', ({ resources, stage }) => {
  const policies = resources.filter(({ Type }) => Type === 'AWS::IAM::Policy');
  const using = (has: (action: string, resource: unknown) => boolean) =>
    policies
      .filter((policy) =>
        statementsOf([policy]).some(({ Action, Resource }) => Action.some((each) => has(each, Resource))),
      )
      .map(({ id }) => id.replace(/Role.*/, ''));
  const readers = using((action) => action === 'dynamodb:GetItem');
  expect(readers.length).toBeGreaterThan(4);
  for (const use of ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'])
    expect(using((action, resource) => action === use && mentions(resource, KMS_KEY)).toSorted()).toEqual(
      // The objects of the tables, or the secret of their server, have the same key here.
      [
        ...readers,
        ...(use === 'kms:Decrypt' && stage.dataAccess.kind === 'tables' ? ['figuresforrules'] : []),
      ].toSorted(),
    );
});
