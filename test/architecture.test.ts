import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LINES, ROOMS, type Room, roomsTable } from './rooms.ts';

const CLOCK = 'shared/runtime/clock.ts';
const ENVIRONMENT = 'shared/runtime/environment.ts';

/** Calls that only one file may make. Tests and benchmarks are exempt. */
const ONLY_IN: { pattern: RegExp; file: string | undefined; rule: string }[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bTemporal\.Now\b/,
    file: CLOCK,
    rule: `time is an argument; only ${CLOCK} asks the machine for it`,
  },
  { pattern: /\bMath\.random\b/, file: undefined, rule: 'randomness is an argument' },
  { pattern: /\bprocess\.env\b/, file: ENVIRONMENT, rule: `only ${ENVIRONMENT} reads the environment` },
];

const VAGUE = /^(utils?|helpers?|common|services?|types|managers?)$/;

/** All violations of the architecture rules by the file, as sentences. */
function violations(file: string, source: string): string[] {
  return [...vagueNames(file), ...foreignImports(file, source), ...privileges(file, source)];
}

function vagueNames(file: string): string[] {
  return file
    .split(/[/.-]/)
    .filter((word) => VAGUE.test(word))
    .map((word) => `${file} is named "${word}": name it after the concept it holds`);
}

function foreignImports(file: string, source: string): string[] {
  const room = ROOMS.find(
    ({ folder, files }) => placeOf(file, folder) && (!files || basename(file) === files),
  );
  if (!room) return [`${file} lies in no room that the architecture knows`];
  const own = placeOf(file, room.folder);
  const allowed = [own, ...room.rooms, ...room.packages].join(', ');
  return importsOf(source)
    .filter((imported) => !mayImport({ own, room }, file, imported))
    .map((imported) => `${file} imports ${imported}: ${own} may import ${allowed}`);
}

function mayImport(
  { own, room }: { own: string | undefined; room: Room },
  file: string,
  imported: string,
): boolean {
  if (!imported.startsWith('.')) {
    const name = builtinModules.includes(imported) ? `node:${imported}` : imported;
    return room.packages.some((pattern) => matcher(pattern, '.*').exec(name)?.[0] === name);
  }
  const target = normalize(join(file, '..', imported));
  return [own, ...room.rooms].some((folder) => folder && placeOf(target, folder));
}

/** The part of `path` that is the folder or file `pattern`; `undefined` if it lies elsewhere. */
function placeOf(path: string, pattern: string): string | undefined {
  return matcher(`${pattern}(?=/|$)`, '[^/]+').exec(path)?.[0];
}

function matcher(pattern: string, anyText: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', anyText)}`);
}

const COMMENT = /^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm;
const IMPORT =
  /^\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

function importsOf(source: string): string[] {
  return [...source.replace(COMMENT, '').matchAll(IMPORT)].map(
    ([, fixed, dynamic]) => fixed ?? dynamic ?? '',
  );
}

function privileges(file: string, source: string): string[] {
  if (/^(test|bench)\//.test(file)) return [];
  const code = source.replace(COMMENT, '');
  return ONLY_IN.filter((only) => only.file !== file && only.pattern.test(code)).map(
    ({ pattern, rule }) => `${file} says ${pattern.exec(code)?.[0]}: ${rule}`,
  );
}

const SOURCES = '{shared,functions,infra,local,workbench,cli,packaging}/**/*.ts';
const FILES = globSync('{shared,functions,infra,local,workbench,cli,packaging,bench,test}/**/*.{ts,js}');

test('every file follows the architecture rules', () => {
  expect(FILES.length).toBeGreaterThan(10);
  expect(FILES.flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('no files import one another in a circle, not even types', () => {
  const sources = globSync(SOURCES).map((file) => [file, readFileSync(file, 'utf8')] as const);
  expect(circlesIn(new Map(sources))).toEqual([]);
});

test('no room has more lines than its budget', () => {
  const lines: Record<string, number> = Object.fromEntries(Object.keys(LINES).map((room) => [room, 0]));
  for (const file of globSync('{shared,functions,infra,local,workbench,cli,packaging}/**/*.{ts,js}')) {
    const room = Object.keys(LINES).find((folder) => file.startsWith(`${folder}/`)) ?? file;
    lines[room] = (lines[room] ?? 0) + readFileSync(file, 'utf8').split('\n').length - 1;
  }
  const over = Object.entries(lines).filter(([room, count]) => count > (LINES[room] ?? 0));
  expect(over).toEqual([]);
});

test('no folder has more than 40 files', () => {
  const folders = Map.groupBy(globSync(SOURCES), (file) => dirname(file));
  const crowded = [...folders].filter(([, files]) => files.length > 40).map(([folder]) => folder);
  expect(crowded).toEqual([]);
});

test('tests are at the path of their source', () => {
  const tests = globSync('test/{,long/}{shared,functions,infra,local,workbench,cli,packaging}/**/*.test.ts');
  const astray = tests.filter((file) => !existsSync(dirname(file).replace(/^test\/(long\/)?/, '')));
  expect(tests.length).toBeGreaterThan(10);
  expect(astray).toEqual([]);
});

test('CONTRIBUTING.md lists the rooms (vitest -u writes it)', async () => {
  const document = readFileSync('CONTRIBUTING.md', 'utf8');
  const table = /(?<=<!-- rooms -->\n\n)[\s\S]*?(?=\n\n<!-- end of rooms -->)/;
  expect(document).toMatch(table);
  await expect(document.replace(table, roomsTable())).toMatchFileSnapshot('../CONTRIBUTING.md');
});

/** Files that import one another in a circle, each circle as `a > b > a`. */
function circlesIn(sources: ReadonlyMap<string, string>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '));
    if (done.has(file) || path.includes(file)) return;
    for (const imported of importsOf(sources.get(file) ?? ''))
      if (imported.startsWith('.')) visit(normalize(join(file, '..', imported)), [...path, file]);
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return circles;
}

describe('the architecture rules', () => {
  test.each([
    ['a higher room', 'shared/rules/rule.ts', "import { a } from '../alerts/alert.ts';"],
    ['an adapter', 'shared/time/window.ts', "import { a } from '../channels/slack/channel.ts';"],
    ['the machine', 'shared/time/window.ts', "import { readFile } from 'node:fs/promises';"],
    ['a type', 'shared/time/window.ts', "import type {\n  A,\n} from '../runtime/clock.ts';"],
    ['the core', 'shared/runtime/clock.ts', "export { a } from '../rules/rule.ts';"],
    ['a flow', 'functions/notify/notify.ts', "import '../check-rules/check-rules.ts';"],
    [
      'a channel',
      'functions/notify/notify.ts',
      "import { a } from '../../shared/channels/slack/channel.ts';",
    ],
    ['rules', 'functions/data-access/app.ts', "await import('../../shared/rules/rule.ts');"],
    [
      'a later room',
      'functions/data-access/queries/question.ts',
      "import type { A } from '../answers/lists.ts';",
    ],
    ['the time', 'shared/time/window.ts', 'const now = Date.now();'],
    ['randomness', 'local/data/draws.ts', 'const dice = Math.random();'],
    ['the environment', 'functions/notify/handler.ts', 'const table = process.env.TABLE_NAME;'],
  ])('forbid %s in %s', (_, file, source) => {
    expect(violations(file, source).join()).toContain(file);
  });

  test.each(['lib/window.ts', 'shared/utils/window.ts', 'shared/rules/rule-helpers.ts'])(
    'forbid the name %s',
    (file) => {
      expect(violations(file, '').join()).toContain(file);
    },
  );

  test.each([
    ['shared/rules/rule.ts', "import * as z from 'zod';\nimport { a } from '../time/window.ts';"],
    ['functions/notify/handler.ts', "import { a } from '../../shared/channels/slack/channel.ts';"],
    ['shared/runtime/clock.ts', 'const now = Date.now();'],
    ['shared/time/window.ts', '// Not Date.now(): a repeated delivery evaluates the same window.'],
  ])('allow a valid import or call in %s', (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });

  test('find a circle of types', () => {
    const sources = new Map([
      ['a/a.ts', "import type { B } from './b.ts';"],
      ['a/b.ts', "import { c } from '../c.ts';"],
      ['c.ts', "export type { A } from './a/a.ts';"],
    ]);
    expect(circlesIn(sources)).toEqual(['a/a.ts > a/b.ts > c.ts > a/a.ts']);
  });
});
