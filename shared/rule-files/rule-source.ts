import type { Problem } from './file-problems.ts';
import type { IgnoreComment } from './ignore-comments.ts';

export type Path = readonly PropertyKey[];

/** `rules[2].minimum.current` */
export function pathText(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

export interface Fault {
  path: Path;
  /** Whether the key or the value is wrong; default: the value. */
  part?: 'key' | 'value';
  message: string;
  /** The value that was found, to be printed after the message unless it may be a secret. */
  found?: string | undefined;
}

/** A line for each fault: `  rules[2].id: must be text; found 5`. */
export function faultLines(faults: readonly Fault[]): string {
  const lines = faults.map(({ path, message, found }) => {
    const at = path.length > 0 ? `${pathText(path)}: ` : '';
    return `  ${at}${message}${found === undefined ? '' : `; found ${found}`}`;
  });
  return lines.join('\n');
}

/** One file of a rules folder, in YAML or TypeScript, with the places of its values. */
export interface RuleSource {
  /** The file name within the folder. */
  name: string;
  /** The plain value; `undefined` if the file cannot be parsed. */
  value: unknown;
  /** Problems of the text itself. */
  problems: Problem[];
  ignores: IgnoreComment[];
  /** The fault with its place. If nothing is at its path, this is the place of the nearest parent. */
  problemAt(fault: Fault): Problem;
}

/** An entry of a list in a file, and the defaults of the file. */
interface Entry {
  list: string;
  i: number;
  own: object;
  defaults: object;
}

/** Places the faults of an entry: at its own key, or at that of the default that it uses. */
export function problemsOfEntry(source: RuleSource, { list, i, own, defaults }: Entry) {
  return (fault: Fault): Problem => {
    const [key] = fault.path;
    const isOfDefaults = key !== undefined && !Object.hasOwn(own, key) && Object.hasOwn(defaults, key);
    return source.problemAt({
      ...fault,
      path: [...(isOfDefaults ? ['defaults'] : [list, i]), ...fault.path],
    });
  };
}
