import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { blocksIn, documentAt } from './documents.ts';

test('README.md shows a rule of the demo', () => {
  const [shown] = blocksIn('yaml', [documentAt('README.md')]);
  expect(ruleIn(shown?.text ?? '')).toEqual(ruleIn(readFileSync('rules/checkout.yaml', 'utf8')));
});

/** The first rule of a file, with its defaults. */
function ruleIn(text: string): unknown {
  const { defaults, rules } = fileSchema.parse(parse(text));
  return { ...defaults, ...rules[0] };
}

const fileSchema = z.object({
  defaults: z.record(z.string(), z.unknown()).default({}),
  rules: z.array(z.record(z.string(), z.unknown())),
});
