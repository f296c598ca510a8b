import { expect, it } from 'vitest';
import { createWorld, drop } from '../world.ts';

const reason = 'There is no secret "deltawatch/staging/api-key" in Secrets Manager: create it';

it('notifies nobody at first before the app was read, and says why it cannot be read', async () => {
  const world = createWorld(drop);
  const missing = { kind: 'failed', reason, retryable: true } as const;
  world.source.trouble = missing;
  await world.ticks(0, 1);
  expect(world.notified()).toEqual([]);
  const [alert] = await world.alerts.loadOfRule('sales');
  expect(alert?.health).toMatchObject({
    kind: 'inconclusive',
    reason: { code: 'read-failed', error: reason },
  });

  world.source.trouble = undefined;
  await world.tick(2);
  expect((await world.alerts.loadOfRule('sales'))[0]?.health).toEqual({ kind: 'ok' });
  world.source.trouble = missing;
  await world.tick(3);
  expect(world.notified()).toEqual(['failing sales']);
});

it('notifies of an app that was not read for two days', async () => {
  const world = createWorld(drop);
  world.source.trouble = { kind: 'failed', reason: 'the API key is wrong', retryable: false };
  await world.ticks(0, 1);
  expect(world.notified()).toEqual([]);
  await world.ticks(2, 6);
  expect(world.notified()).toEqual(['failing sales', 'broken sales']);
});
