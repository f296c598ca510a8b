import confirm from '@inquirer/confirm';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** Asks the user; `undefined` without a terminal. */
export type Ask = ((question: string) => Promise<boolean>) | undefined;

/** At the terminal of this process. */
export const ASK: Ask = process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined;

/** The user's answer. Throws `ConfigError` with `instead` where there is no terminal. */
export async function isWanted(ask: Ask, question: string, instead: string): Promise<boolean> {
  if (!ask) throw new ConfigError(`there is no terminal to ask at: ${instead}`);
  return ask(question);
}

async function askAtTerminal(message: string): Promise<boolean> {
  try {
    return await confirm({ message, default: false }, { output: process.stderr });
  } catch (error) {
    // Ctrl-C means no.
    if (error instanceof Error && error.name === 'ExitPromptError') return false;
    throw error;
  }
}
