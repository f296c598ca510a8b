import { createInterface } from 'node:readline/promises';
import confirm from '@inquirer/confirm';
import password from '@inquirer/password';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** Asks the user; `undefined` without a terminal. */
export type Ask = ((question: string) => Promise<boolean>) | undefined;

const AT_TERMINAL = process.stdin.isTTY && process.stderr.isTTY;
export const ASK: Ask = AT_TERMINAL ? askAtTerminal : undefined;

/**
 * Whether the user agrees. Otherwise it says what did not happen, and the command fails. Throws `ConfigError` with `instead`
 * where there is no terminal.
 */
export async function isWanted(
  ask: Ask,
  question: string,
  { instead, refused }: { instead: string; refused: string },
): Promise<boolean> {
  if (!ask) throw new ConfigError(`there is no terminal to ask at: ${instead}`);
  if (await ask(question)) return true;
  console.error(refused);
  process.exitCode = 1;
  return false;
}

async function askAtTerminal(message: string): Promise<boolean> {
  return (await answered(confirm({ message, default: false }, { output: process.stderr }))) ?? false;
}

/** Asks for a text; `undefined` without a terminal. */
export type AskText = ((question: string) => Promise<string>) | undefined;

/** At the terminal of this process. Ctrl-C gives no text. */
export const ASK_TEXT: AskText = AT_TERMINAL ? textAtTerminal : undefined;

async function textAtTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} `).catch(() => '');
  terminal.close();
  return answer.trim();
}

/** Asks for a value that the terminal does not show; `undefined` if the user gives none. */
export type AskHidden = (question: string) => Promise<string | undefined>;

export const ASK_HIDDEN: AskHidden = (message) => answered(password({ message }, { output: process.stderr }));

/** The answer; `undefined` after Ctrl-C. */
async function answered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') return undefined;
    throw error;
  }
}
