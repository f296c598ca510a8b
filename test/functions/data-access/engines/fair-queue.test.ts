import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fairQueue } from '../../../../functions/data-access/engines/fair-queue.ts';

/** Queries that run until they are told to end. They are named by their key and a number: `a1`. */
function visits(slots: number) {
  let at = 0;
  const pass = fairQueue({ slots, now: () => at });
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
  const queueNews = async (name: string) => {
    leave.get(name)?.();
    await settled();
    return [...inside];
  };
  const pause = (ms: number) => {
    at += ms;
  };
  return { visit, queueNews, inside, settled, pause };
}

/** Keys whose last query took `ms`. */
async function known(keys: string, ms: number, slots = 2) {
  const all = visits(slots);
  for (const key of keys) {
    all.visit(`${key}0`);
    await all.settled();
    all.pause(ms);
    await all.queueNews(`${key}0`);
  }
  return all;
}

describe('a key of whom nothing is known', () => {
  test('has one visit inside, and more as soon as that was short', async () => {
    const { visit, queueNews, inside, settled, pause } = visits(2);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'b1']);
    pause(1_000);
    expect(await queueNews('a1')).toEqual(['b1', 'a2', 'a3']);
  });

  test('may take the place that slow keys leave free', async () => {
    const { visit, inside, settled } = await known('ab', 1_001);
    for (const name of ['a1', 'b1', 'c1']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'b1', 'c1']);
  });
});

describe('quick keys', () => {
  test('are let through in the order in which they came, one place being kept for others', async () => {
    const { visit, queueNews, inside, settled } = await known('a', 1_000);
    const all = Promise.all(['a1', 'a2', 'a3', 'a4'].map((name) => visit(name)));
    await settled();
    expect(inside).toEqual(['a1', 'a2']);
    expect(await queueNews('a2')).toEqual(['a1', 'a3']);
    expect(await queueNews('a1')).toEqual(['a3', 'a4']);
    await queueNews('a3');
    expect(await queueNews('a4')).toEqual([]);
    expect(await all).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  test('do not wait for those of another that came before', async () => {
    const { visit, inside, settled } = await known('ab', 1);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'a2', 'b1']);
  });

  test('take turns: the fewest inside first, then whose turn or arrival is longest ago', async () => {
    const { visit, queueNews, settled } = visits(1);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) visit(name);
    await settled();
    const letIn = ['a1', 'b1'];
    for (let at = 0; at < 4; at += 1) letIn.push((await queueNews(letIn[at] ?? '')).at(-1) ?? '');
    expect(letIn).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  test('are no longer known after half a minute without a visit', async () => {
    const { visit, inside, settled, pause } = await known('ab', 1);
    pause(29_999);
    for (const name of ['b1', 'b2', 'a1', 'a2']) visit(name);
    await settled();
    expect(inside).toEqual(['b1', 'b2', 'a1']);
    const later = await known('a', 1);
    later.pause(30_000);
    for (const name of ['a1', 'a2']) later.visit(name);
    await later.settled();
    expect(later.inside).toEqual(['a1']);
  });
});

describe('slow keys', () => {
  test('have one visit inside', async () => {
    const { visit, queueNews, inside, settled } = await known('a', 1_001);
    for (const name of ['a1', 'a2', 'a3']) visit(name);
    await settled();
    expect(inside).toEqual(['a1']);
    expect(await queueNews('a1')).toEqual(['a2']);
  });

  test('are not taken for quick ones by a visit that was stopped', async () => {
    const pass = fairQueue({ slots: 2, now: () => 0 });
    const { signal } = new AbortController();
    const { settled } = visits(2);
    await expect(pass('a', signal, () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
    let inside = 0;
    const stay = () => {
      inside += 1;
      return new Promise<void>(() => {});
    };
    for (let at = 0; at < 2; at += 1) pass('a', signal, stay);
    await settled();
    expect(inside).toBe(1);
  });

  test('are known by a visit that still goes on', async () => {
    const { visit, inside, settled, pause } = await known('ab', 1);
    visit('a1');
    await settled();
    pause(1_001);
    for (const name of ['a2', 'b1', 'b2']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'b1', 'b2']);
  });

  test('leave a place free, however many there are', async () => {
    const { visit, queueNews, inside, settled } = await known('abcd', 1_001);
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1']) visit(name);
    await settled();
    expect(inside).toEqual(['a1', 'b1', 'e1']);
    expect(await queueNews('e1')).toEqual(['a1', 'b1']);
    expect(await queueNews('a1')).toEqual(['b1', 'c1']);
  });
});

test('whoever gives up while waiting is not waited for', async () => {
  const { visit, queueNews, inside, settled } = visits(1);
  const impatient = new AbortController();
  const [first, second, third] = [visit('a1'), visit('a2', impatient.signal), visit('a3')];
  await settled();
  impatient.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(await queueNews('a1')).toEqual(['a3']);
  await queueNews('a3');
  expect([await first, await third, inside]).toEqual(['a1', 'a3', []]);
});

test('a visit that fails makes room all the same', async () => {
  const pass = fairQueue({ slots: 1 });
  const { signal } = new AbortController();
  await expect(pass('a', signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pass('a', signal, async () => 'through')).toBe('through');
});

test('whoever comes and goes, nobody is forgotten and no key holds all slots', async () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), leaves: fc.nat(5), ms: fc.constantFrom(0, 400, 1_200) }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (walk, slots) => {
      const { visit, queueNews, inside, settled, pause } = visits(slots);
      const all = walk.map(({ key }, at) => `${key}${at}`);
      const through: Promise<string>[] = [];
      for (const [at, { leaves, ms }] of walk.entries()) {
        through.push(visit(all[at] ?? ''));
        await settled();
        pause(ms);
        if (leaves < inside.length) await queueNews(inside[leaves] ?? '');
        expect(inside.length).toBeLessThanOrEqual(slots + 1);
        for (const key of ['a', 'b', 'c'])
          expect(inside.filter((name) => name.startsWith(key)).length).toBeLessThanOrEqual(slots);
      }
      while (inside.length > 0) await queueNews(inside[0] ?? '');
      expect(await Promise.all(through)).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
