import type { Argument, Command, Option } from 'commander';

/** Completions for the words typed so far. With `files` the shell completes paths. */
export type Candidates =
  | { kind: 'words'; words: { word: string; description: string }[] }
  | { kind: 'rules'; dir: string }
  | { kind: 'files' };

const RULES_DIR = 'rules';

/** The last of `words` is incomplete and may be empty. */
export function candidatesFor(program: Command, words: readonly string[]): Candidates {
  const typed = words.at(-1) ?? '';
  const { command, option, position, dir } = parsed(program, words.slice(0, -1));
  if (option) return valuesOf(option, option.attributeName() === 'rule', dir);
  if (typed.startsWith('-')) return optionsOf(command);
  if (command.commands.length > 0 && position === 0) return subcommandsOf(command);
  const { registeredArguments: given } = command;
  const last = given.at(-1);
  const argument = given[position] ?? (last?.variadic ? last : undefined);
  return argument ? valuesOf(argument, argument.name() === 'rule', dir) : { kind: 'words', words: [] };
}

interface Parsed {
  command: Command;
  /** The option whose value comes next. */
  option: Option | undefined;
  /** Arguments typed so far. */
  position: number;
  /** The folder that `--rules` names. */
  dir: string;
}

function parsed(program: Command, words: readonly string[]): Parsed {
  const found: Parsed = { command: program, option: undefined, position: 0, dir: RULES_DIR };
  for (const word of words) {
    const { command, option } = found;
    const inner = command.commands.find((each) => each.name() === word);
    if (word.startsWith('--rules=')) found.dir = word.slice('--rules='.length);
    else if (option) {
      if (option.long === '--rules') found.dir = word;
      found.option = undefined;
    } else if (word.startsWith('-')) found.option = valued(command, word);
    else if (inner) Object.assign(found, { command: inner, position: 0 });
    else found.position++;
  }
  return found;
}

/** The option of this name, if it takes a value. */
function valued(command: Command, name: string): Option | undefined {
  return command.options.find(
    (each) => [each.long, each.short].includes(name) && !each.isBoolean() && !each.negate,
  );
}

function valuesOf(of: Option | Argument, isRule: boolean, dir: string): Candidates {
  if (of.argChoices)
    return { kind: 'words', words: of.argChoices.map((word) => ({ word, description: '' })) };
  return isRule ? { kind: 'rules', dir } : { kind: 'files' };
}

function optionsOf(command: Command): Candidates {
  const words = command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', description }));
  return { kind: 'words', words };
}

function subcommandsOf(command: Command): Candidates {
  const words = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.description() }));
  return { kind: 'words', words };
}
