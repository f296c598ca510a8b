import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fairQueue } from '../../../../functions/data-access/engines/fair-queue.ts';

/** Queries that run until they are finished by name. A name is a key and a number, such as `a1`. */
function queries(slots: number) {
  let at = 0;
  const enqueue = fairQueue({ slots, now: () => at });
  const running: string[] = [];
  const finishers = new Map<string, () => void>();
  const query = (name: string, signal = new AbortController().signal) =>
    enqueue(name.slice(0, 1), signal, async () => {
      running.push(name);
      await new Promise<void>((resolve) => finishers.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      return name;
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const finish = async (name: string) => {
    finishers.get(name)?.();
    await settled();
    return [...running];
  };
  const pause = (ms: number) => {
    at += ms;
  };
  return { query, finish, running, settled, pause };
}

/** A queue with one finished query of `ms` for each key. */
async function queueAfter(keys: string, ms: number, slots = 2) {
  const all = queries(slots);
  for (const key of keys) {
    all.query(`${key}0`);
    await all.settled();
    all.pause(ms);
    await all.finish(`${key}0`);
  }
  return all;
}

describe('a new key', () => {
  test('runs one query, and more once that was quick', async () => {
    const { query, finish, running, settled, pause } = queries(2);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) query(name);
    await settled();
    expect(running).toEqual(['a1', 'b1']);
    pause(1_000);
    expect(await finish('a1')).toEqual(['b1', 'a2', 'a3']);
  });

  test('may take the slot that slow keys leave free', async () => {
    const { query, running, settled } = await queueAfter('ab', 1_001);
    for (const name of ['a1', 'b1', 'c1']) query(name);
    await settled();
    expect(running).toEqual(['a1', 'b1', 'c1']);
  });
});

describe('quick keys', () => {
  test('run their queries in order, and leave one slot for other keys', async () => {
    const { query, finish, running, settled } = await queueAfter('a', 1_000);
    const all = Promise.all(['a1', 'a2', 'a3', 'a4'].map((name) => query(name)));
    await settled();
    expect(running).toEqual(['a1', 'a2']);
    expect(await finish('a2')).toEqual(['a1', 'a3']);
    expect(await finish('a1')).toEqual(['a3', 'a4']);
    await finish('a3');
    expect(await finish('a4')).toEqual([]);
    expect(await all).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  test('take turns: the fewest running queries first, then the longest wait', async () => {
    const { query, finish, settled } = queries(1);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) query(name);
    await settled();
    const started = ['a1', 'b1'];
    for (let at = 0; at < 4; at += 1) started.push((await finish(started[at] ?? '')).at(-1) ?? '');
    expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  test('with fewer running queries go first, even if they started one last', async () => {
    const { query, finish, running, settled } = await queueAfter('abc', 1, 3);
    for (const name of ['a1', 'a2', 'c1', 'b1', 'a3', 'b2']) query(name);
    await settled();
    expect(running).toEqual(['a1', 'a2', 'c1', 'b1']);
    expect(await finish('b1')).toEqual(['a1', 'a2', 'c1', 'b2']);
    expect(await finish('c1')).toEqual(['a1', 'a2', 'b2', 'a3']);
  });

  test('are treated as new after 30 seconds without a query', async () => {
    const { query, running, settled, pause } = await queueAfter('ab', 1);
    pause(29_999);
    for (const name of ['b1', 'b2', 'a1', 'a2']) query(name);
    await settled();
    expect(running).toEqual(['b1', 'b2', 'a1']);
    const later = await queueAfter('a', 1);
    later.pause(30_000);
    for (const name of ['a1', 'a2']) later.query(name);
    await later.settled();
    expect(later.running).toEqual(['a1']);
  });
});

describe('slow keys', () => {
  test('do not become quick by an aborted query', async () => {
    const enqueue = fairQueue({ slots: 2, now: () => 0 });
    const { signal } = new AbortController();
    const { settled } = queries(2);
    await expect(enqueue('a', signal, () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
    let running = 0;
    const stay = () => {
      running += 1;
      return new Promise<void>(() => {});
    };
    for (let at = 0; at < 2; at += 1) enqueue('a', signal, stay);
    await settled();
    expect(running).toBe(1);
  });

  test('are recognised by a query that is still running', async () => {
    const { query, running, settled, pause } = await queueAfter('ab', 1);
    query('a1');
    await settled();
    pause(1_001);
    for (const name of ['a2', 'b1', 'b2']) query(name);
    await settled();
    expect(running).toEqual(['a1', 'b1', 'b2']);
  });

  test('leave one slot free, however many there are', async () => {
    const { query, finish, running, settled } = await queueAfter('abcd', 1_001);
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1']) query(name);
    await settled();
    expect(running).toEqual(['a1', 'b1', 'e1']);
    expect(await finish('e1')).toEqual(['a1', 'b1']);
    expect(await finish('a1')).toEqual(['b1', 'c1']);
  });
});

test('a query that is aborted while it waits is skipped', async () => {
  const { query, finish, running, settled } = queries(1);
  const impatient = new AbortController();
  const [first, second, third] = [query('a1'), query('a2', impatient.signal), query('a3')];
  await settled();
  impatient.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(await finish('a1')).toEqual(['a3']);
  await finish('a3');
  expect([await first, await third, running]).toEqual(['a1', 'a3', []]);
});

test('a failed query frees its slot', async () => {
  const enqueue = fairQueue({ slots: 1 });
  const { signal } = new AbortController();
  await expect(enqueue('a', signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await enqueue('a', signal, async () => 'done')).toBe('done');
});

test('with random queries, all of them finish and no key takes all slots', async () => {
  const steps = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      finished: fc.nat(5),
      ms: fc.constantFrom(0, 400, 1_200),
    }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (walk, slots) => {
      const { query, finish, running, settled, pause } = queries(slots);
      const all = walk.map(({ key }, at) => `${key}${at}`);
      const results: Promise<string>[] = [];
      for (const [at, { finished, ms }] of walk.entries()) {
        results.push(query(all[at] ?? ''));
        await settled();
        pause(ms);
        if (finished < running.length) await finish(running[finished] ?? '');
        expect(running.length).toBeLessThanOrEqual(slots + 1);
        for (const key of ['a', 'b', 'c'])
          expect(running.filter((name) => name.startsWith(key)).length).toBeLessThanOrEqual(slots);
      }
      while (running.length > 0) await finish(running[0] ?? '');
      expect(await Promise.all(results)).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
