import { Command, CommanderError } from 'commander';
import { ConfigError, ConflictError, InvalidRequestError, UpstreamError } from '../shared/runtime/errors.ts';
import { HINT } from './arguments.ts';
import { checkCommand } from './check.ts';
import { dataCommand } from './data.ts';
import { judgeCommand } from './judge.ts';
import { keysCommand } from './keys.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { startCommand } from './start.ts';

const program = new Command('deltawatch')
  .description('Watches product analytics and speaks up when a number moves more than it should.')
  .exitOverride()
  .configureHelp({ helpWidth: 80 })
  .showHelpAfterError(HINT);
const commands = [
  startCommand(),
  simulateCommand(),
  checkCommand(),
  judgeCommand(),
  dataCommand(),
  serveCommand(),
  keysCommand(),
];
for (const command of commands) program.addCommand(command.copyInheritedSettings(program));

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
