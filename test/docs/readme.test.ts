import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { blocksIn, documentAt } from './documents.ts';

/** test/browser/readme-pictures.test.ts compares this text with the message of the demo that the shown rule sends. */
const MESSAGE = 'docs/images/message.txt';

test('README.md quotes the message of its picture, without the chart and the links', () => {
  const [shown] = blocksIn('text', [documentAt('README.md')]);
  const [, ...parts] = readFileSync(MESSAGE, 'utf8').split('\n\n');
  const quoted = parts.filter((part) => !part.startsWith('['));
  expect(wordsOf(shown?.text ?? '')).toBe(wordsOf(quoted.join('\n')));
});

test('README.md shows a rule of the demo', () => {
  const [shown] = blocksIn('yaml', [documentAt('README.md')]);
  expect(ruleIn(shown?.text ?? '')).toEqual(ruleIn(readFileSync('rules/growth.yaml', 'utf8')));
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

function wordsOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
