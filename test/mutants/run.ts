import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant, MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { isDrawn, type Outcome, outcomeOf } from './outcome.ts';
import { identityOf, mutantsOf, rangeOf, sampleOf } from './sample.ts';

const MUTATED = ['shared/**/*.ts', 'functions/**/*.ts'];

/**
 * The mutators of Stryker that change more than a token, and `?.` to `.`, which the compiler rejects wherever it
 * matters.
 */
const LEFT_OUT = [
  'ArrayDeclaration',
  'ArrowFunction',
  'BlockStatement',
  'ConditionalExpression',
  'ObjectLiteral',
  'OptionalChaining',
  'Regex',
  'StringLiteral',
];

/** The share of mutants that the tests must catch. */
const SHARE = 0.9;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '300' },
    only: { type: 'string', multiple: true, default: MUTATED },
  },
});

const all = await mutantsOf(values.only, LEFT_OUT);
const drawn = sampleOf(all, values.seed, Number(values.sample));
console.log(`${drawn.length} of ${all.length} mutants, drawn with seed ${values.seed}`);
const outcomes = (await resultsOf(drawn)).map(outcomeOf);

const numberOf = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
const [equivalent, survived] = [numberOf('equivalent'), numberOf('survived')];
const counted = drawn.length - equivalent;
const caught = counted - survived;
const share = counted === 0 ? 1 : Math.floor((1000 * caught) / counted) / 1000;
console.log(JSON.stringify({ mutants: drawn.length, caught, equivalent, survived, share }));
process.exitCode = share < SHARE ? 1 : 0;

async function resultsOf(mutants: Mutant[]): Promise<MutantResult[]> {
  const sandbox = mkdtempSync(join(tmpdir(), 'mutants-'));
  // As the copy of the code in it.
  chmodSync(sandbox, 0o755);
  try {
    const results = await new Stryker({
      mutate: [...new Set(mutants.map(rangeOf))],
      mutator: { excludedMutations: LEFT_OUT },
      testRunner: 'warm',
      // Node ends when it frees code of PGlite in a thread: https://github.com/nodejs/node/issues/64500
      testRunnerNodeArgs: ['--no-wasm-code-gc'],
      checkers: ['sample'],
      plugins: ['sample-checker.ts', 'warm-test-runner.ts', 'outcome.ts'].map((file) =>
        join(import.meta.dirname, file),
      ),
      coverageAnalysis: 'perTest',
      // Stryker reads tsconfig.json with an older compiler; nothing here needs it.
      tsconfigFile: 'none',
      ignorePatterns: ['.deltawatch', 'cdk.out'],
      tempDirName: sandbox,
      concurrency: 1,
      dryRunTimeoutMinutes: 60,
      timeoutMS: 30_000,
      reporters: ['progress-append-only', 'survivors'],
      warnings: { unknownOptions: false, preprocessorErrors: true, unserializableOptions: true, slow: true },
      allowConsoleColors: false,
      drawn: mutants.map(identityOf),
    }).runMutationTest();
    return results.filter(isDrawn);
  } finally {
    rmSync(sandbox, { recursive: true, force: true });
  }
}
