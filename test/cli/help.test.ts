import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';

const loaded = await Promise.all(
  Object.entries(COMMANDS).flatMap(([heading, group]) =>
    Object.entries(group).map(async ([name, load]) => ({ heading, name, command: await load() })),
  ),
);
const program = new Command('deltawatch').configureHelp({ helpWidth: 80 });
for (const { command, heading } of loaded)
  program.addCommand(command.helpGroup(heading).copyInheritedSettings(program));

/** The command and those within it. */
function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureHelp({ helpWidth: 80 }).configureOutput({ writeOut: (part) => void parts.push(part) });
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

test('each command is found by its own name, and described', () => {
  expect(loaded.map(({ command }) => command.name())).toEqual(loaded.map(({ name }) => name));
  expect(all(program).filter((command) => command !== program && command.description() === '')).toEqual([]);
});

test('the program lists its commands in groups', () => {
  const headings = helpOf(program).match(/^[A-Z].*:$/gm);
  expect(headings).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
});
