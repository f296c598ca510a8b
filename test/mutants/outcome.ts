import type { Mutant, MutantResult } from '@stryker-mutator/api/core';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { changeOf } from './change.ts';
import { EQUIVALENT } from './equivalent.ts';

export type Outcome = 'caught' | 'survived' | 'equivalent' | 'listed as equivalent, yet caught';

export function outcomeOf(result: MutantResult): Outcome {
  const { file, from, to } = changeOf(fromZero(result));
  const isListed = EQUIVALENT.some((each) => each.file === file && each.from === from && each.to === to);
  const isCaught = result.status !== 'Survived' && result.status !== 'NoCoverage';
  if (isListed) return isCaught ? 'listed as equivalent, yet caught' : 'equivalent';
  return isCaught ? 'caught' : 'survived';
}

/** Whether the mutant was in the sample and ran; sample-checker.ts reports others as compile errors. */
export function isDrawn({ status }: MutantResult): boolean {
  return status !== 'CompileError' && status !== 'Ignored';
}

/** A result counts lines and columns from 1, a mutant from 0. */
function fromZero(result: MutantResult): Mutant {
  const { start, end } = result.location;
  const earlier = ({ line, column }: typeof start) => ({ line: line - 1, column: column - 1 });
  return { ...result, location: { start: earlier(start), end: earlier(end) } };
}

/** Prints each mutant that was not caught as soon as it is known. */
const reporter: Reporter = {
  onMutantTested(result) {
    const outcome = outcomeOf(result);
    if (!isDrawn(result) || outcome === 'caught') return;
    const { file, line, from, to } = changeOf(fromZero(result));
    console.log(`${outcome}: ${file}:${line}\n  - ${from}\n  + ${to}\n`);
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Reporter, 'survivors', reporter)];
