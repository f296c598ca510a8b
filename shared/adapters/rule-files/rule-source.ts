import type { Problem } from './file-problems.ts';
import type { IgnoreComment } from './ignore-comments.ts';

export type Path = readonly PropertyKey[];

/** `rules[2].minimum.current` */
export function pathText(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

/** One file of a rules folder, in whichever language, whose values know where they were written. */
export interface RuleSource {
  /** Its name within the folder. */
  name: string;
  /** The plain value; `undefined` where the file cannot be read as what it should be. */
  value: unknown;
  /** What is wrong with the text itself. */
  problems: Problem[];
  /** What its comments ask to be ignored. */
  ignores: IgnoreComment[];
  /** A problem with the value at `path`, or with its key; with the nearest thing around it where nothing is there. */
  problemAt(path: Path, message: string, part?: 'key' | 'value'): Problem;
}
