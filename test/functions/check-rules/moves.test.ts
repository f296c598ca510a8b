import { expect, test } from 'vitest';
import { ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

const orders = ruleNamed('orders');
const parts = ruleNamed('parts', { group_by: 'device_country', filters: [] });

async function movesOf(world: ReturnType<typeof createWorld>) {
  const [last] = await world.runs.loadLastTicks();
  return last ? await world.runs.loadMoves(last.tick) : [];
}

const worldOf = () =>
  createWorld({
    rules: [orders, parts],
    figure: (day, { segment }) => (segment === 'Malta' ? 500 + 40 * day : 1000 + 20 * day),
    segments: ['Malta', 'Peru'],
  });

test('a run stores the largest move of each rule, although nothing fires', async () => {
  const world = worldOf();
  await world.ticks(7, 9);
  expect(world.notified()).toEqual([]);
  expect((await movesOf(world)).toSorted((a, b) => (a.ruleId < b.ruleId ? -1 : 1))).toMatchObject([
    { ruleId: 'orders', segment: null, value: 1180, baseline: 1160 },
    { ruleId: 'parts', segment: 'Malta', value: 860, baseline: 820 },
  ]);
});
