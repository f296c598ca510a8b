import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { COMMANDS } from '../../cli/commands.ts';
import { refusalOf, wordsOf } from '../fixtures/command-line.ts';
import { STAGES } from '../fixtures/stages.ts';
import { blocksIn, codeIn, DOCUMENTS, documentAt, tableIn } from './documents.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** Every command in the documents. `whole` commands can be copied unchanged. */
const SHOWN = [
  ...blocksIn('sh').flatMap(({ place, text }) =>
    text
      .replaceAll(/ *\\\n */g, ' ')
      .split('\n')
      .map((line) => ({ place, line: line.replace(/ +#.*/, ''), whole: true })),
  ),
  ...DOCUMENTS.flatMap(({ path, prose }) =>
    codeIn(prose).map((line) => ({ place: path, line, whole: false })),
  ),
];

function shown(start: RegExp) {
  return SHOWN.filter(({ line }) => start.test(line)).map(({ place, line, whole }) => ({
    place,
    line,
    whole,
    // The only variable of a shell whose value has a form.
    words: wordsOf(line.replace(start, '').replace('$PLACE', 's3://bucket')),
  }));
}

test.each([
  ...shown(/^npx deltawatch /),
  ...shown(/^deltawatch /).filter(({ whole }) => whole),
  ...shown(/^npm start -- /).map((each) => ({ ...each, words: ['start', ...each.words] })),
])('$place: "$line" is valid', ({ words, whole }) => {
  expect(refusalOf(words, whole)).toBeUndefined();
});

test.each(shown(/^npm run /))('$place: "$line" is a script', ({ words: [script = '', ...options] }) => {
  expect(Object.keys(scripts)).toContain(script);
  if (script === 'bench')
    expect(['.ts', '/run.ts'].some((file) => existsSync(`bench/${options[1]}${file}`))).toBe(true);
});

test.each(shown(/^npx deltawatch (deploy|doctor) /))(
  '$place: "$line" names a stage',
  ({ words: [stage] }) => {
    expect([...STAGES.map(({ name }) => name), 'STAGE']).toContain(stage);
  },
);

describe('refusalOf rejects', () => {
  test.each([
    [['check', '--rule', 'x'], "unknown option '--rule'"],
    [['silence', 'add', '--match', 'rule=x'], "required option '--reason <text>' not specified"],
    [['data', 'export'], "unknown command 'export'"],
    [['start', '--port', 'http'], "argument 'http' is invalid"],
  ])('%j', (words, problem) => {
    expect(refusalOf(words, true)).toContain(problem);
  });
});

test('commands.md lists every command in the order of the help, with an example', () => {
  const rows = tableIn(documentAt('docs/reference/commands.md'), 'command');
  const names = Object.values(COMMANDS).flatMap((group) => Object.keys(group));
  expect(rows.map(([name = '']) => codeIn(name).join())).toEqual(names);
  for (const [name = '', , example = ''] of rows)
    expect(codeIn(example).join()).toMatch(new RegExp(`^npx deltawatch ${codeIn(name).join()}\\b`));
});
