import { Command, CommanderError } from 'commander';
import { ConfigError, ConflictError, InvalidRequestError, UpstreamError } from '../shared/runtime/errors.ts';
import { HINT } from './arguments.ts';

/** Each by its name: what one command needs, such as a database, takes the others time and memory. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  simulate: async () => (await import('./simulate.ts')).simulateCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  judge: async () => (await import('./judge.ts')).judgeCommand(),
  data: async () => (await import('./data.ts')).dataCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  plan: async () => (await import('./plan.ts')).planCommand(),
  apply: async () => (await import('./apply.ts')).applyCommand(),
  open: async () => (await import('./open.ts')).openCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
};

const program = new Command('deltawatch')
  .description('Watches product analytics and speaks up when a number moves more than it should.')
  .exitOverride()
  .configureHelp({ helpWidth: 80 })
  .showHelpAfterError(HINT);
const [, , name = ''] = process.argv;
const asked = Object.entries(COMMANDS).filter(([each]) => each === name || !Object.hasOwn(COMMANDS, name));
for (const [, load] of asked) program.addCommand((await load()).copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints what went wrong and gives the exit code: 1 refused or failed, 2 wrong usage. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof InvalidRequestError) {
    console.error(`error: ${error.message}\n${HINT}`);
    return 2;
  }
  const expected =
    error instanceof ConfigError || error instanceof ConflictError || error instanceof UpstreamError;
  console.error(expected ? `error: ${error.message}` : error);
  return 1;
}
