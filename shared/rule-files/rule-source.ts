import type { Problem } from './file-problems.ts';
import type { IgnoreComment } from './ignore-comments.ts';

export type Path = readonly PropertyKey[];

/** `rules[2].minimum.current` */
export function pathText(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

/** What is wrong at a path of a file. */
export interface Fault {
  path: Path;
  /** Whether the key or the value is wrong; default: the value. */
  part?: 'key' | 'value';
  message: string;
  /** The value that was found, to be printed after the message unless it may be a secret. */
  found?: string | undefined;
}

/** One file of a rules folder, in YAML or TypeScript, with the places of its values. */
export interface RuleSource {
  /** The file name within the folder. */
  name: string;
  /** The plain value; `undefined` if the file cannot be parsed. */
  value: unknown;
  /** Problems of the text itself. */
  problems: Problem[];
  /** Its ignore comments. */
  ignores: IgnoreComment[];
  /** The fault with its place. If nothing is at its path, this is the place of the nearest parent. */
  problemAt(fault: Fault): Problem;
}
