import { expect, test } from 'vitest';
import { replay } from '../../../local/replay/replay.ts';
import { dayAt, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { pastOf } from '../../fixtures/past.ts';

test('a replay stops when it is interrupted', async () => {
  const stop = new AbortController();
  const ruleSet = ruleSetOf(ruleNamed('sales'));
  const span = { from: dayAt(0).startAt, to: dayAt(60).startAt };
  const events = replay({ ruleSet, figures: pastOf(() => 1000), ...span, signal: stop.signal });
  setImmediate(() => stop.abort(new Error('pressed')));
  const evaluated: number[] = [];
  const all = async () => {
    for await (const { at } of events) evaluated.push(at);
  };
  await expect(all()).rejects.toThrow('pressed');
  expect(evaluated.length).toBeLessThan(10);
});
