import { fstatSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** GitHub Actions runs a line with this start as a command. */
const COMMAND = /([\r\n](?:[^\S\r\n]|\u0085)*:)(?=:)/g;
/** The older form, a command anywhere in a line. */
const OLD_COMMAND = /##(?=\[)/g;
/** Text that may become a command together with the next chunk. */
const BEGUN = /(?:[\r\n](?:[^\S\r\n]|\u0085)*:?|##?)$/;

/**
 * Makes text safe for a workflow log, in chunks of any size. GitHub runs `::stop-commands::x`, `::error::` and
 * `##[add-mask]` in any printed line. A space between the signs keeps them readable and JSON valid.
 */
export function harmlessInWorkflows(): (text: string) => string {
  let begun = '\n';
  return (text) => {
    const whole = begun + text;
    const harmless = whole.replace(COMMAND, '$1 ').replace(OLD_COMMAND, '## ').slice(begun.length);
    begun = BEGUN.exec(whole)?.[0] ?? '';
    return harmless;
  };
}

/** Filters commands from `stream`, unless it goes to a file, which no runner reads. */
export function guardWorkflowLog(stream: NodeJS.WriteStream & { fd: number }): void {
  if (fstatSync(stream.fd).isFile()) return;
  const write = stream.write.bind(stream);
  const harmless = harmlessInWorkflows();
  const decoder = new StringDecoder('utf8');
  stream.write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ) => {
    const text = harmless(typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)));
    return typeof encoding === 'function' ? write(text, encoding) : write(text, encoding, done);
  };
}
