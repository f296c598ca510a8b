import { stat } from 'node:fs/promises';
import { basename, dirname, normalize } from 'node:path';
import type { Problem } from '../../shared/rule-files/file-problems.ts';
import { isRuleFile } from '../../shared/rule-files/yaml-rule-files.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { fileProblem } from '../terminal/file-errors.ts';

/** A rules folder, and the paths of its checked files; all files without `files`. */
export interface CheckedFiles {
  dir: string;
  files?: ReadonlySet<string>;
}

/**
 * What the paths name: one folder, or rule files that lie in one folder. Throws `ConfigError` for a path that does not
 * exist or is not a rule file, and `InvalidRequestError` for paths that cannot be checked together.
 */
export async function checkedFiles(paths: readonly string[], defaultDir: string): Promise<CheckedFiles> {
  const found = await Promise.all(paths.map(async (path) => ({ path, isFolder: await isFolder(path) })));
  const folders = found.filter((each) => each.isFolder);
  const [folder] = folders;
  if (folder && paths.length > 1)
    throw new InvalidRequestError(`name one folder, or some files of one; ${folder.path} is a folder`);
  if (folder) return { dir: folder.path };
  const [first, ...others] = paths.map((path) => normalize(path));
  if (first === undefined) return { dir: defaultDir };
  const dir = dirname(first);
  const strange = others.find((path) => dirname(path) !== dir);
  if (strange !== undefined)
    throw new InvalidRequestError(
      `check the files of one folder at a time: ${first} and ${strange} are in different folders`,
    );
  for (const path of [first, ...others]) requireRuleFile(path);
  return { dir, files: new Set([first, ...others]) };
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileProblem(path, error);
  });
  return found.isDirectory();
}

function requireRuleFile(path: string): void {
  const name = basename(path);
  if (isRuleFile(name)) return;
  const why = name.endsWith('.test.yaml')
    ? `run its tests with "deltawatch test ${path}"`
    : 'names of rule files end with .yaml or .rules.ts';
  throw new ConfigError(`${path} is not a rule file: ${why}`);
}

/** The problems of `files` or, if there are none, those of the other files. */
export function decisiveProblems(problems: Problem[], { files }: CheckedFiles): Problem[] {
  const own = problems.filter(({ file }) => files?.has(file) ?? true);
  return own.length > 0 ? own : problems;
}

/** The problems as one error. */
export function refuseFiles(problems: Problem[], { dir, files }: CheckedFiles): ConfigError {
  const isOwn = problems.some(({ file }) => files?.has(file) ?? true);
  return refuseProblems(problems, isOwn ? [...(files ?? [dir])].join(', ') : `other files of ${dir}`);
}
