import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { dynamodbAlertStore } from '../../shared/adapters/dynamodb-alert-store.ts';
import { dynamodbReadingStore } from '../../shared/adapters/dynamodb-reading-store.ts';
import { dynamodbRuleStore } from '../../shared/adapters/dynamodb-rule-store.ts';
import { dynamodbRunStore } from '../../shared/adapters/dynamodb-run-store.ts';
import { TRANSITIONS } from '../../shared/alerting/alert.ts';
import { onEmptyTable } from '../contracts/both-stores.ts';
import { aNewAlert, aRuleSet, aSheet, NOW } from '../contracts/samples.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { synthesize } from '../infra/synthesis.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

const runbook = documentAt('docs/runbook.md');

test('has every alarm of a stage', () => {
  const [stage] = synthesize(ruleSetOf(ruleNamed('orders')));
  const alarms = (stage?.resources ?? [])
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
  expect(
    tableIn(runbook, 'alarm')
      .flatMap(([name = '']) => codeIn(name))
      .sort(),
  ).toEqual(alarms.sort());
});

test('says of every message what it asks for', () => {
  const named = tableIn(runbook, 'message').map(([message = '']) => codeIn(message).join());
  expect(named).toEqual(TRANSITIONS);
});

const table = onEmptyTable();

test('has every kind of item in the table, and no other', async () => {
  await dynamodbRuleStore(table()).save(aRuleSet('v1', 1));
  await dynamodbAlertStore(table()).save(aNewAlert());
  await dynamodbAlertStore(table()).save(aNewAlert({ segment: 'Germany' }));
  await dynamodbReadingStore(table()).save(aSheet());
  const runs = dynamodbRunStore(table());
  await runs.finishPiece('daily-at-0700-UTC@2026-03-02T07:00:00.000Z', 'shop-0');
  await runs.takeCalls('shop', NOW, 1, 500);
  await runs.saveNewestEventAt('shop', NOW);

  const stored: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: table().client }, { TableName: table().name }))
    stored.push(...Items.map(({ pk, sk }) => `${pk} ${sk}`));
  const kinds = tableIn(runbook, '`pk`').map(([pk = '', sk = '']) => codeIn(`${pk}${sk}`).join(' '));
  const kindOf = (item: string) => kinds.filter((kind) => patternOf(kind).test(item)).join();
  expect(stored.map(kindOf).sort()).toEqual(kinds.sort());
});

/** `RULES#<version>` stands for any version. */
function patternOf(kind: string): RegExp {
  return new RegExp(`^${kind.replaceAll(/<[^>]+>/g, '[^ #]+')}$`);
}
