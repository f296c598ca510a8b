import password from '@inquirer/password';

/** Asks for a value that the terminal does not show; `undefined` if the user gives none. */
export type AskHidden = (question: string) => Promise<string | undefined>;

/** At the terminal of this process. */
export const ASK_HIDDEN: AskHidden = async (message) => {
  try {
    return await password({ message }, { output: process.stderr });
  } catch (error) {
    // Ctrl-C means none.
    if (error instanceof Error && error.name === 'ExitPromptError') return undefined;
    throw error;
  }
};
