import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnstile } from '../../../../functions/data-access/engines/turnstile.ts';

/** Visitors who stay until they are told to leave. They are named by their key and a number: `a1`. */
function visits(places: number) {
  let at = 0;
  const pass = turnstile({ places, now: () => at });
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const visit = (name: string, signal = new AbortController().signal) =>
    pass(name.slice(0, 1), signal, async () => {
      inside.push(name);
      await new Promise<void>((resolve) => leave.set(name, resolve));
      inside.splice(inside.indexOf(name), 1);
      return name;
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const tell = async (name: string) => {
    leave.get(name)?.();
    await settled();
    return [...inside];
  };
  const pause = (ms: number) => {
    at += ms;
  };
  return { visit, tell, inside, settled, pause };
}

describe('short visits', () => {
  test('of one key are let through in the order in which they came, one place being kept for others', async () => {
    const { visit, tell, inside, settled } = visits(2);
    const all = Promise.all(['a1', 'a2', 'a3', 'a4'].map((name) => visit(name)));
    await settled();
    expect(inside).toEqual(['a1', 'a2']);
    expect(await tell('a2')).toEqual(['a1', 'a3']);
    expect(await tell('a1')).toEqual(['a3', 'a4']);
    await tell('a3');
    expect(await tell('a4')).toEqual([]);
    expect(await all).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  test('of another key do not wait for those that came before', async () => {
    const { visit, inside, settled } = visits(2);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'a2', 'b1']);
  });

  test('take turns by key: the fewest inside first, then whose turn or arrival is longest ago', async () => {
    const { visit, tell, settled } = visits(1);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) visit(name);
    await settled();
    const letIn = ['a1', 'b1'];
    for (let at = 0; at < 4; at += 1) letIn.push((await tell(letIn[at] ?? '')).at(-1) ?? '');
    expect(letIn).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });
});

describe('long visits', () => {
  test('of one key go one at a time once the key is known to be slow', async () => {
    const { visit, tell, inside, settled, pause } = visits(2);
    for (const name of ['a1', 'a2', 'a3', 'a4']) visit(name);
    await settled();
    pause(251);
    expect(await tell('a1')).toEqual(['a2']);
    expect(await tell('a2')).toEqual(['a3']);
    for (const name of ['b1', 'b2', 'b3']) visit(name);
    await settled();
    expect(inside).toEqual(['a3', 'b1', 'b2']);
  });

  test('of many keys leave a place for short ones', async () => {
    const { visit, tell, inside, settled, pause } = visits(2);
    for (const key of ['a', 'b', 'c']) {
      visit(`${key}1`);
      await settled();
      pause(251);
      await tell(`${key}1`);
    }
    for (const name of ['a2', 'b2', 'c2', 'd1']) visit(name);
    await settled();
    expect(inside).toEqual(['a2', 'b2', 'd1']);
    expect(await tell('d1')).toEqual(['a2', 'b2']);
    expect(await tell('a2')).toEqual(['b2', 'c2']);
  });

  test('are forgotten after ten seconds of short ones', async () => {
    const { visit, tell, inside, settled, pause } = visits(2);
    visit('a1');
    await settled();
    pause(251);
    await tell('a1');
    pause(9_999);
    for (const name of ['a2', 'a3']) visit(name);
    await settled();
    expect(inside).toEqual(['a2']);
    pause(1);
    visit('a4');
    await settled();
    expect(inside).toEqual(['a2', 'a3']);
  });
});

test('whoever gives up while waiting is not waited for', async () => {
  const { visit, tell, inside, settled } = visits(1);
  const impatient = new AbortController();
  const [first, second, third] = [visit('a1'), visit('a2', impatient.signal), visit('a3')];
  await settled();
  impatient.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(await tell('a1')).toEqual(['a3']);
  await tell('a3');
  expect([await first, await third, inside]).toEqual(['a1', 'a3', []]);
});

test('a visit that fails makes room all the same', async () => {
  const pass = turnstile({ places: 1 });
  const { signal } = new AbortController();
  await expect(pass('a', signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pass('a', signal, async () => 'through')).toBe('through');
});

test('whoever comes and goes, nobody is forgotten and no key holds all places', async () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), leaves: fc.nat(5), ms: fc.constantFrom(0, 100, 300) }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (walk, places) => {
      const { visit, tell, inside, settled, pause } = visits(places);
      const all = walk.map(({ key }, at) => `${key}${at}`);
      const through: Promise<string>[] = [];
      for (const [at, { leaves, ms }] of walk.entries()) {
        through.push(visit(all[at] ?? ''));
        await settled();
        pause(ms);
        if (leaves < inside.length) await tell(inside[leaves] ?? '');
        expect(inside.length).toBeLessThanOrEqual(places + 1);
        for (const key of ['a', 'b', 'c'])
          expect(inside.filter((name) => name.startsWith(key)).length).toBeLessThanOrEqual(places);
      }
      while (inside.length > 0) await tell(inside[0] ?? '');
      expect(await Promise.all(through)).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
