import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { changeOf } from './change.ts';

const quiet = () => {};
const NO_LOGGER = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
  ...{ trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet },
};

/** All mutants that Stryker creates for these files. */
export async function mutantsOf(patterns: readonly string[], excludedMutations: string[]): Promise<Mutant[]> {
  const files = globSync(patterns).map((file) => ({
    ...{ name: resolve(file), mutate: true },
    content: readFileSync(file, 'utf8'),
  }));
  const options = { plugins: null, ignorers: [], excludedMutations };
  const { mutants } = await new Instrumenter(NO_LOGGER).instrument(files, options);
  return mutants.filter(({ status }) => status !== 'Ignored');
}

/** The mutants with the lowest hashes for this seed. The sample does not change when lines move. */
export function sampleOf(mutants: readonly Mutant[], seed: string, size: number): Mutant[] {
  const seen = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const { file, from, to } = changeOf(mutant);
    const text = JSON.stringify([file, from, to]);
    const nth = seen.get(text) ?? 0;
    seen.set(text, nth + 1);
    return { mutant, rank: createHash('sha256').update(`${seed} ${nth} ${text}`).digest('hex') };
  });
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

/** The code that a mutant replaces, in the format of Stryker. */
export function rangeOf({ fileName, location: { start, end } }: Mutant): string {
  return `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
}

export function identityOf({ fileName, location, mutatorName, replacement }: Mutant): string {
  const { start, end } = location;
  return JSON.stringify([fileName, start.line, start.column, end.line, end.column, mutatorName, replacement]);
}
