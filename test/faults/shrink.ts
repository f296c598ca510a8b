import { type Run, runSeed } from './run-seed.ts';

/** The run of a broken seed with as few faults as still break it: leaves out halves, quarters and so on. */
export async function shrink(broken: Run): Promise<Run> {
  let smallest = broken;
  let leftOut: ReadonlySet<string> = new Set();
  for (let size = Math.ceil(broken.happened.length / 2); ; size = Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.happened.length; ) {
      const without = smallest.happened.slice(from, from + size).map(({ label }) => label);
      const next = new Set([...leftOut, ...without]);
      const run = await runSeed(broken.seed, next);
      if (run.broken.length > 0) [smallest, leftOut] = [run, next];
      else from += size;
    }
    if (size === 1) return smallest;
  }
}

/** The broken invariants, and each fault before them. */
export function reportOf({ seed, broken, happened }: Run): string {
  const faults = happened
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, label, fault }) => `  ${new Date(at).toISOString()}  ${fault}: ${label}`);
  return [`seed ${seed} breaks:`, ...broken.map((each) => `  ${each}`), 'after:', ...faults].join('\n');
}
