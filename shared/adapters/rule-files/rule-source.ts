import type { Problem } from './file-problems.ts';
import type { IgnoreComment } from './ignore-comments.ts';

export type Path = readonly PropertyKey[];

/** `rules[2].minimum.current` */
export function pathText(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

/** One file of a rules folder, in YAML or TypeScript, with the places of its values. */
export interface RuleSource {
  /** The file name within the folder. */
  name: string;
  /** The plain value; `undefined` if the file cannot be parsed. */
  value: unknown;
  /** What the text holds, apart from white space. */
  holds: 'nothing' | 'comments' | 'value';
  /** Problems of the text itself. */
  problems: Problem[];
  /** Its ignore comments. */
  ignores: IgnoreComment[];
  /** A problem with the value or the key at `path`. If there is none, it is placed at the nearest parent. */
  problemAt(path: Path, message: string, part?: 'key' | 'value'): Problem;
}
