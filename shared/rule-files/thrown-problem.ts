import { fileURLToPath } from 'node:url';
import { type Problem, problemOf } from './file-problems.ts';
import { withoutSecrets } from './shown-source.ts';

/** An error that can be sent between threads. */
export interface Thrown {
  /** The code of an error of Node, or an empty text. */
  code: string;
  message: string;
  stack: string;
}

export function thrownOf(error: unknown): Thrown {
  if (!(error instanceof Error)) return { code: '', message: String(error), stack: '' };
  const code = 'code' in error ? String(error.code) : '';
  return { code, message: error.message, stack: error.stack ?? '' };
}

interface LoadedFile {
  /** Absolute. */
  path: string;
  text: string;
  /** The form in which messages show an absolute path. */
  shown: (path: string) => string;
}

/**
 * The problem of a module that threw while it was loaded, at the place in it or in a file that it imports. Without a
 * place: at its first line. `loader`: the URL of the folder of the code that loads it.
 */
export function thrownProblem(thrown: Thrown, { path, text, shown }: LoadedFile, loader: string): Problem {
  const message = withoutSecrets(thrownMessage(thrown));
  const at = thrownAt(thrown, loader);
  if (!at) return problemOf(shown(path), message);
  const isHere = at.path === path;
  const { line, column, source = isHere ? (text.split(/\r?\n/)[line - 1] ?? '') : '' } = at;
  return { file: shown(at.path), line, column, message, source: withoutSecrets(source) };
}

function thrownMessage({ code, message }: Thrown): string {
  if (code === 'ERR_INVALID_TYPESCRIPT_SYNTAX') return `is not valid TypeScript: ${message}`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return `${message}: Node only strips types; do not use enums, namespaces or decorators`;
  if (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith('Cannot find module'))
    return `${message}; write the file name with its ending, such as "./countries.ts"`;
  if (message.includes('does not provide an export named'))
    return `${message}; import types with "import type"`;
  return message;
}

/** The place of an error: absolute path, line and column from 1, and the text of the line if the error has it. */
interface ThrownAt {
  path: string;
  line: number;
  column: number;
  source: string | undefined;
}

/**
 * The place of an error, from its stack. A syntax error shows its line, often with a mark below the place, above the
 * stack. For any other error it is the first frame of a file, if that is not one of `loader`. `undefined` without a
 * place.
 */
function thrownAt({ stack }: Thrown, loader: string): ThrownAt | undefined {
  const lines = stack.split('\n');
  const head = /^(?<path>(?:file:\/\/)?\/.*):(?<line>\d+)$/.exec(lines[0] ?? '')?.groups;
  const mark = lines.findIndex((line) => /^ *\^+$/.test(line));
  if (head?.path)
    return {
      path: pathOf(head.path),
      line: Number(head.line),
      column: mark > 0 ? (lines[mark]?.indexOf('^') ?? 0) + 1 : 1,
      source: mark > 0 ? lines[mark - 1] : undefined,
    };
  for (const frame of lines) {
    const at = /\(?(?<path>file:\/\/[^()]*):(?<line>\d+):(?<column>\d+)\)?$/.exec(frame)?.groups;
    if (!at?.path) continue;
    if (at.path.startsWith(loader)) return undefined;
    return { path: pathOf(at.path), line: Number(at.line), column: Number(at.column), source: undefined };
  }
  return undefined;
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}
