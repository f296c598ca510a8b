import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Problem } from '../../shared/adapters/file-problems.ts';
import { check } from '../../shared/adapters/rule-faults.ts';
import type { Path, RuleSource } from '../../shared/adapters/rule-source.ts';
import { parseYaml } from '../../shared/adapters/yaml-source.ts';
import type { RuleSet } from '../../shared/alerting/ports.ts';
import { type RuleTest, ruleTestFileSchema, ruleTestSchema } from '../../shared/alerting/rule-test-file.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { type BoundTest, bindTest } from './bind-test.ts';

/** The test files of these files and folders, in order. Throws `ConfigError` for a path that leads nowhere. */
export async function testFilesIn(paths: string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(testFilesOf));
  return [...new Set(found.flat())].sort();
}

async function testFilesOf(path: string): Promise<string[]> {
  const known = await stat(path).catch(() => undefined);
  if (!known) throw new ConfigError(`${path}: there is no such file or folder`);
  if (!known.isDirectory()) {
    if (path.endsWith('.test.yaml')) return [path];
    throw new ConfigError(`${path}: no test file; its name ends with .test.yaml`);
  }
  return globSync('**/*.test.yaml', { cwd: path, exclude: ['**/node_modules/**'] }).map((name) =>
    join(path, name),
  );
}

export type ReadTests = { kind: 'tests'; tests: BoundTest[] } | { kind: 'problems'; problems: Problem[] };

/** The tests of one file, bound to the rules that they are of; or all that is wrong with them. */
export async function readTestFile(file: string, ruleSet: RuleSet): Promise<ReadTests> {
  return testsIn(parseYaml(dirname(file), basename(file), await readFile(file, 'utf8')), file, ruleSet);
}

/** The same of a text. */
export function testsIn(source: RuleSource, file: string, ruleSet: RuleSet): ReadTests {
  if (source.value === undefined || source.problems.length > 0)
    return { kind: 'problems', problems: source.problems };
  const parsed = check(ruleTestFileSchema, source.value);
  if (parsed.kind === 'faults')
    return {
      kind: 'problems',
      problems: parsed.faults.map(({ path, message, part }) => source.problemAt(path, message, part)),
    };

  const { defaults = {}, tests } = parsed.value;
  const problems: Problem[] = [];
  const bound = tests.flatMap((own, i): BoundTest[] => {
    const pathOf = (path: Path): Path =>
      path[0] !== undefined && !Object.hasOwn(own, path[0]) && Object.hasOwn(defaults, path[0])
        ? ['defaults', ...path]
        : ['tests', i, ...path];
    const given = check(ruleTestSchema, { ...defaults, ...own });
    if (given.kind === 'faults') {
      problems.push(
        ...given.faults.map(({ path, message, part }) => source.problemAt(pathOf(path), message, part)),
      );
      return [];
    }
    const test: RuleTest = given.value;
    const { line } = source.problemAt(['tests', i], '');
    const binding = bindTest(test, ruleSet, `${file}:${line}`);
    if (binding.kind === 'bound') return [binding.test];
    problems.push(...binding.faults.map(({ path, message }) => source.problemAt(pathOf(path), message)));
    return [];
  });
  problems.push(...repeatedNames(tests, source));
  return problems.length > 0
    ? { kind: 'problems', problems: inOrder(problems) }
    : { kind: 'tests', tests: bound };
}

/** By place, and each once: what is wrong with a default is found in every test that takes it. */
function inOrder(problems: Problem[]): Problem[] {
  const distinct = new Map(problems.map((each) => [`${each.line}:${each.column} ${each.message}`, each]));
  return [...distinct.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function repeatedNames(tests: Record<string, unknown>[], source: RuleSource): Problem[] {
  return tests.flatMap(({ name }, i) =>
    name !== undefined && tests.findIndex((each) => each.name === name) < i
      ? [source.problemAt(['tests', i, 'name'], 'another test of this file has the same name')]
      : [],
  );
}
