import { Argument, Command } from 'commander';
import { ruleIds } from '../options/rule-ids.ts';
import { examples } from './arguments.ts';
import { candidatesFor } from './candidates.ts';
import { SCRIPTS, SHELLS, type Shell, wordLines } from './completion-scripts.ts';
import type { Commands } from './program.ts';
import { emptyProgram } from './program.ts';

/** `deltawatch completion`: the script for a shell; with the words of a command line, what may follow them. */
export function completionCommand(commands: () => Commands): Command {
  return new Command('completion')
    .description('Print a script that completes commands, options and rule ids in your shell')
    .addArgument(new Argument('<shell>', 'Your shell').choices(SHELLS))
    .argument('[words...]', 'Words typed so far, for the script: prints what can follow')
    .addHelpText(
      'after',
      examples(
        ['completion bash >> ~/.bashrc', 'Enable it in bash'],
        ['completion zsh >> ~/.zshrc', 'Enable it in zsh, after compinit'],
        ['completion fish > ~/.config/fish/completions/deltawatch.fish', 'Enable it in fish'],
      ),
    )
    .action(async (shell: Shell, words: string[]) => {
      const lines =
        words.length > 0 ? wordLines(shell, await wordsAfter(words, commands())) : [SCRIPTS[shell]];
      if (lines.length > 0) console.log(lines.join('\n'));
    });
}

async function wordsAfter(words: string[], commands: Commands) {
  const found = candidatesFor(await programFor(words, commands), words);
  if (found.kind === 'words') return found.words;
  if (found.kind === 'files') return [];
  return (await ruleIds(found.dir)).map((word) => ({ word, description: '' }));
}

/** Loads only the typed command, or only names: loading all commands takes a second. */
async function programFor([name = '', ...others]: string[], commands: Commands): Promise<Command> {
  const program = emptyProgram();
  for (const group of Object.values(commands))
    for (const [each, load] of Object.entries(group))
      program.addCommand(
        (others.length > 0 && each === name ? await load() : new Command(each)).copyInheritedSettings(
          program,
        ),
      );
  return program;
}
