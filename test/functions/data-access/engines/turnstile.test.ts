import { expect, test } from 'vitest';
import { turnstile } from '../../../../functions/data-access/engines/turnstile.ts';

/** Visitors who stay until they are told to leave. */
function visits(atOnce: number) {
  const pass = turnstile(atOnce);
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const visit = (name: string, signal = new AbortController().signal) =>
    pass(signal, async () => {
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
  return { visit, tell, inside, settled };
}

test('lets as many through as it may, the others in the order in which they came', async () => {
  const { visit, tell, inside, settled } = visits(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => visit(name)));
  await settled();
  expect(inside).toEqual(['a', 'b']);
  expect(await tell('b')).toEqual(['a', 'c']);
  expect(await tell('a')).toEqual(['c', 'd']);
  await tell('c');
  expect(await tell('d')).toEqual([]);
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('whoever gives up while waiting is not waited for', async () => {
  const { visit, tell, inside, settled } = visits(1);
  const impatient = new AbortController();
  const [first, second, third] = [visit('a'), visit('b', impatient.signal), visit('c')];
  await settled();
  impatient.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  expect(await tell('a')).toEqual(['c']);
  await tell('c');
  expect([await first, await third, inside]).toEqual(['a', 'c', []]);
});

test('a visit that fails makes room all the same', async () => {
  const pass = turnstile(1);
  const { signal } = new AbortController();
  await expect(pass(signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pass(signal, async () => 'through')).toBe('through');
});
