import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { z } from 'zod';
import { identityOf } from './sample.ts';

const Drawn = z.object({ drawn: z.array(z.string()) });

/** Stryker mutates ranges of code, which contain other mutants too. This checker rejects those outside the sample. */
function sampleChecker(options: StrykerOptions): Checker {
  const drawn = new Set(Drawn.parse(options).drawn);
  const resultOf = (mutant: Mutant): CheckResult =>
    drawn.has(identityOf(mutant))
      ? { status: CheckStatus.Passed }
      : { status: CheckStatus.CompileError, reason: 'not in the sample' };
  return {
    init: async () => {},
    check: async (mutants: Mutant[]) =>
      Object.fromEntries(mutants.map((mutant) => [mutant.id, resultOf(mutant)])),
  };
}

sampleChecker.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'sample', sampleChecker)];
