import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

const rows = tableIn(documentAt('docs/reference/commands.md'), 'command').map((row) =>
  row.map((cell) => cell.trim()),
);

test('commands.md lists every command in the order of the help', () => {
  const names = Object.values(COMMANDS).flatMap((group) => Object.keys(group));
  expect(rows.map(([name = '']) => codeIn(name).join())).toEqual(names);
});

test('each command has an example', () => {
  for (const [name = '', , example = ''] of rows)
    expect(codeIn(example).join()).toMatch(new RegExp(`^npx deltawatch ${codeIn(name).join()}\\b`));
});
