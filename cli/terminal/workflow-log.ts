import { fstatSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** Where a line that begins so is a command to the runner of GitHub Actions, and what comes after its first sign. */
const COMMAND = /([\r\n](?:[^\S\r\n]|\u0085)*:)(?=:)/g;
/** The older form, which is a command anywhere in a line. */
const OLD_COMMAND = /##(?=\[)/g;
/** What may become a command with the text that follows. */
const BEGUN = /(?:[\r\n](?:[^\S\r\n]|\u0085)*:?|##?)$/;

/**
 * Makes text harmless in the log of a workflow, whatever parts it comes in: GitHub takes `::stop-commands::x`, `::error::`
 * and `##[add-mask]` of any line that a step prints for commands. A space between the signs leaves them readable, and
 * JSON as valid as it was.
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

/** What `stream` prints carries no commands, unless it goes to a file, which no runner reads. */
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
