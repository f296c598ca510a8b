import { userInfo } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { nameSchema, reasonSchema } from '../../shared/alerts/author.ts';
import { fitting } from '../terminal/arguments.ts';

/** `--as <name>`: the author of a change; default: the user of this machine. */
export function asOption(): Option {
  return new Option('--as <name>', 'Your name, shown with the change')
    .argParser(personName)
    .default(loginName());
}

/** The same limits as in the forms of the page. */
const personName = fitting(nameSchema, 'Use a name of 1 to 80 characters.');

/** In a container the user may have no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'someone';
  }
}

export const reason = fitting(reasonSchema, 'Use one line of at most 500 characters.');

/** Like `reason`, but required. */
export function givenReason(text: string): string {
  const given = reason(text);
  if (given === '') throw new InvalidArgumentError('Give a reason in a few words.');
  return given;
}
