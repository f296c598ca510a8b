import { printable } from '../../shared/runtime/redaction.ts';
import { wrapped } from './wrapping.ts';

/** Text with foreign parts in 80 columns, without control characters. */
export function safeLines(text: string): string[] {
  return wrapped(printable(text));
}
