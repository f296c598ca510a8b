import { fileURLToPath } from 'node:url';

/** What was thrown, as it crosses from one thread to another. */
export interface Thrown {
  /** Node's code of the error; empty where it has none. */
  code: string;
  message: string;
  stack: string;
}

export function thrownOf(error: unknown): Thrown {
  if (!(error instanceof Error)) return { code: '', message: String(error), stack: '' };
  const code = 'code' in error ? String(error.code) : '';
  return { code, message: error.message, stack: error.stack ?? '' };
}

/** Where something was thrown: an absolute path, line and column from 1, and the line itself where the error shows it. */
export interface ThrownAt {
  path: string;
  line: number;
  column: number;
  source: string | undefined;
}

/**
 * Where an error came from, as far as its stack tells: an error of syntax shows the line above its stack, with a mark
 * under the place, if it is one in a line; any other has the place in its first line that is of none of the files in the folder `besides`.
 */
export function thrownAt({ stack }: Thrown, besides: string): ThrownAt | undefined {
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
    if (!at?.path || at.path.startsWith(besides)) continue;
    return { path: pathOf(at.path), line: Number(at.line), column: Number(at.column), source: undefined };
  }
  return undefined;
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}
