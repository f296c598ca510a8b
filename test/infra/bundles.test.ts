import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { measureBundle } from '../../bench/bundles.ts';
import { bundleFunctions, FUNCTIONS } from '../../infra/bundles.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { synthesize } from './synthesis.ts';

const environmentsSchema = z.array(
  z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) }),
);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'functions-'));
  await bundleFunctions(directory);
});
afterAll(() => rm(directory, { recursive: true }));

// Node finds no package there, so a bundle that loads has all that it needs.
test.each(FUNCTIONS)(
  '%s loads in a fresh Node with the variables of its stack, from under 1 MB',
  async (name) => {
    const { bytes } = await measureBundle(join(directory, name), environmentOf(name), 1);
    expect(bytes).toBeLessThan(1_000_000);
  },
);

/** The names of a function's variables; their values are only known in AWS. */
function environmentOf(name: string): Record<string, string> {
  const [staging] = synthesize(ruleSetOf(ruleNamed('orders')));
  const functions = (staging?.resources ?? []).filter(
    ({ Type, id }) => Type === 'AWS::Lambda::Function' && id.startsWith(name.replace('-', '')),
  );
  const [{ Environment } = { Environment: { Variables: {} } }] = environmentsSchema.parse(
    functions.map(({ Properties }) => Properties),
  );
  return Object.fromEntries(Object.keys(Environment.Variables).map((key) => [key, 'https://example.com/']));
}
