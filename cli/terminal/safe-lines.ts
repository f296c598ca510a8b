import { printable } from '../../shared/runtime/redaction.ts';
import { wrapped } from './wrapping.ts';

/** Text that people wrote parts of, in lines of 80 columns: without what would command the terminal. */
export function safeLines(text: string): string[] {
  return wrapped(printable(text));
}
