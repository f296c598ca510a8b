import { afterEach, beforeEach, expect, it } from 'vitest';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { createWorld } from './world.ts';

const bySegment = ruleNamed('by-country', { group_by: 'device_country' });
const alone = ruleNamed('sales');

let unhandled: unknown[];
const record = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on('unhandledRejection', record);
});
afterEach(() => void process.off('unhandledRejection', record));

const refused = async () => {
  throw new UpstreamError('DynamoDB cannot be reached', { retryable: true });
};

/** Unhandled rejections are reported at the end of this turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a table that cannot be read fails the batch with one error and no unhandled rejections', async () => {
  const world = createWorld({ rules: [alone, bySegment], segments: ['Malta'], figure: () => 100 });
  await world.ticks(0, 2);
  const { load } = world.alerts;
  // Planning succeeds. In the batch, the load of segments fails before the load of the other rule does.
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

it('a table that cannot be written fails the batch with one error and no unhandled rejections', async () => {
  const world = createWorld({
    rules: [bySegment],
    segments: ['Malta', 'Cyprus'],
    figure: (day) => (day < 20 ? 1000 + day : 100),
  });
  await world.ticks(0, 20);
  // The ended segments and the rule itself are saved concurrently.
  world.deploy(ruleNamed('by-country'));
  Object.assign(world.alerts, { save: refused });
  await expect(world.ticks(21, 21)).rejects.toThrow('cannot be reached');
  await turn();
  expect(unhandled).toEqual([]);
});
