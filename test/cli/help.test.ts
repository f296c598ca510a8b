import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { refusalOf, wordsOf } from '../fixtures/command-line.ts';

const loaded = await Promise.all(
  Object.entries(COMMANDS).flatMap(([heading, group]) =>
    Object.entries(group).map(async ([name, load]) => ({ heading, name, command: await load() })),
  ),
);
const program = new Command('deltawatch').configureHelp({ helpWidth: 80, minWidthToWrap: 30 });
for (const { command, heading } of loaded)
  program.addCommand(command.helpGroup(heading).copyInheritedSettings(program));

/** The command and its subcommands. */
function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function helpOf(command: Command): string {
  const parts: string[] = [];
  command
    .configureHelp({ helpWidth: 80, minWidthToWrap: 30 })
    .configureOutput({ writeOut: (part) => void parts.push(part) });
  command.outputHelp();
  return parts.join('');
}

test.each(all(program).map((command) => ({ name: command.name(), command })))(
  'the help of $name fits 80 columns',
  ({ command }) => {
    const lines = helpOf(command).split('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  },
);

test.each(
  all(program)
    .filter(({ commands }) => commands.length === 0)
    .map((command) => ({ name: command.name(), command })),
)('the help of $name ends with valid examples', ({ command }) => {
  const [, examples = ''] = helpOf(command).split('\nExamples:\n');
  const lines = examples.replaceAll(/ *\\\n */g, ' ').split('\n');
  const shown = lines.flatMap((line) => /^ {2}npx deltawatch (.*)$/.exec(line)?.[1] ?? []);
  expect(shown).not.toEqual([]);
  for (const line of shown) expect(refusalOf(wordsOf(line), true), line).toBeUndefined();
});

test('each command has the name in COMMANDS and a description', () => {
  expect(loaded.map(({ command }) => command.name())).toEqual(loaded.map(({ name }) => name));
  expect(all(program).filter((command) => command !== program && command.description() === '')).toEqual([]);
});

test('the program lists its commands in groups', () => {
  const headings = helpOf(program).match(/^[A-Z].*:$/gm);
  expect(headings).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
});
