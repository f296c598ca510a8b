/**
 * A folder, its purpose, and the other folders and packages that it may import. `*` matches any text. `files` limits the
 * room to files with this name.
 */
export interface Room {
  folder: string;
  files?: string;
  holds: string;
  rooms: string[];
  packages: string[];
}

const PURE = ['shared/statistics', 'shared/analytics'];

/** The rooms of the alerting core, lowest first. Each may import those before it. */
const ALERTING: [name: string, holds: string, packages: string[]][] = [
  ['text', 'identifiers, hashes and quoted names', ['zod', 'node:crypto', 'fastest-levenshtein']],
  [
    'time',
    'windows, cadences, time zones, calendars and holidays',
    ['zod', 'temporal-polyfill', 'date-holidays', 'node:module'],
  ],
  ['rules', 'the schema of a rule: its metrics, bounds and comparison', ['zod']],
  ['readings', 'answers of the data access service, and the next questions to it', []],
  ['evaluation', 'from readings to a verdict: baselines, gates, seasons, drivers', []],
  ['alerts', 'the state of one rule and segment: lifecycle, transitions, health, answers', ['zod']],
  ['planning', 'which windows a run evaluates and which readings it needs', []],
  [
    'notifications',
    'who is notified, when, and once: routes, groups, silences, reminders',
    ['zod', 'temporal-polyfill'],
  ],
  ['deployments', 'deployed rule sets, and the changes between two of them', ['zod']],
  ['rule-tests', 'the file format of rule tests', ['zod']],
  [
    'messages',
    'the text of messages: sentences, facts, charts and links from codes and figures',
    ['zod', 'temporal-polyfill'],
  ],
  [
    'lint',
    'findings about valid rules that are probably mistakes',
    ['temporal-polyfill', 'fastest-levenshtein'],
  ],
];

/** The rooms of the data access service, lowest first. Each may import those before it. */
const SERVICE: [name: string, holds: string][] = [
  ['engines', 'DuckDB, PostgreSQL and Athena behind one interface'],
  ['tables', "a team's own tables, read as the tables of the service"],
  ['requests', 'parsing, keys, limits and errors'],
  ['time', 'calendars, windows and buckets of time'],
  ['queries', 'one query per file'],
  ['apps', 'the apps and the location of their data'],
  ['answers', 'rows, records and lists as JSON'],
  ['endpoints', 'the endpoints'],
  ['documentation', 'the OpenAPI document and its page'],
];
const SERVICE_BELOW = ['shared/access', 'shared/analytics', 'shared/runtime'];
/** What else a room of the service may import. */
const SERVICE_ALSO: Readonly<Record<string, string[]>> = {
  tables: ['shared/config', 'shared/alerting/text'],
  apps: ['shared/config'],
};
const SERVICE_PACKAGES = [
  ...['zod', 'temporal-polyfill', 'hono', 'hono/*', 'node:*', 'json-stringify-pretty-compact'],
  ...['kysely', '@duckdb/node-api', '@aws-sdk/client-athena', 'pg'],
];

const EVERYTHING = { rooms: ['*'], packages: ['*'] };

/** A file belongs to the first room that matches. */
export const ROOMS: Room[] = [
  {
    folder: 'shared/statistics',
    holds: 'pure: the tests, the seasonal model, attribution',
    rooms: [],
    packages: ['@stdlib/*'],
  },
  {
    folder: 'shared/analytics',
    holds: 'the contract of the data access interface, for its service and its clients',
    rooms: [],
    packages: ['zod'],
  },
  ...ALERTING.map(([name, holds, packages], i) => ({
    folder: `shared/alerting/${name}`,
    holds: `pure: ${holds}`,
    rooms: [...PURE, ...ALERTING.slice(0, i).map(([below]) => `shared/alerting/${below}`)],
    packages,
  })),
  {
    folder: 'shared/runtime',
    holds: 'environment, errors, log, secrets, and the only clock',
    rooms: [],
    packages: ['zod', '@aws-lambda-powertools/*', '@aws-sdk/client-secrets-manager', 'node:*'],
  },
  {
    folder: 'shared/access',
    holds: 'pure: API keys, limits and settings of apps',
    rooms: ['shared/analytics', 'shared/runtime'],
    packages: ['zod', 'node:crypto'],
  },
  {
    folder: 'shared/config',
    holds: 'pure: the form of `deltawatch.config.ts`, its stages and its tables',
    rooms: ['shared/access', 'shared/analytics', 'shared/alerting/text', 'shared/runtime'],
    packages: ['zod'],
  },
  {
    folder: 'shared/adapters',
    holds: 'clients of all external systems, one folder per technology',
    rooms: ['shared/access', 'shared/alerting', 'shared/analytics', 'shared/config', 'shared/runtime'],
    packages: [
      ...['zod', 'yaml', '@aws-sdk/*', '@slack/*', 'node:*'],
      ...['jose', 'standardwebhooks', 'request-filtering-agent', 'nodemailer', 'hono/html'],
    ],
  },
  {
    folder: 'shared/pictures',
    holds: 'charts as SVG and PNG',
    rooms: ['shared/alerting'],
    packages: ['vega', '@resvg/resvg-wasm', 'dejavu-fonts-ttf', 'node:*'],
  },
  {
    folder: 'shared/pages',
    holds: 'parts that all HTML pages share',
    rooms: ['shared/alerting'],
    packages: ['hono/html'],
  },
  {
    folder: 'shared/responding',
    holds: 'list, answer and silence alerts, for the page and the commands',
    rooms: ['shared/alerting', 'shared/runtime'],
    packages: ['zod'],
  },
  {
    folder: 'functions/data-access',
    files: 'handler.ts',
    holds: 'the Lambda of the service',
    rooms: ['shared'],
    packages: ['zod', 'hono/aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  ...SERVICE.map(([name, holds], i) => ({
    folder: `functions/data-access/${name}`,
    holds,
    rooms: [
      ...SERVICE_BELOW,
      ...(SERVICE_ALSO[name] ?? []),
      ...SERVICE.slice(0, i).map(([below]) => `functions/data-access/${below}`),
    ],
    packages: SERVICE_PACKAGES,
  })),
  {
    folder: 'functions/data-access',
    holds: 'the app of the service',
    rooms: SERVICE_BELOW,
    packages: SERVICE_PACKAGES,
  },
  {
    folder: 'functions/respond',
    files: 'handler.ts',
    holds: 'the Lambda of the page',
    rooms: ['shared'],
    packages: ['zod', 'hono', 'hono/aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  {
    folder: 'functions/respond',
    holds: 'the page, the links of messages, Slack buttons and pictures',
    rooms: [
      ...['shared/alerting', 'shared/analytics', 'shared/pages', 'shared/pictures'],
      ...['shared/responding', 'shared/runtime'],
    ],
    packages: ['zod', 'hono', 'hono/*'],
  },
  {
    folder: 'functions/*',
    files: 'handler.ts',
    holds: 'one Lambda: it parses, wires and calls its flow',
    rooms: ['shared'],
    packages: ['zod', 'aws-lambda', '@aws-sdk/*', 'node:*'],
  },
  // A flow gets its adapters as arguments.
  {
    folder: 'functions/*',
    holds: 'a flow, in the file with the name of its folder',
    rooms: ['shared/alerting', 'shared/analytics', 'shared/statistics', 'shared/runtime'],
    packages: ['zod'],
  },
  {
    folder: 'infra',
    holds: 'the CDK construct and its stacks; differences between stages are data',
    rooms: [
      ...['shared/alerting', 'shared/analytics', 'shared/adapters', 'shared/config'],
      ...['shared/pictures', 'shared/runtime'],
    ],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'esbuild', 'zod', 'node:*'],
  },
  {
    folder: 'local',
    holds: 'the whole system on one machine: table, inbox, demo and data',
    rooms: ['shared', 'functions'],
    packages: ['*'],
  },
  {
    folder: 'operations',
    holds: 'commands on a running installation: deploy, answer, silence, report',
    rooms: ['shared', 'functions', 'local'],
    packages: ['*'],
  },
  {
    folder: 'workbench',
    holds: 'trying rules before deploying them: backtests, rule tests, previews, suggestions',
    rooms: ['shared', 'functions', 'local', 'operations'],
    packages: ['*'],
  },
  {
    folder: 'cli',
    holds: 'the command `deltawatch`: a folder for each group of its help, a file for each command',
    rooms: ['shared', 'infra', 'local', 'operations', 'workbench'],
    packages: ['*'],
  },
  {
    folder: 'packaging',
    holds: 'builds the npm package from all of the above',
    rooms: ['infra'],
    packages: ['esbuild', 'zod', 'node:*'],
  },
  { folder: 'bench', holds: 'benchmarks; each prints its figures as JSON on its last line', ...EVERYTHING },
  {
    folder: 'test',
    holds: 'tests, each at the path of its source; `contracts` has one suite per port',
    ...EVERYTHING,
  },
];

/** The table of rooms in CONTRIBUTING.md. */
export function roomsTable(): string {
  const rows = ROOMS.map(({ folder, files, holds, rooms }) => {
    const name = files ? `${folder}/${files}` : folder;
    const imports = rooms.includes('*') ? 'everything' : importsText(rooms);
    return `| \`${name}\` | ${holds} | ${imports} |`;
  });
  return ['| folder | holds | may import |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Folders with ordered rooms. */
const GROUPS = ['shared/alerting', 'functions/data-access'];

function importsText(rooms: string[]): string {
  const ofGroup = (room: string) => GROUPS.find((group) => room.startsWith(`${group}/`));
  const others = rooms.filter((room) => !ofGroup(room)).map((room) => `\`${room}\``);
  const groups = new Set(rooms.flatMap((room) => ofGroup(room) ?? []));
  const above = [...groups].map((group) => `the rooms of \`${group}\` above`);
  return [...others, ...above].join(', ') || 'no other room';
}
