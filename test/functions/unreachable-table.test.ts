import { afterEach, beforeEach, expect, it } from 'vitest';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { createWorld } from './world.ts';

const bySegment = ruleNamed('by-country', { group_by: 'device_country' });
const alone = ruleNamed('sales');

let unhandled: unknown[];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

const refused = async () => {
  throw new UpstreamError('DynamoDB cannot be reached', { retryable: true });
};

/** Unhandled rejections are reported once the tasks of this turn are done. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a table that cannot be read fails the piece with one error and ends no process', async () => {
  const world = createWorld({ rules: [alone, bySegment], segments: ['Malta'], figure: () => 100 });
  await world.ticks(0, 2);
  const { load } = world.alerts;
  // What plans the tick is still answered; slower than rules are refused, the piece is not.
  const loadWhole: typeof load = async (keys) => {
    if (!keys.some(({ ruleId }) => ruleId === alone.id)) return await load(keys);
    if (world.alerts.loadOfRule !== refused) {
      world.alerts.loadOfRule = refused;
      return await load(keys);
    }
    await turn();
    return await refused();
  };
  Object.assign(world.alerts, { load: loadWhole });
  await expect(world.ticks(3, 3)).rejects.toThrow('cannot be reached');
  await turn();
  expect(unhandled).toEqual([]);
});

it('a table that cannot be written fails the piece with one error and ends no process', async () => {
  const world = createWorld({
    rules: [bySegment],
    segments: ['Malta', 'Cyprus'],
    figure: (day) => (day < 20 ? 1000 + day : 100),
  });
  await world.ticks(0, 20);
  // Its segments end and the rule itself is saved at once.
  world.deploy(ruleNamed('by-country'));
  Object.assign(world.alerts, { save: refused });
  await expect(world.ticks(21, 21)).rejects.toThrow('cannot be reached');
  await turn();
  expect(unhandled).toEqual([]);
});
