import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A folder, the folders whose files it may import besides its own, and the packages; `*` stands for any text. */
interface Room {
  folder: string;
  /** Only its files of this name; all without it. */
  files?: string;
  rooms: string[];
  packages: string[];
}

const EVERYTHING = { rooms: ['*'], packages: ['*'] };

// The first room that a file lies in holds.
const ROOMS: Room[] = [
  {
    folder: 'shared/alerting',
    rooms: ['shared/statistics', 'shared/analytics'],
    packages: ['zod', 'temporal-polyfill', 'date-holidays', 'fastest-levenshtein', 'node:crypto'],
  },
  { folder: 'shared/statistics', rooms: [], packages: ['@stdlib/*'] },
  { folder: 'shared/analytics', rooms: [], packages: ['zod'] },
  {
    folder: 'shared/access',
    rooms: ['shared/analytics', 'shared/runtime'],
    packages: ['zod', 'node:crypto'],
  },
  {
    folder: 'shared/adapters',
    rooms: ['shared/access', 'shared/alerting', 'shared/analytics', 'shared/runtime'],
    packages: [
      ...['zod', 'yaml', '@aws-sdk/*', '@slack/*', 'node:*'],
      ...['jose', 'standardwebhooks', 'request-filtering-agent'],
    ],
  },
  {
    folder: 'shared/runtime',
    rooms: [],
    packages: ['zod', '@aws-lambda-powertools/*', '@aws-sdk/client-secrets-manager', 'node:*'],
  },
  {
    folder: 'functions/data-access',
    files: 'handler.ts',
    rooms: ['shared'],
    packages: ['zod', 'hono/aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  ...dataAccessRooms(),
  {
    folder: 'functions/respond',
    files: 'handler.ts',
    rooms: ['shared'],
    packages: ['zod', 'hono', 'hono/aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  {
    folder: 'functions/respond',
    rooms: ['shared/alerting', 'shared/analytics', 'shared/pictures', 'shared/runtime'],
    packages: ['zod', 'hono', 'hono/*'],
  },
  {
    folder: 'shared/pictures',
    rooms: ['shared/alerting'],
    packages: ['vega', '@resvg/resvg-wasm', 'dejavu-fonts-ttf', 'node:*'],
  },
  // A handler wires and a flow narrates: what talks to the outside reaches a flow as an argument.
  {
    folder: 'functions/*',
    files: 'handler.ts',
    rooms: ['shared'],
    packages: ['zod', 'aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  {
    folder: 'functions/*',
    rooms: ['shared/alerting', 'shared/analytics', 'shared/statistics', 'shared/runtime'],
    packages: ['zod'],
  },
  {
    folder: 'infra',
    rooms: ['shared/alerting', 'shared/analytics', 'shared/adapters', 'shared/pictures', 'shared/runtime'],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'esbuild', 'node:*'],
  },
  { folder: 'local', ...EVERYTHING },
  { folder: 'cli', rooms: ['shared', 'local'], packages: ['*'] },
  { folder: 'bench', ...EVERYTHING },
  { folder: 'test', ...EVERYTHING },
];

/** The rooms of the service in their order: each may import those before it. */
function dataAccessRooms(): Room[] {
  const folder = 'functions/data-access';
  const below = ['shared/access', 'shared/analytics', 'shared/runtime'];
  const packages = [
    ...['zod', 'temporal-polyfill', 'hono', 'hono/*', 'node:*', 'json-stringify-pretty-compact'],
    ...['kysely', '@duckdb/node-api', '@aws-sdk/client-athena'],
  ];
  const order = ['engines', 'requests', 'time', 'queries', 'apps', 'answers', 'endpoints', 'documentation'];
  const rooms = order.map((name) => `${folder}/${name}`);
  return [
    ...rooms.map((room, at) => ({ folder: room, rooms: [...below, ...rooms.slice(0, at)], packages })),
    { folder, rooms: below, packages },
  ];
}

const CLOCK = 'shared/runtime/clock.ts';
const ENVIRONMENT = 'shared/runtime/environment.ts';

/** What only one file may do. Tests and benchmarks drive the machine and are free of it. */
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

/** Everything in which the file breaks the rules of the house, in words. */
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
    ({ folder, files }) => folderOf(file, folder) && (!files || basename(file) === files),
  );
  if (!room) return [`${file} lies in no room that the architecture knows`];
  const own = folderOf(file, room.folder);
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
  return [own, ...room.rooms].some((folder) => folder && folderOf(target, folder));
}

/** The part of `path` that is the folder `pattern`; `undefined` if it lies elsewhere. */
function folderOf(path: string, pattern: string): string | undefined {
  return matcher(`${pattern}/`, '[^/]+').exec(path)?.[0].slice(0, -1);
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

test('every file keeps to the rules of the house', () => {
  const files = globSync('{shared,functions,infra,local,cli,bench,test}/**/*.{ts,js}');
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
});

describe('the rules', () => {
  test.each([
    [
      'the pure core',
      'shared/alerting/evaluation/evaluate.ts',
      "import { a } from '../adapters/slack-channel.ts';",
    ],
    [
      'the pure core',
      'shared/alerting/evaluation/evaluate.ts',
      "import { readFile } from 'node:fs/promises';",
    ],
    [
      'a type alone',
      'shared/alerting/evaluation/evaluate.ts',
      "import type {\n  A,\n} from '../runtime/clock.ts';",
    ],
    ['the runtime', 'shared/runtime/clock.ts', "export { a } from '../alerting/rule.ts';"],
    ['a function', 'functions/notify/notify.ts', "import '../check-rules/check-rules.ts';"],
    ['a flow', 'functions/notify/notify.ts', "import { a } from '../../shared/adapters/slack-channel.ts';"],
    [
      'the service',
      'functions/data-access/app.ts',
      "const a = await import('../../shared/alerting/rule.ts');",
    ],
    [
      'the order of the service',
      'functions/data-access/queries/question.ts',
      "import type { A } from '../answers/lists.ts';",
    ],
    ['the time', 'shared/alerting/evaluation/evaluate.ts', 'const now = Date.now();'],
    ['randomness', 'local/data/draws.ts', 'const dice = Math.random();'],
    ['the environment', 'functions/notify/handler.ts', 'const table = process.env.TABLE_NAME;'],
    ['an unknown room', 'lib/judge.ts', ''],
    ['a folder', 'shared/utils/judge.ts', ''],
    ['a file', 'shared/alerting/rule-helpers.ts', ''],
  ])('keep %s in order: %s', (_, file, source) => {
    expect(violations(file, source).join()).toContain(file);
  });

  test.each([
    [
      'shared/alerting/evaluation/evaluate.ts',
      "import * as z from 'zod';\nimport { a } from '../statistics/counts.ts';",
    ],
    ['functions/notify/handler.ts', "import { a } from '../../shared/adapters/slack-channel.ts';"],
    ['shared/runtime/clock.ts', 'const now = Date.now();'],
    [
      'shared/alerting/evaluation/evaluate.ts',
      '// Not Date.now(): a repeated delivery must judge the same window.',
    ],
  ])('let %s do what is its own', (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });
});
