import { describe, expect, test } from 'vitest';
import { buildRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { apiKeysIn } from '../../../shared/store/api-keys.ts';
import { deliveryLogIn } from '../../../shared/store/delivery-log.ts';
import { readingStoreIn } from '../../../shared/store/reading-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { runStoreIn } from '../../../shared/store/run-store.ts';
import { silenceStoreIn } from '../../../shared/store/silence-store.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { brokenBy, itemsOf, watched } from '../../contracts/broken-items.ts';
import { aFiringAlert, aRuleSet, aSnapshot, NOW } from '../../contracts/samples.ts';
import { changeStoredRules } from '../../fixtures/stored-rules.ts';

const table = onEmptyTable();

interface Listed {
  store: string;
  /** Saves an item to break, and then one that stays intact. */
  save: (table: Table) => Promise<void>;
  pk: string;
  /** Finds the item to break. */
  isBad: (item: Item) => boolean;
  /** The sort key of another item of this kind. */
  skOf: (i: number) => string;
  /** Each function that lists these items. */
  reads: Record<string, (table: Table) => Promise<unknown[]>>;
  /** Paths of unions. An item with an unknown member is unreadable. */
  unions: string[];
}

const byAnna = { by: 'Anna', at: NOW, reason: 'a sale' };
const aDelivery = { at: NOW, channel: 'team', route: 'default', title: 'Orders', alerts: 1, keys: ['one'] };
const failed = { kind: 'failed', reason: 'down', permanent: true } as const;

const LISTED: Listed[] = [
  {
    store: 'alerts',
    async save(opened) {
      const store = alertStoreIn(opened);
      await store.save(
        aFiringAlert({
          health: {
            kind: 'inconclusive',
            since: 1,
            through: 2,
            reason: { code: 'app-sent-nothing' },
            notified: true,
            wants: 'data',
          },
          answers: [{ answer: 'acknowledge', ...byAnna, firedWindowEndAt: NOW, link: null }],
        }),
      );
      await store.save(aFiringAlert({ segment: 'whole' }));
    },
    pk: 'ALERT#checkout-errors',
    isBad: ({ sk }) => sk !== 'SEGMENT#whole',
    skOf: (i) => `SEGMENT#bad-${i}`,
    reads: {
      loadOfRule: (opened) => alertStoreIn(opened).loadOfRule('checkout-errors'),
      loadPending: (opened) => alertStoreIn(opened).loadPending(Number.MAX_SAFE_INTEGER),
      loadOpen: (opened) => alertStoreIn(opened).loadOpen(),
      loadIncidents: (opened) => alertStoreIn(opened).loadIncidents(),
    },
    unions: [
      ...['open.state', 'open.health.kind', 'past.state', 'alert.state', 'alert.health.wants'],
      ...[
        'alert.recent.0.verdict',
        'alert.fired.direction',
        'alert.fired.baseline.origin.of',
        'alert.last.verdict',
      ],
      ...['alert.last.gates.0.gate', 'alert.answers.0.answer', 'alert.sent.0.transition'],
    ],
  },
  {
    store: 'silences',
    async save(opened) {
      const silence = { ...byAnna, fromAt: NOW, untilAt: NOW + HOUR_MS };
      const store = silenceStoreIn(opened);
      await store.save({ ...silence, id: 'bad', match: { app: ['shop', 'demo'], segment: { is: 'a*' } } });
      await store.save({ ...silence, id: 'whole', match: { app: 'shop' } });
    },
    pk: 'SILENCES',
    isBad: ({ id }) => id === 'bad',
    skOf: (i) => `SILENCE#bad-${i}`,
    reads: { loadAll: (opened) => silenceStoreIn(opened).loadAll() },
    unions: [],
  },
  {
    store: 'readings',
    async save(opened) {
      const store = readingStoreIn(opened);
      await store.save(aSnapshot({ isAlone: true, keys: ['bad'], eventNames: ['open', 'view', 'buy'] }));
      await store.save(aSnapshot({ isAlone: true, keys: ['whole'], eventNames: ['open', 'view', 'buy'] }));
    },
    pk: 'SNAPSHOTS#00112233aabbccdd',
    isBad: ({ sk }) => sk !== wholeSnapshot,
    skOf: (i) => `${new Date(aSnapshot().window.endAt).toISOString()}#${i}`,
    reads: {
      load: (opened) => readingStoreIn(opened).load(aSnapshot().family, { fromEndAt: 0, throughEndAt: NOW }),
      'load of some events': (opened) =>
        readingStoreIn(opened).load(aSnapshot().family, { fromEndAt: 0, throughEndAt: NOW }, ['buy']),
    },
    unions: ['body.isAlone'],
  },
  {
    store: 'last ticks',
    async save(opened) {
      const store = runStoreIn(opened);
      await store.saveTick({ id: `bad@${new Date(NOW).toISOString()}`, scheduledAt: NOW, batches: [] });
      await store.saveTick({ id: `whole@${new Date(NOW).toISOString()}`, scheduledAt: NOW, batches: [] });
    },
    pk: 'LAST-TICKS',
    isBad: ({ cadence }) => cadence === 'bad',
    skOf: (i) => `bad-${i}`,
    reads: { loadLastTicks: (opened) => runStoreIn(opened).loadLastTicks() },
    unions: [],
  },
  {
    store: 'moves',
    async save(opened) {
      const window = { startAt: NOW - HOUR_MS, endAt: NOW };
      const figures = { value: 1, baseline: 2, change: -0.5, band: { expected: 2, low: 1.5, high: null } };
      const move = { ruleId: 'orders', segment: null, window, ...figures };
      for (const id of ['bad', 'whole']) await runStoreIn(opened).saveMoves('daily@x', id, [move]);
    },
    pk: 'MOVES#daily@x',
    isBad: ({ sk }) => sk !== 'whole',
    skOf: (i) => `bad-${i}`,
    reads: { loadMoves: (opened) => runStoreIn(opened).loadMoves('daily@x') },
    unions: [],
  },
  {
    store: 'deliveries',
    async save(opened) {
      const store = deliveryLogIn(opened);
      await store.save({ ...aDelivery, channel: 'bad', outcome: failed });
      await store.save({ ...aDelivery, channel: 'whole', outcome: failed });
    },
    pk: 'DELIVERIES#2026-03',
    isBad: ({ channel }) => channel === 'bad',
    skOf: (i) => `2026-03-02T12:10:00.000Z#${i}`,
    reads: { loadLast: (opened) => deliveryLogIn(opened).loadLast(1000) },
    unions: ['outcome.kind'],
  },
  {
    store: 'keys',
    async save(opened) {
      const key = { name: 'a key', apps: ['shop'], createdAt: NOW, expiresAt: NOW + HOUR_MS };
      const store = apiKeysIn(opened);
      await store.create({ ...key, id: 'bad', sha256: 'bad', lastUsedAt: NOW });
      await store.create({ ...key, id: 'whole', sha256: 'whole' });
    },
    pk: 'KEYS',
    isBad: ({ sk }) => sk === 'bad',
    skOf: (i) => `bad-${i}`,
    reads: { list: (opened) => apiKeysIn(opened).list() },
    unions: [],
  },
];

/** The sort key of the second snapshot. */
let wholeSnapshot: unknown;

describe.each(LISTED)('a store of $store', ({ store, save, pk, isBad, skOf, reads, unions }) => {
  test('lists readable items, and skips, counts and logs the others', async () => {
    await save(table());
    const items = await itemsOf(table(), pk);
    if (store === 'readings') wholeSnapshot = items[1]?.sk;
    const bad = items.find(isBad);
    if (!bad) throw new Error('nothing to break');
    const broken = brokenBy(bad);
    const further = broken.map(({ item }, i) => ({ ...item, pk, sk: skOf(i) }));
    await table().putAll(further);
    const missed = new Set(unions);
    for (const [name, read] of Object.entries(reads)) {
      const { opened, counted, logged } = watched(table());
      // All items that are intact or still readable.
      expect((await read(opened)).length, name).toBe(items.length + further.length - counted.length);
      expect(counted.length, name).toBeGreaterThan(0);
      expect(new Set(counted)).toEqual(new Set(['ItemsUnreadable']));
      expect(logged).toHaveLength(counted.length);
      const log = logged.join('\n');
      for (const [i, { what }] of broken.entries())
        if (log.includes(`"item":"${pk} / ${skOf(i)}"`))
          missed.delete(what.replace(': of a later version', ''));
      await expect(read(table()), name).rejects.toThrow('has an unexpected form: ');
    }
    // Each union rejects an unknown member.
    expect([...missed]).toEqual([]);
  });
});

const RULE_UNIONS = [
  ...['metric', 'severity', 'group_by', 'compare.to', 'every', 'fire_after', 'filters.0.operator'],
];

test('loadCurrent skips and reports unreadable rules of other versions and composite rules over them', async () => {
  const { routes, rules: whole } = aRuleSet('v1', 1);
  const broken = brokenBy({ rule: whole[0] }).filter(({ what }) => !/^rule(\.id|\.cadence)?:/.test(what));
  const idOf = (what: string) => `bad-${broken.findIndex((each) => each.what === what)}`;
  const further = broken.flatMap(({ what }) => whole.map((rule) => ({ ...rule, id: idOf(what) })));
  const over = buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'over', title: 'Both', app: 'shop', owner: 'shop', every: 'day at 01:00' },
      all_of: ['rule-0', idOf('rule.metric: of a later version')],
    }),
  );
  const rules = [...whole, over, ...further];
  await ruleStoreIn(table()).save({ version: 'v1', routes, rules });
  const changes = broken.map(({ what, item }) => [
    idOf(what),
    Object.assign({}, item.rule, { id: idOf(what) }),
  ]);
  await changeStoredRules(table(), 'v1', Object.fromEntries(changes));

  const { opened, counted, logged } = watched(table());
  const store = ruleStoreIn(opened);
  for (const _ of ['read', 'remembered']) {
    logged.length = 0;
    const current = await store.loadCurrent();
    const unreadable = current?.unreadable ?? [];
    expect(current?.rules[0]).toEqual(rules[0]);
    // The composite rule itself is readable but lacks a member.
    expect(current?.rules.map(({ id }) => id)).not.toContain('over');
    expect(unreadable).toContain('over');
    expect(logged.length).toBe(unreadable.length - 1);
    expect((current?.rules.length ?? 0) + unreadable.length).toBe(rules.length);
    for (const union of RULE_UNIONS) expect(unreadable).toContain(idOf(`rule.${union}: of a later version`));
  }
  expect(new Set(counted)).toEqual(new Set(['ItemsUnreadable']));
  await expect(store.load('v1')).rejects.toThrow(
    'of the table cannot be read: restore the table from a backup',
  );
});
