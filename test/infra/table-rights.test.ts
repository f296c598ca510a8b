import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { KEY_BYTES, mintKey } from '../../shared/access/api-key.ts';
import { DEFAULT_RATE_LIMIT } from '../../shared/access/app-settings.ts';
import { deploymentFor } from '../../shared/deployments/deployment.ts';
import { newTestNotification } from '../../shared/notifications/test-notification.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { apiKeysIn } from '../../shared/store/api-keys.ts';
import { auditLogIn } from '../../shared/store/audit-log.ts';
import { deliveryLogIn } from '../../shared/store/delivery-log.ts';
import { deploymentStoreIn } from '../../shared/store/deployment-store.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { noteStoreIn } from '../../shared/store/note-store.ts';
import { rateLimiterIn } from '../../shared/store/rate-limiter.ts';
import { readingStoreIn } from '../../shared/store/reading-store.ts';
import { ruleStoreIn } from '../../shared/store/rule-store.ts';
import { runStoreIn } from '../../shared/store/run-store.ts';
import { silenceStoreIn } from '../../shared/store/silence-store.ts';
import type { Table } from '../../shared/store/table.ts';
import { testNotificationsIn } from '../../shared/store/test-notifications.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { aNewAlert, anAuditEntry, aRuleSet, aSnapshot, NOW, SILENT } from '../contracts/samples.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { statementsOf, synthesize } from './synthesis.ts';
import { mayWrite, partitionsIn } from './table-writes.ts';

const TICK = 'daily-at-0700-UTC@2026-03-02T07:00:00.000Z';
const said = { by: 'Anna', at: NOW, reason: '' };
const silence = { ...said, id: 'one', match: { app: 'shop' }, fromAt: NOW, untilAt: NOW + HOUR_MS };
const delivery = { channel: 'team', route: 'default', title: 'Orders down', alerts: 1, keys: [] };
const testNotification = () => newTestNotification({ id: 'one', channels: ['team'], by: 'Anna', at: NOW });
const { key } = mintKey(new Uint8Array(KEY_BYTES), { apps: ['shop'] });

/** Every write of the stores, by the kind of item. */
const WRITES = {
  rules: (table: Table) => ruleStoreIn(table).save(aRuleSet('v1', 1)),
  sourceLinks: (table: Table) => ruleStoreIn(table).saveSourceLinks({}),
  deployment: (table: Table) =>
    deploymentStoreIn(table).save(deploymentFor(aRuleSet('v1', 1), { stack: 'a', hasButtons: false })),
  alert: (table: Table) => alertStoreIn(table).save(aNewAlert({ segment: 'Germany' })),
  snapshot: (table: Table) => readingStoreIn(table).save(aSnapshot()),
  tick: (table: Table) => runStoreIn(table).saveTick({ id: TICK, scheduledAt: NOW, batches: ['shop-0'] }),
  batch: (table: Table) => runStoreIn(table).finishBatch(TICK, 'shop-0'),
  moves: (table: Table) => runStoreIn(table).saveMoves(TICK, 'shop-0', []),
  calls: (table: Table) => runStoreIn(table).takeCalls('shop', NOW, 1, 500),
  freshness: (table: Table) => runStoreIn(table).saveNewestEventAt('shop', NOW),
  versions: (table: Table) => runStoreIn(table).saveVersions('shop', { askedAt: NOW, known: [] }, undefined),
  turn: (table: Table) => runStoreIn(table).takeLock('notify', NOW, NOW + HOUR_MS),
  'end of a turn': (table: Table) => runStoreIn(table).releaseLock('notify', NOW + HOUR_MS),
  silence: (table: Table) => silenceStoreIn(table).save(silence),
  note: (table: Table) =>
    noteStoreIn(table).save({ id: 'one', text: 'release 7.22', app: 'shop', at: NOW, by: 'Anna' }),
  'audit entry': (table: Table) => auditLogIn(table, SILENT).save(anAuditEntry()),
  delivery: (table: Table) => deliveryLogIn(table).save({ ...delivery, at: NOW, outcome: { kind: 'sent' } }),
  'test notification': (table: Table) => testNotificationsIn(table).save(testNotification()),
  'used link': (table: Table) => usedLinksIn(table).save('two', said, NOW + HOUR_MS),
  'use of a key': (table: Table) => apiKeysIn(table).noteUse(key, NOW),
  'count of a limit': (table: Table) =>
    rateLimiterIn(table).admit({ keyId: key.id, appId: 'shop' }, DEFAULT_RATE_LIMIT, NOW),
};
type Kind = keyof typeof WRITES;
const KINDS: Kind[] = Object.keys(WRITES).filter((kind): kind is Kind => kind in WRITES);

/** The writes to DynamoDB for this kind, such as `PutItem ALERT#orders`. */
async function writesOf(kind: Kind): Promise<string[]> {
  const writes: string[] = [];
  await using dynamodb = await listen(({ headers }, body, response) => {
    const [, command] = String(headers['x-amz-target']).split('.');
    writes.push(...partitionsIn(JSON.parse(body)).map((partition) => `${command} ${partition}`));
    response.end(JSON.stringify({ Attributes: { taken: { N: '1' } } }));
  });
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' };
  const client = new DynamoDBClient({ endpoint: dynamodb.url, region: 'eu-central-1', credentials });
  await WRITES[kind](openTable('table', client, new ManualClock(NOW)));
  client.destroy();
  expect(writes, kind).not.toEqual([]);
  return writes;
}

const [staging] = synthesize(ruleSetOf(ruleNamed('orders')));
const NAMES = [...FUNCTIONS, 'figures-for-rules'] as const;
type Name = (typeof NAMES)[number];
const statementsFor = (name: Name) =>
  statementsOf((staging?.resources ?? []).filter(({ id }) => id.startsWith(name.replaceAll('-', ''))));

/** All kinds that each function writes. */
const ROLES: Record<Name, Kind[]> = {
  // A batch is finished in the item of its tick, which plan-checks writes.
  'plan-checks': ['tick', 'batch', 'turn', 'end of a turn'],
  'check-rules': ['alert', 'snapshot', 'batch', 'moves', 'calls', 'freshness', 'versions', 'note'],
  notify: ['alert', 'turn', 'end of a turn', 'delivery', 'test notification'],
  respond: ['alert', 'silence', 'note', 'audit entry', 'used link', 'use of a key', 'count of a limit'],
  'sync-rules': ['rules', 'sourceLinks', 'deployment', 'alert', 'audit entry'],
  'data-access': ['use of a key', 'count of a limit'],
  'figures-for-rules': ['use of a key', 'count of a limit'],
};

describe.each(NAMES)('%s', (name) => {
  test('can write only its own kinds of items', async () => {
    const statements = statementsFor(name);
    const may: Kind[] = [];
    for (const kind of KINDS)
      if ((await writesOf(kind)).every((write) => mayWrite(statements, write))) may.push(kind);
    expect(may).toEqual(KINDS.filter((kind) => ROLES[name].includes(kind)));
  });

  test('limits each right to write to partitions', () => {
    const writing = statementsFor(name).filter(({ Action }) =>
      /dynamodb:.*(Put|Update|Write)/.test(Action.join()),
    );
    expect(writing.length).toBeGreaterThan(0);
    for (const { Condition } of writing)
      expect(Condition).toMatchObject({ Null: { 'dynamodb:LeadingKeys': 'false' } });
  });
});

test.each(['notify', 'respond', 'plan-checks', 'check-rules', 'data-access'] as const)(
  '%s cannot write rules or the deployment',
  async (name) => {
    const statements = statementsFor(name);
    for (const write of [...(await writesOf('rules')), ...(await writesOf('deployment'))])
      expect(mayWrite(statements, write), write).toBe(false);
  },
);
