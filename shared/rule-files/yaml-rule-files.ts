import { globSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RuleSet } from '../deployments/rule-store.ts';
import { type Routes, routesSchema } from '../notifications/routes.ts';
import { ConfigError } from '../runtime/errors.ts';
import { contentHash } from '../text/content-hash.ts';
import { formatProblems, inOrder, type Problem, problemOf } from './file-problems.ts';
import { holidayFaults, readEntries, repeatedIds, type WrittenRule, wrongMembers } from './rule-entries.ts';
import { check } from './rule-faults.ts';
import type { RuleSource } from './rule-source.ts';
import { ROUTES_FILE } from './shown-source.ts';
import { readTypeScript, TYPESCRIPT_RULES } from './typescript-rule-files.ts';
import { parseYaml } from './yaml-source.ts';

export type LoadedRuleFiles =
  | { kind: 'loaded'; ruleSet: RuleSet; places: RulePlaces }
  | { kind: 'problems'; problems: Problem[] };

interface RulePlaces {
  /** By the ids of the rules. */
  rules: ReadonlyMap<string, WrittenRule>;
  routes: RuleSource;
  sources: readonly RuleSource[];
}

/**
 * The rules and routes of a folder, or all of its problems. `routes.yaml` has the routes, and every other `*.yaml` and
 * `*.rules.ts` has rules, except `*.test.yaml`.
 */
export async function loadRuleFiles(dir: string): Promise<LoadedRuleFiles> {
  const sources = await readSources(dir);
  if (sources) return ruleSetOf(dir, sources);
  const problem = problemOf(dir, `there is no folder ${dir}; use --rules for another`);
  return { kind: 'problems', problems: [{ ...problem, line: 0, column: 0 }] };
}

/** The rules and routes of a folder. Throws `ConfigError` with every problem, its file, line and column. */
export async function loadRules(folder = 'rules'): Promise<RuleSet> {
  const loaded = await loadRuleFiles(folder);
  if (loaded.kind === 'problems') throw new ConfigError(formatProblems(loaded.problems));
  return loaded.ruleSet;
}

/** The same from YAML texts by file name. */
export function buildRuleSet(dir: string, texts: ReadonlyMap<string, string>): LoadedRuleFiles {
  return ruleSetOf(
    dir,
    [...texts].map(([name, text]) => parseYaml(dir, name, text)),
  );
}

function ruleSetOf(dir: string, sources: readonly RuleSource[]): LoadedRuleFiles {
  const entries: WrittenRule[] = [];
  const problems: Problem[] = [];
  let routes: Routes | undefined;
  let routesSource: RuleSource | undefined;

  for (const source of sources) {
    problems.push(...source.problems);
    if (source.value === undefined) continue;
    if (source.name === ROUTES_FILE) {
      const checked = withKnownHolidays(check(routesSchema, source.value));
      routesSource = source;
      if (checked.kind === 'valid') routes = checked.value;
      else problems.push(...checked.faults.map((fault) => source.problemAt(fault)));
    } else {
      const read = readEntries(source);
      entries.push(...read.entries);
      problems.push(...read.problems);
    }
  }

  problems.push(...repeatedIds(entries), ...wrongMembers(entries), ...missingFiles(dir, sources));
  if (problems.length > 0 || !routes || !routesSource)
    return { kind: 'problems', problems: inOrder(problems) };
  const rules = entries.flatMap(({ rule }) => rule ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(entries.map((entry) => [String(entry.id), entry]));
  return {
    kind: 'loaded',
    // Equal for equal rules and routes: comments, the order of keys and the split into files do not matter.
    ruleSet: { version: contentHash({ rules, routes }), rules, routes },
    places: { rules: byId, routes: routesSource, sources },
  };
}

function withKnownHolidays(checked: CheckedRoutes): CheckedRoutes {
  const calendars = checked.kind === 'valid' ? checked.value.calendars : {};
  const faults = Object.entries(calendars).flatMap(([name, { holidays }]) =>
    holidayFaults(holidays, ['calendars', name, 'holidays']),
  );
  return faults.length > 0 ? { kind: 'faults', faults } : checked;
}

type CheckedRoutes = ReturnType<typeof check<typeof routesSchema>>;

function missingFiles(dir: string, sources: readonly RuleSource[]): Problem[] {
  const names = sources.map(({ name }) => name);
  return [
    ...(names.includes(ROUTES_FILE)
      ? []
      : [problemOf(join(dir, ROUTES_FILE), 'is missing; add it with "channels" and "default"')]),
    ...(names.some((name) => name !== ROUTES_FILE)
      ? []
      : [problemOf(dir, 'has no rule files; add one that ends in .yaml or .rules.ts')]),
  ];
}

async function readSources(dir: string): Promise<RuleSource[] | undefined> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!names) return undefined;
  const sources = await unreadSources(dir, names);
  for (const name of names.filter(isRuleFile).sort())
    sources.push(
      name.endsWith(TYPESCRIPT_RULES)
        ? await readTypeScript(dir, name)
        : parseYaml(dir, name, await readFile(join(dir, name), 'utf8')),
    );
  return sources;
}

/** Files that look like rule files but are not read, each with its problem. */
async function unreadSources(dir: string, names: readonly string[]): Promise<RuleSource[]> {
  const yml = names.filter((name) => name.endsWith('.yml'));
  const below = globSync('*/*{.yaml,.rules.ts}', { cwd: dir, exclude: ['node_modules/**', '.*/**'] }).sort();
  // A subfolder with routes is a rules folder of its own.
  const own = new Set(below.filter((path) => basename(path) === ROUTES_FILE).map(dirname));
  const isRules = async (path: string) =>
    path.endsWith(TYPESCRIPT_RULES) || /^rules:/m.test(await readFile(join(dir, path), 'utf8'));
  const unreadBelow: string[] = [];
  for (const path of below) if (!own.has(dirname(path)) && (await isRules(path))) unreadBelow.push(path);
  return [
    ...yml.map((name) => unread(dir, name, `rename it to ${name.replace(/yml$/, 'yaml')}`)),
    ...unreadBelow.map((path) =>
      unread(dir, path, 'move it to the rules folder, as subfolders are not read'),
    ),
  ];
}

function unread(dir: string, name: string, advice: string): RuleSource {
  const file = join(dir, name);
  return {
    ...{ name, value: undefined, ignores: [] },
    problems: [problemOf(file, `is not read; ${advice}`)],
    problemAt: ({ message }) => problemOf(file, message),
  };
}

/** Whether a file of this name contains rules or routes. */
function isRuleFile(name: string): boolean {
  if (name.endsWith(TYPESCRIPT_RULES)) return true;
  return name.endsWith('.yaml') && !name.endsWith('.test.yaml');
}
