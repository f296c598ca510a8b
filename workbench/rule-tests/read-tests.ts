import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { inOrder, type Problem } from '../../shared/rule-files/file-problems.ts';
import { check } from '../../shared/rule-files/rule-faults.ts';
import { type Fault, problemsOfEntry, type RuleSource } from '../../shared/rule-files/rule-source.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import { ruleTestFileSchema, ruleTestSchema } from '../../shared/rule-tests/rule-test-file.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { type BoundTest, bindTest } from './bind-test.ts';

/** The test files in these files and folders, sorted. Throws `ConfigError` for a path that does not exist. */
export async function testFilesIn(paths: string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(testFilesOf));
  return [...new Set(found.flat())].sort();
}

async function testFilesOf(path: string): Promise<string[]> {
  const known = await stat(path).catch(() => undefined);
  if (!known) throw new ConfigError(`${path}: there is no such file or folder`);
  if (!known.isDirectory()) {
    if (path.endsWith('.test.yaml')) return [path];
    throw new ConfigError(`${path}: is not a test file: the name of a test file ends with .test.yaml`);
  }
  return globSync('**/*.test.yaml', { cwd: path, exclude: ['**/node_modules/**'] }).map((name) =>
    join(path, name),
  );
}

/** A runnable test, or an invalid one with its problems. */
export type ReadTest = { kind: 'bound'; test: BoundTest } | WrongTest;

interface WrongTest {
  kind: 'wrong';
  name: string;
  /** `rules/checkout.test.yaml:12`. */
  place: string;
  problems: Problem[];
}

/** `problems` are those of the file: none of its tests can run. */
export type ReadTests = { kind: 'tests'; tests: ReadTest[] } | { kind: 'problems'; problems: Problem[] };

/** The tests of one file, bound to their rules; or the file's problems. */
export async function readTestFile(file: string, ruleSet: RuleSet): Promise<ReadTests> {
  return testsIn(parseYaml(dirname(file), basename(file), await readFile(file, 'utf8')), file, ruleSet);
}

/** Like `readTestFile`, for a text. */
export function testsIn(source: RuleSource, file: string, ruleSet: RuleSet): ReadTests {
  if (source.value === undefined || source.problems.length > 0)
    return { kind: 'problems', problems: source.problems };
  const parsed = check(ruleTestFileSchema, source.value);
  if (parsed.kind === 'faults')
    return {
      kind: 'problems',
      problems: parsed.faults.map((fault) => source.problemAt(fault)),
    };

  const { defaults = {}, tests } = parsed.value;
  const read = tests.map((own, i): ReadTest => {
    const problemAt = problemsOfEntry(source, { list: 'tests', i, own, defaults });
    const place = `${file}:${problemAt({ path: [], message: '' }).line}`;
    const given = check(ruleTestSchema, { ...defaults, ...own });
    const binding = given.kind === 'faults' ? given : bindTest(given.value, ruleSet, place);
    const faults = [...(binding.kind === 'faults' ? binding.faults : []), ...repeatedName(tests, i)];
    if (binding.kind === 'bound' && faults.length === 0) return binding;
    const name = typeof own.name === 'string' ? own.name : 'a test without a name';
    return { kind: 'wrong', name, place, problems: inOrder(faults.map(problemAt)) };
  });
  return { kind: 'tests', tests: read };
}

function repeatedName(tests: Record<string, unknown>[], i: number): Fault[] {
  const name = tests[i]?.name;
  return name !== undefined && tests.findIndex((each) => each.name === name) < i
    ? [{ path: ['name'], message: 'another test of this file has the same name' }]
    : [];
}
