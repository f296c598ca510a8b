import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notificationOf, simulate } from '../../../../bench/simulate.ts';
import { readRules } from '../../../../cli/options/read-rules.ts';
import { figuresOf } from '../../../../local/figures.ts';
import { readArchive } from '../../../../local/replay/archive.ts';
import { replay } from '../../../../local/replay/replay.ts';
import type { RuleSet } from '../../../../shared/deployments/rule-store.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../../shared/rules/rule.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { MONDAY } from '../../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../../fixtures/deltawatch.ts';
import { writeShop } from './write-shop.ts';

const FROM = MONDAY + 7 * HOUR_MS;
const TO = MONDAY + 26 * HOUR_MS;

/** Purchases stop for six hours, and later on the same day checkouts stop on one platform. */
const TROUBLES = [
  { fromAt: MONDAY + 8 * HOUR_MS, toAt: MONDAY + 14 * HOUR_MS, without: 'purchase' },
  { fromAt: MONDAY + 10 * HOUR_MS, toAt: MONDAY + DAY_MS, without: 'begin_checkout', platform: 'ios' },
];

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeShop(folder.path, { fromAt: MONDAY - 36 * DAY_MS, toAt: TO }, TROUBLES);
});
afterAll(() => folder[Symbol.asyncDispose]());

function ruleOf(id: string, watch: object): Rule {
  const about = {
    title: `The rule ${id}`,
    app: 'demo',
    owner: 'shop',
    zone: 'Europe/Berlin',
    settle: '10 minutes',
  };
  return buildRule(ruleSetEntrySchema.parse({ id, ...about, every: 'day at 01:30', ...watch }));
}

const named = (value: string) => [{ attribute: 'event_name', operator: 'equal', value }];

/** One rule of each kind that the rules of this repository lack. */
const MORE = [
  ruleOf('hourly', {
    every: 'hour at :20',
    metric: 'event_count',
    filters: named('purchase'),
    fire: { change: { below: '-50%' } },
    minimum: { baseline: 5 },
  }),
  ruleOf('by-platform', {
    metric: 'event_count',
    filters: named('begin_checkout'),
    group_by: 'device_platform',
    fire: { change: { below: '-30%' } },
    confidence: 0.95,
  }),
  ruleOf('funnel', {
    funnel: ['view_item', 'begin_checkout', 'purchase'],
    fire: { change: { below: '-10%' } },
    confidence: 0.6,
    false_discovery: { rate: '10%' },
  }),
  ruleOf('unusual', {
    metric: 'event_count',
    filters: named('purchase'),
    anomaly: 'fall',
  }),
  ruleOf('quiet', {
    metric: 'event_users',
    filters: named('begin_checkout'),
    fire: { change: { below: '-5%' } },
    confidence: 0.5,
    quiet: true,
  }),
  ruleOf('any', { any_of: ['quiet', 'unusual'] }),
];

const FIRING = ['any', 'by-platform', 'funnel', 'hourly', 'unusual'];

const inOrder = (each: object[]) => each.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
const textOf = (each: object) => JSON.stringify(Object.entries(each).sort());

async function all<T>(generated: AsyncGenerator<T>): Promise<T[]> {
  const each: T[] = [];
  for await (const one of generated) each.push(one);
  return each;
}

async function replayed(ruleSet: RuleSet) {
  const clock = new ManualClock(TO);
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir: folder.path }, clock);
  const figures = await readArchive({ rules: ruleSet.rules, from: FROM, to: TO, sourceFor, clock });
  close();
  const events = await all(replay({ ruleSet, from: FROM, to: TO, figures }));
  return { figures, events };
}

describe('on data without late uploads', () => {
  test('a replay sends the same messages as a simulation', async () => {
    const own = await readRules('rules');
    const ruleSet: RuleSet = { ...own, version: 'both', rules: [...own.rules, ...MORE] };
    const simulated = await all(simulate({ ruleSet, from: FROM, to: TO, dataDir: folder.path }));
    const { events } = await replayed(ruleSet);
    const sent = events.flatMap((each) => (each.kind === 'sent' ? each.pending.map(notificationOf) : []));
    // The notifications of one message have no order.
    expect(inOrder(sent)).toEqual(inOrder(simulated));
    expect(events.filter(({ kind }) => kind === 'unevaluated')).toEqual([]);
    const fired = new Set(sent.flatMap(({ rule, transition }) => (transition === 'fired' ? [rule] : [])));
    expect([...fired].sort()).toEqual(expect.arrayContaining(FIRING));
  });
});
