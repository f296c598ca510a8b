import { userInfo } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { nameSchema, reasonSchema } from '../../shared/alerts/author.ts';

/** `--as <name>`: the author of a change; default: the user of this machine. */
export function asOption(): Option {
  return new Option('--as <name>', 'Your name, shown with the change')
    .argParser(personName)
    .default(loginName());
}

/** The same limits as in the forms of the page. */
function personName(text: string): string {
  const known = nameSchema.safeParse(text);
  if (!known.success) throw new InvalidArgumentError('Use a name of 1 to 80 characters.');
  return known.data;
}

/** In a container the user may have no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'someone';
  }
}

/** One line of at most 500 characters. */
export function reason(text: string): string {
  const known = reasonSchema.safeParse(text);
  if (!known.success) throw new InvalidArgumentError('Use one line of at most 500 characters.');
  return known.data;
}

/** Like `reason`, but required. */
export function givenReason(text: string): string {
  const given = reason(text);
  if (given === '') throw new InvalidArgumentError('Give a reason in a few words.');
  return given;
}
