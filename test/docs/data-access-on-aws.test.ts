import { expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { synthesize } from '../infra/synthesis.ts';
import { blocksIn, documentAt } from './documents.ts';

const page = documentAt('docs/how-to/data-access-on-aws.md');
const [staging] = synthesize(ruleSetOf(ruleNamed('orders')));

test('data-access-on-aws.md reads only outputs that the stacks have', () => {
  const { data, dataAccess } = staging?.stacks ?? {};
  const outputs: Record<string, string[]> = {
    data: Object.keys(data?.findOutputs('*') ?? {}),
    'data-access': Object.keys(dataAccess?.findOutputs('*') ?? {}),
  };
  const asked = blocksIn('sh', [page]).flatMap(({ text }) => [...text.matchAll(/\$\(output (\S+) (\w+)\)/g)]);
  expect(asked).toHaveLength(3);
  for (const [, stack = '', output] of asked) expect(outputs[stack]).toContain(output);
});
