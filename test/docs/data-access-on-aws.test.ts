import { expect, test } from 'vitest';
import { ATHENA_LIMITS, stageSchema } from '../../shared/config/stage.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { synthesize } from '../infra/synthesis.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

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

test('data-access-on-aws.md lists every setting of a stage', () => {
  const written = { kind: 'own', engine: 'athena', firstDay: '2026-01-01', ...ATHENA_LIMITS };
  const own = stageSchema.shape.dataAccess.parse(written);
  const { kind: _, ...settings } = own ?? { kind: 'own' };
  const listed = tableIn(page, 'key').flatMap(([name = '']) => codeIn(name));
  expect(listed).toEqual(Object.keys(settings));
});
