import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { inOrder, type Problem } from '../../shared/rule-files/file-problems.ts';
import { check } from '../../shared/rule-files/rule-faults.ts';
import type { Fault, Path, RuleSource } from '../../shared/rule-files/rule-source.ts';
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
  const wrongDefaults: Problem[] = [];
  const read = tests.map((own, i): ReadTest => {
    const isOfDefaults = ([key]: Path) =>
      key !== undefined && !Object.hasOwn(own, key) && Object.hasOwn(defaults, key);
    const problemAt = (fault: Fault) => {
      const { path } = fault;
      return source.problemAt({
        ...fault,
        path: [...(isOfDefaults(path) ? ['defaults'] : ['tests', i]), ...path],
      });
    };
    const place = `${file}:${source.problemAt({ path: ['tests', i], message: '' }).line}`;
    const name = typeof own.name === 'string' ? own.name : 'a test without a name';
    const wrong = (faults: Fault[]): ReadTest => {
      const problems = inOrder([...faults, ...repeatedName(tests, i)].map(problemAt));
      return { kind: 'wrong', name, place, problems };
    };
    const given = check(ruleTestSchema, { ...defaults, ...own });
    if (given.kind === 'faults') {
      wrongDefaults.push(...given.faults.filter(({ path }) => isOfDefaults(path)).map(problemAt));
      return wrong(given.faults);
    }
    const binding = bindTest(given.value, ruleSet, place);
    if (binding.kind === 'faults') return wrong(binding.faults);
    return repeatedName(tests, i).length > 0 ? wrong([]) : binding;
  });
  return wrongDefaults.length > 0
    ? { kind: 'problems', problems: inOrder(wrongDefaults) }
    : { kind: 'tests', tests: read };
}

function repeatedName(tests: Record<string, unknown>[], i: number): Fault[] {
  const name = tests[i]?.name;
  return name !== undefined && tests.findIndex((each) => each.name === name) < i
    ? [{ path: ['name'], message: 'another test of this file has the same name' }]
    : [];
}
