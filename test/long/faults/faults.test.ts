import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../faults/mutants.ts';
import { runSeed } from '../../faults/run-seed.ts';
import { reportOf, shrink } from '../../faults/shrink.ts';

const SEEDS = 60;
const AT_ONCE = 20;
const firsts = Array.from({ length: SEEDS / AT_ONCE }, (_, i) => 1 + i * AT_ONCE);

it.each(firsts)(`keeps every invariant under random faults: ${AT_ONCE} seeds from %i`, async (first) => {
  for (let seed = first; seed < first + AT_ONCE; seed++) {
    const run = await runSeed(seed);
    if (run.broken.length > 0) expect.fail(reportOf(await shrink(run)));
  }
});

it('has the same faults in each run of a seed', async () => {
  const [first, second] = [await runSeed(7), await runSeed(7)];
  expect(first.happened.length).toBeGreaterThan(50);
  expect(second.happened).toEqual(first.happened);
});

it.each(MUTANTS)('finds the code to mutate: $name', async ({ file, find, also }) => {
  for (const edit of also ? [{ file, find }, also] : [{ file, find }]) {
    const source = await readFile(edit.file, 'utf8');
    expect(source.split(edit.find)).toHaveLength(2);
  }
});
