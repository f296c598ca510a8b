import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort, launchDeltawatch, RULES, temporaryFolder } from '../fixtures/deltawatch.ts';
import { inPhase, messages, printed, sentDespiteEnds, ticks } from '../local/killed-start.ts';

test('a first start writes the demo shop, and killed starts send the same messages', async () => {
  await using folder = await temporaryFolder();
  const state = join(folder.path, 'state');
  const port = await freePort();
  await using first = {
    ...launchDeltawatch(['start', '--days', '2', '--port', `${port}`, '--state', state, '--rules', RULES]),
    port,
  };
  await printed(first, 'Now live');
  await inPhase(first, 'live');
  first.kill('SIGINT');
  expect((await first.ended).code).toBe(0);

  const { expected, actual } = await sentDespiteEnds(join(state, 'data'), folder.path, 28, {
    replaying: [
      ['SIGKILL', messages(1)],
      ['SIGINT', messages(1)],
    ],
    catchingUp: [
      ['SIGKILL', messages(1)],
      ['SIGKILL', ticks(3)],
      ['SIGINT', ticks(2)],
      ['SIGKILL', messages(2)],
    ],
  });
  expect(expected.size).toBeGreaterThan(10);
  expect(actual).toEqual(expected);
});
