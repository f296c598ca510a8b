/**
 * A folder or a file, its purpose, and the other folders and packages that it may import. `*` matches any text. `files`
 * limits the room to files with this name.
 */
export interface Room {
  folder: string;
  files?: string;
  holds: string;
  rooms: string[];
  packages: string[];
}

/** The pure rooms that decide, lowest first. Each may import those before it. */
const CORE: [name: string, holds: string, packages?: string[]][] = [
  ['units', 'durations, and values that are made on first use'],
  ['statistics', 'the tests, the seasonal model, attribution'],
  ['contract', 'the contract of the data access interface, for its service and its clients', ['zod']],
  ['text', 'identifiers, hashes and quoted names', ['zod', 'node:crypto', 'fastest-levenshtein']],
  [
    'time',
    'windows, cadences, time zones, calendars and holidays',
    ['zod', 'temporal-polyfill', 'date-holidays', 'node:module'],
  ],
  ['rules', 'the schema of a rule: its metrics, bounds and comparison', ['zod']],
  ['readings', 'answers of the data access service, and the next questions to it', ['zod']],
  ['evaluation', 'from readings to a verdict: baselines, gates, seasons, drivers', ['zod']],
  ['alerts', 'the state of one rule and segment: lifecycle, transitions, health, answers', ['zod']],
  ['planning', 'which windows a run evaluates and which readings it needs', ['zod']],
  ['silences', 'silences and what they match; routes match in the same way', ['zod']],
  ['channels/kind.ts', 'what every kind of channel needs: its settings, secrets and rights', ['zod']],
  ['channels/*/config.ts', 'the settings, secrets and rights of one kind of channel', ['zod']],
  ['channels/kinds.ts', 'the kinds of channels', ['zod']],
  [
    'notifications',
    'who is notified, when, and once: routes, groups, reminders',
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
/** The folders of the pure rooms, lowest first. */
export const CORE_ROOMS = CORE.map(([name]) => `shared/${name}`);

const SERVICE_GROUP = 'functions/data-access';
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
const SERVICE_BELOW = ['shared/units', 'shared/access', 'shared/contract', 'shared/runtime'];
/** What else a room of the service may import. */
const SERVICE_ALSO: Readonly<Record<string, string[]>> = {
  engines: ['shared/http', 'shared/text'],
  tables: ['shared/config', 'shared/text'],
  requests: ['shared/text'],
  apps: ['shared/config'],
  documentation: ['shared/pages'],
};
const SERVICE_PACKAGES = [
  ...['zod', 'temporal-polyfill', 'hono', 'hono/*', 'node:*', 'json-stringify-pretty-compact'],
  ...['kysely', '@duckdb/node-api', '@aws-sdk/client-athena', '@clickhouse/client', 'pg'],
];

const EVERYTHING = { rooms: ['*'], packages: ['*'] };

/** A file belongs to the first room that matches. */
export const ROOMS: Room[] = [
  ...CORE.map(([name, holds, packages = []], i) => ({
    folder: `shared/${name}`,
    holds: `pure: ${holds}`,
    rooms: CORE_ROOMS.slice(0, i),
    packages,
  })),
  {
    folder: 'shared/runtime',
    holds: 'environment, errors, log, secrets, and the only clock',
    rooms: ['shared/units'],
    packages: ['zod', '@aws-lambda-powertools/*', '@aws-sdk/client-secrets-manager', 'node:*'],
  },
  {
    folder: 'shared/http',
    holds: 'what all HTTP clients do: retries, hidden secrets, unreachable hosts',
    rooms: ['shared/runtime'],
    packages: [],
  },
  {
    folder: 'shared/access',
    holds: 'API keys, limits, settings of apps, and signed links',
    rooms: [...CORE_ROOMS, 'shared/runtime'],
    packages: ['zod', 'node:crypto', 'jose'],
  },
  {
    folder: 'shared/config',
    holds: 'the form of `deltawatch.config.ts`, its stages and its tables',
    rooms: [...CORE_ROOMS, 'shared/access', 'shared/rule-files', 'shared/runtime'],
    packages: ['zod', 'node:*'],
  },
  {
    folder: 'shared/aws',
    holds: 'clients of AWS: stacks, functions, queues and files',
    rooms: [...CORE_ROOMS, 'shared/config', 'shared/runtime'],
    packages: ['zod', '@aws-sdk/*', 'node:*'],
  },
  {
    folder: 'shared/rule-files',
    holds: 'reads rules, routes and tests from YAML and TypeScript files',
    rooms: [...CORE_ROOMS, 'shared/runtime'],
    packages: ['zod', 'yaml', 'node:*'],
  },
  {
    folder: 'shared/source',
    holds: 'the client of a data access service',
    rooms: [...CORE_ROOMS, 'shared/aws', 'shared/http', 'shared/runtime'],
    packages: ['zod', '@aws-sdk/*', 'node:crypto'],
  },
  {
    folder: 'shared/store',
    holds: 'the stores: one table, a file for each kind of item',
    rooms: [...CORE_ROOMS, 'shared/access', 'shared/aws', 'shared/runtime'],
    packages: ['zod', '@aws-sdk/*', 'node:*'],
  },
  {
    folder: 'shared/channels',
    holds: 'the channels, a folder for each kind',
    rooms: [...CORE_ROOMS, 'shared/aws', 'shared/http', 'shared/runtime'],
    packages: [
      ...['zod', '@aws-sdk/*', '@slack/*', 'node:*'],
      ...['standardwebhooks', 'request-filtering-agent', 'nodemailer', 'hono/html'],
    ],
  },
  {
    folder: 'shared/charts',
    holds: 'charts as SVG and PNG',
    rooms: CORE_ROOMS,
    packages: ['vega', '@resvg/resvg-wasm', 'dejavu-fonts-ttf', 'node:*'],
  },
  {
    folder: 'shared/pages',
    holds: 'parts that all HTML pages share',
    rooms: CORE_ROOMS,
    packages: ['hono/html'],
  },
  {
    folder: 'shared/responding',
    holds: 'list and answer alerts, for the page and the commands',
    rooms: [...CORE_ROOMS, 'shared/runtime'],
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
    holds: 'the page, the interface of alerts, the links of messages, Slack buttons and pictures',
    rooms: [
      ...[...CORE_ROOMS, 'shared/pages', 'shared/charts', 'shared/responding', 'shared/access'],
      'shared/runtime',
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
    rooms: [...CORE_ROOMS, 'shared/runtime'],
    packages: ['zod'],
  },
  {
    folder: 'infra',
    holds: 'the CDK construct and its stacks; differences between stages are data',
    rooms: ['shared'],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'esbuild', 'zod', 'node:*'],
  },
  {
    folder: 'local',
    holds: 'the whole system on one machine: table, inbox, demo and data',
    rooms: ['shared', 'functions'],
    packages: ['*'],
  },
  {
    folder: 'workbench',
    holds: 'trying rules before deploying them: backtests, rule tests, previews, suggestions',
    rooms: ['shared', 'functions', 'local'],
    packages: ['*'],
  },
  {
    folder: 'cli',
    holds: 'the command `deltawatch`: a folder for each group of its help, a file for each command',
    rooms: ['shared', 'functions', 'infra', 'local', 'workbench'],
    packages: ['*'],
  },
  {
    folder: 'packaging',
    holds: 'builds the npm package from all of the above',
    rooms: ['infra'],
    packages: ['zod', 'node:*'],
  },
  { folder: 'bench', holds: 'benchmarks; each prints its figures as JSON on its last line', ...EVERYTHING },
  {
    folder: 'test',
    holds: 'tests, each at the path of its source',
    ...EVERYTHING,
  },
];

/** The most lines of source in each room. A commit that raises one says why. */
export const LINES: Readonly<Record<string, number>> = {
  'functions/check-rules': 1783,
  'functions/data-access': 8865,
  'functions/notify': 973,
  'functions/plan-checks': 128,
  'functions/respond': 4781,
  'functions/sync-rules': 300,
  'shared/access': 284,
  'shared/alerts': 2416,
  'shared/aws': 579,
  'shared/channels': 3169,
  'shared/charts': 707,
  'shared/config': 753,
  'shared/contract': 1548,
  'shared/deployments': 314,
  'shared/evaluation': 2327,
  'shared/http': 46,
  'shared/lint': 424,
  'shared/messages': 2412,
  'shared/notifications': 1577,
  'shared/pages': 427,
  'shared/planning': 594,
  'shared/readings': 1233,
  'shared/responding': 667,
  'shared/rule-files': 1465,
  'shared/rule-tests': 277,
  'shared/rules': 1829,
  'shared/runtime': 400,
  'shared/silences': 129,
  'shared/source': 1332,
  'shared/statistics': 2998,
  'shared/store': 2215,
  'shared/text': 245,
  'shared/time': 988,
  'shared/units': 24,
  infra: 2419,
  local: 5834,
  workbench: 4861,
  cli: 6001,
  packaging: 79,
};

/** The table of rooms in CONTRIBUTING.md. */
export function roomsTable(): string {
  const rows = ROOMS.map(({ folder, files, holds, rooms }) => {
    const name = files ? `${folder}/${files}` : folder;
    const imports = rooms.includes('*') ? 'everything' : importsText(rooms);
    return `| \`${name}\` | ${holds} | ${imports} |`;
  });
  return ['| folder | holds | may import |', '| --- | --- | --- |', ...rows].join('\n');
}

function importsText(rooms: string[]): string {
  const below = rooms.filter((room) => CORE_ROOMS.includes(room));
  const service = rooms.some((room) => room.startsWith(`${SERVICE_GROUP}/`));
  const others = rooms.filter(
    (room) => !room.startsWith(`${SERVICE_GROUP}/`) && !(service && SERVICE_BELOW.includes(room)),
  );
  const named = below.length > 4 ? others.filter((room) => !below.includes(room)) : others;
  return (
    [
      ...(below.length > 4 ? [`\`shared/units\` to \`${below.at(-1)}\``] : []),
      ...named.map((room) => `\`${room}\``),
      ...(service ? [`those of \`${SERVICE_GROUP}\` and its rooms above`] : []),
    ].join(', ') || 'no other room'
  );
}
