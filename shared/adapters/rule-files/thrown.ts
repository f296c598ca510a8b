import { fileURLToPath } from 'node:url';

/** An error that can be sent between threads. */
export interface Thrown {
  /** The code of a Node error; empty if there is none. */
  code: string;
  message: string;
  stack: string;
}

export function thrownOf(error: unknown): Thrown {
  if (!(error instanceof Error)) return { code: '', message: String(error), stack: '' };
  const code = 'code' in error ? String(error.code) : '';
  return { code, message: error.message, stack: error.stack ?? '' };
}

/** The place of an error: absolute path, line and column from 1, and the text of the line if the error has it. */
export interface ThrownAt {
  path: string;
  line: number;
  column: number;
  source: string | undefined;
}

/**
 * The place of an error, from its stack. A syntax error shows its line, often with a mark below the place, above the
 * stack. For any other error it is the first frame that is not in the folder `ignored`. `undefined` if there is
 * none.
 */
export function thrownAt({ stack }: Thrown, ignored: string): ThrownAt | undefined {
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
    if (!at?.path || at.path.startsWith(ignored)) continue;
    return { path: pathOf(at.path), line: Number(at.line), column: Number(at.column), source: undefined };
  }
  return undefined;
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}
