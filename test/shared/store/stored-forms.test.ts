import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { syncRules } from '../../../functions/sync-rules/sync-rules.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { deploymentStoreIn } from '../../../shared/store/deployment-store.ts';
import type { DynamoDbTable } from '../../../shared/store/dynamodb-table.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import type { Item } from '../../../shared/store/table.ts';
import { usedLinksIn } from '../../../shared/store/used-links.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { createWorld } from '../../functions/world.ts';

const FIXTURES = new URL('../../fixtures/stored-forms/', import.meta.url);

/**
 * What this version stores, an item a line. If what is stored changes, name a new file here, and run this test with `-u`,
 * which writes it. Raise the form of the table if an earlier version must refuse it as a whole.
 */
const NEWEST = 'form-2-without-exact-p.jsonl';

const readForms = readdirSync(FIXTURES).toSorted();

/** Some items of a table that an earlier version wrote. */
const FORM_1: Item[] = [
  { pk: 'RULES', sk: 'CURRENT', form: 1, version: 'v1', sinceAt: null, by: null },
  { pk: 'ALERT#sales', sk: 'RULE', ruleId: 'sales', ruleHash: 'a.b', state: 'normal', revision: 3 },
];

const falls = { fire: { change: { below: '-50%' } } };
const sales = ruleNamed('sales', falls);
const orders = ruleNamed('orders', { ...falls, group_by: 'device_country' });

/** The last run of each fixture: twelve days after the first, and two after both rules fired. */
const STORED_AT = MONDAY + 13 * DAY_MS + 3_600_000;

const table = onEmptyTable();

function logging() {
  const logged: string[] = [];
  const log = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  return { logged, logger: { info: () => {}, warn: log, error: log } };
}

async function onTableOf(items: Item[]) {
  await table().putAll(items);
  const { logged, logger } = logging();
  return { items, logged, stores: storesIn(table(), logger) };
}

describe.each(readForms)('%s', (name) => {
  it('has an item of every kind, and all are read', async () => {
    const { stores, logged } = await onTableOf(fixture(name));
    const { rules, alerts, readings, runs, silences, notes, deliveries, testNotifications } = stores;
    expect(await rules.loadCurrent()).toMatchObject({
      version: 'v1',
      rules: [{ id: 'sales' }, { id: 'orders', group_by: 'device_country' }],
      routes: { channels: { team: {} } },
    });
    expect(await alerts.load([{ ruleId: 'sales', segment: null }])).toMatchObject([
      { state: 'firing', last: { verdict: 'breached' }, pending: {} },
    ]);
    expect((await alerts.loadOfRule('orders')).map(({ segment }) => segment)).toEqual([null, 'Malta']);
    const waiting = (await alerts.loadPending(STORED_AT)).map(({ ruleId }) => ruleId);
    expect(waiting.toSorted()).toEqual(['orders', 'sales']);
    expect((await alerts.loadOpen()).map(({ ruleId }) => ruleId).toSorted()).toEqual(['orders', 'sales']);
    const [family = ''] = fixture(name).flatMap(({ pk }) => String(pk).split('SNAPSHOTS#')[1] ?? []);
    const snapshots = await readings.load(family, { fromEndAt: 0, throughEndAt: STORED_AT });
    expect(snapshots).toMatchObject([{ family, rows: [{ eventName: 'purchase' }] }]);
    const [{ tick = '' } = {}] = await runs.loadLastTicks();
    expect(tick).toMatch(/@2026-03-15T01:00:00.000Z$/);
    expect(await runs.isTickComplete(tick.replace('03-15', '03-10'))).toBe(true);
    expect(await runs.loadNewestEventAt('demo')).toBe(STORED_AT);
    expect(await notes.load({ fromAt: STORED_AT, throughAt: STORED_AT })).toEqual([NOTE]);
    expect(await runs.loadVersions('demo')).toEqual(VERSIONS);
    expect(await silences.loadAll()).toMatchObject([{ match: { rule: ['sales', 'orders'] } }]);
    expect(await deliveries.loadLast(9)).toMatchObject([{ channel: 'team', outcome: { kind: 'sent' } }]);
    expect(await testNotifications.load('test-1')).toMatchObject({ channels: ['team'] });
    expect(await usedLinksIn(table()).find('link-1')).toMatchObject({ by: 'ada' });
    expect(await deploymentStoreIn(table()).load()).toMatchObject({ ruleFormat: 1 });
    expect(logged).toEqual([]);
  });

  it('goes on: sends what is pending, and resolves the alerts', async () => {
    const { stores, logged } = await onTableOf(fixture(name));
    await stores.silences.save({ ...SILENCE, untilAt: STORED_AT });
    const world = createWorld({ rules: [sales, orders], figure: () => 1000, segments: ['Malta'], stores });
    await world.ticks(13, 15);
    const [sent, ended] = [world.notified().slice(0, 2), world.notified().slice(2)];
    expect(sent.toSorted()).toEqual(['fired orders [Malta]', 'fired sales']);
    expect(ended.toSorted()).toEqual(['recovered orders [Malta]', 'recovered sales']);
    expect(logged).toEqual([]);
  });
});

describe('a table of form 1', () => {
  const sentence =
    'the table deltawatch has items of form 1, and this version of Deltawatch reads form 2: delete it, on this machine with ticks.json beside it, and start again';

  it('is refused with what to do, by runs and by a deployment, which change nothing', async () => {
    const { items, stores } = await onTableOf(FORM_1);
    const clock = new ManualClock(STORED_AT);
    const { logger } = logging();
    const world = createWorld({ rules: [sales, orders], figure: () => 1000, stores });
    await expect(world.tick(13)).rejects.toThrow(sentence);
    await expect(stores.rules.loadCurrent()).rejects.toThrow(sentence);
    const ruleSet = { ...ruleSetOf(sales), version: 'v2' };
    await expect(syncRules(ruleSet, { ...stores, clock, logger })).rejects.toThrow(sentence);
    expect(new Set(await scan(table()))).toEqual(new Set(items));
  });
});

it('has a fixture of what this version stores', async () => {
  const stores = storesIn(table(), logging().logger);
  const stored = await storeSamples(stores);
  const isKnown = readForms.includes(NEWEST) && isDeepEqual(shapesOf(stored), shapesOf(fixture(NEWEST)));
  if (!isKnown) await expect(textOf(stored)).toMatchFileSnapshot(new URL(NEWEST, FIXTURES).pathname);
});

const SILENCE = {
  ...{
    id: 'silence-1',
    match: { rule: ['sales', 'orders'] },
    fromAt: STORED_AT,
    untilAt: STORED_AT + DAY_MS,
  },
  ...{ by: 'ada', at: STORED_AT, reason: 'A release' },
};

const NOTE = {
  id: 'note-1',
  text: 'iOS 7.22 reached 5% of sessions',
  app: 'demo',
  at: STORED_AT,
  by: 'data',
};
const VERSIONS = { askedAt: STORED_AT, known: ['ios, 7.22', 'ios, 7.21'] };

/** Two rules that fire, and what people and deployments store. Alerts are as they were before their messages were sent. */
async function storeSamples(stores: ReturnType<typeof storesIn>): Promise<Item[]> {
  const pending = new Map<string, Item>();
  table().client.middlewareStack.add(
    (next) => async (args) => {
      const { Item: item } = args.input as { Item?: Item };
      if (item?.pendingAt !== undefined) pending.set(keyOf(item), structuredClone(item));
      return next(args);
    },
    { step: 'initialize' },
  );
  const figure = (day: number) => (day < 10 ? 1000 + (day % 3) * 10 : 100);
  const world = createWorld({ rules: [sales, orders], figure, segments: ['Malta'], stores });
  await world.ticks(7, 12);
  table().clock.advanceTo(STORED_AT);
  await stores.silences.save(SILENCE);
  await stores.notes.save(NOTE);
  await stores.runs.saveVersions('demo', VERSIONS, undefined);
  const test = { id: 'test-1', channels: ['team'], by: 'ada', at: STORED_AT, untilAt: STORED_AT + DAY_MS };
  await stores.testNotifications.save({ ...test, takenAt: null, outcomes: [] });
  const said = { by: 'ada', at: STORED_AT, reason: '' };
  await usedLinksIn(table()).save('link-1', said, STORED_AT + DAY_MS);
  await deploymentStoreIn(table()).save({
    ...{ stack: 'alerting', cadences: ['day'], secrets: ['slack'], targets: [], hasButtons: false },
    ruleFormat: 1,
  });
  const version = (await stores.rules.findCurrent())?.version ?? '';
  const replaced = { version: 'v0', by: null };
  const deployment = { functionName: 'sync-rules', functionVersion: 3, ruleVersion: version, replaced };
  const saving = { replacing: version, at: STORED_AT, by: 'ada', deployment };
  await stores.rules.save({ ...ruleSetOf(sales, orders), version }, saving);
  const items = (await scan(table())).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const firsts = new Set<string>();
  return items
    .filter((item) => {
      const [kind = ''] = String(item.pk).split('#');
      const isRepeated = ['SNAPSHOTS', 'TICK', 'DELIVERIES'].includes(kind) && firsts.has(kind);
      firsts.add(kind);
      return !isRepeated;
    })
    .map((item) => named(pending.get(keyOf(item)) ?? item, version));
}

/** The item with "v1" for the hash of the rules. */
function named(item: Item, version: string): Item {
  const text = (value: unknown) => (typeof value === 'string' ? value.replace(version, 'v1') : value);
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, text(value)]));
}

async function scan({ client, name }: DynamoDbTable): Promise<Item[]> {
  return (await client.send(new ScanCommand({ TableName: name }))).Items ?? [];
}

function keyOf({ pk, sk }: Item): string {
  return `${pk} / ${sk}`;
}

function fixture(name: string): Item[] {
  const revived = (_: string, value: { bytes?: string; set?: string[] } | null) => {
    if (typeof value?.bytes === 'string') return new Uint8Array(Buffer.from(value.bytes, 'base64'));
    return Array.isArray(value?.set) ? new Set(value.set) : value;
  };
  const lines = readFileSync(new URL(name, FIXTURES), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line, revived));
}

function textOf(items: Item[]): string {
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
    if (value instanceof Set) return { set: [...value] };
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  };
  return items.map((item) => `${JSON.stringify(plain(item))}\n`).join('');
}

/** The paths of all values of each kind of item, with their types; without the values, which follow the statistics. */
function shapesOf(items: Item[]): Record<string, string[]> {
  const kinds = Map.groupBy(items, ({ pk }) => String(pk).split('#')[0] ?? '');
  return Object.fromEntries(
    [...kinds].map(([kind, same]) => [
      kind,
      [...new Set(same.flatMap((item) => pathsIn(item, '')))].toSorted(),
    ]),
  );
}

function pathsIn(value: unknown, path: string): string[] {
  if (value instanceof Uint8Array) return [...pathsIn(opened(value), path), `${path}: bytes`];
  if (value === null || typeof value !== 'object' || value instanceof Set)
    return [`${path}: ${typeof value}`];
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each, `${path}[]`));
  return Object.entries(value).flatMap(([key, each]) => pathsIn(each, `${path}.${key}`));
}

function opened(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(brotliDecompressSync(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
