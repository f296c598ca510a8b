import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { deploymentFor } from '../../shared/deployments/deployment.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { auditLogIn } from '../../shared/store/audit-log.ts';
import { deliveryLogIn } from '../../shared/store/delivery-log.ts';
import { deploymentStoreIn } from '../../shared/store/deployment-store.ts';
import { noteStoreIn } from '../../shared/store/note-store.ts';
import { readingStoreIn } from '../../shared/store/reading-store.ts';
import { ruleStoreIn } from '../../shared/store/rule-store.ts';
import { runStoreIn } from '../../shared/store/run-store.ts';
import { silenceStoreIn } from '../../shared/store/silence-store.ts';
import { PENDING_SHARDS, TABLE } from '../../shared/store/table-schema.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { onEmptyTable } from '../contracts/both-stores.ts';
import { aNewAlert, anAuditEntry, aRuleSet, aSnapshot, NOW, SILENT } from '../contracts/samples.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { synthesize } from '../infra/synthesis.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const runbook = documentAt('docs/how-to/runbook.md');

test('runbook.md lists every alarm of a stage', () => {
  const stages = STAGES.slice(0, 1).map((each) => {
    if (each.dataAccess.kind !== 'own') throw new Error('the stage has no data access service of its own');
    // It has the alarms of the other engine, and one more.
    return { ...each, dataAccess: { ...each.dataAccess, engine: 'athena' as const } };
  });
  const [stage] = synthesize(ruleSetOf(ruleNamed('orders')), stages);
  const alarms = (stage?.resources ?? [])
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
  expect(
    tableIn(runbook, 'alarm')
      .flatMap(([name = '']) => codeIn(name))
      .sort(),
  ).toEqual(alarms.sort());
});

test('runbook.md lists pending notifications by the index of the table', () => {
  const { name, partitionKey, sortKey } = TABLE.pendingIndex;
  const query = blocksIn('sh', [runbook]).find(({ text }) => text.includes('--index-name'))?.text;
  expect(query).toContain(`for shard in ${PENDING_SHARDS.join(' ')};`);
  expect(query).toContain(`--index-name ${name} `);
  expect(query).toContain(`'${partitionKey.name} = :s'`);
  expect(query).toContain(`${sortKey.name}.N]`);
});

const table = onEmptyTable();

test('runbook.md lists exactly the kinds of items in the table', async () => {
  await ruleStoreIn(table()).save(aRuleSet('v1', 1));
  const about = { stack: 'deltawatch-staging-alerting', hasButtons: false };
  await deploymentStoreIn(table()).save(deploymentFor(aRuleSet('v1', 1), about));
  await ruleStoreIn(table()).saveSourceLinks({});
  await alertStoreIn(table()).save(aNewAlert());
  await alertStoreIn(table()).save(aNewAlert({ segment: 'Germany' }));
  await readingStoreIn(table()).save(aSnapshot());
  const runs = runStoreIn(table());
  const id = 'daily-at-0700-UTC@2026-03-02T07:00:00.000Z';
  await runs.saveTick({ id, scheduledAt: NOW, batches: ['shop-0'] });
  await runs.finishBatch(id, 'shop-0');
  await runs.saveMoves(id, 'shop-0', []);
  await runs.takeCalls('shop', NOW, 1, 500);
  await runs.saveNewestEventAt('shop', NOW);
  await runs.saveVersions('shop', { askedAt: NOW, known: ['ios, 7.22'] }, undefined);
  await runs.takeLock('notify', NOW, NOW + HOUR_MS);
  const said = { by: 'Anna', at: NOW, reason: '' };
  const silence = { ...said, id: 'one', match: { app: 'shop' }, fromAt: NOW, untilAt: NOW + HOUR_MS };
  await silenceStoreIn(table()).save(silence);
  await noteStoreIn(table()).save({ id: 'one', text: 'release', app: null, at: NOW, by: 'Anna' });
  const delivery = { channel: 'team', route: 'default', title: 'Orders down', alerts: 1, keys: [] };
  await deliveryLogIn(table()).save({ ...delivery, at: NOW, outcome: { kind: 'sent' } });
  await auditLogIn(table(), SILENT).save(anAuditEntry());
  await usedLinksIn(table()).save('two', said, NOW + HOUR_MS);

  const stored = new Set<string>();
  for await (const { Items = [] } of paginateScan({ client: table().client }, { TableName: table().name }))
    for (const { pk, sk } of Items) stored.add(`${pk} ${sk}`.replace(/^RULES#LINKS#\d+/, 'RULES#LINKS#0'));
  const kinds = tableIn(runbook, '`pk`').map(([pk = '', sk = '']) => codeIn(`${pk}${sk}`).join(' '));
  const kindOf = (item: string) => kinds.filter((kind) => patternOf(kind).test(item)).join();
  expect([...stored].map(kindOf).sort()).toEqual(kinds.sort());
});

/** `RULES#<version>` stands for any version. */
function patternOf(kind: string): RegExp {
  return new RegExp(`^${kind.replaceAll(/<[^>]+>/g, '[^ #]+')}$`);
}
