import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleHandler } from '../infra/bundles.ts';
import { FUNCTIONS, type FunctionName } from '../infra/function-bundles.ts';
import { measureBundle } from './bundles.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMES = 15;

const CLIENTS: Readonly<Record<string, string>> = {
  athena: 'AthenaClient',
  cloudwatch: 'CloudWatchClient',
  dynamodb: 'DynamoDBClient',
  eventbridge: 'EventBridgeClient',
  lambda: 'LambdaClient',
  'secrets-manager': 'SecretsManagerClient',
  s3: 'S3Client',
  sesv2: 'SESv2Client',
  sns: 'SNSClient',
  sqs: 'SQSClient',
};

const ENVIRONMENT = {
  ...{ AWS_LAMBDA_FUNCTION_NAME: 'function', AWS_LAMBDA_FUNCTION_VERSION: '1' },
  ...{ STAGE_NAME: 'stage', TABLE_NAME: 'table', STACK_NAME: 'stack', HAS_BUTTONS: 'false' },
  ...{ WAKE_UPS_URL: 'https://example.com/wake-ups', BATCHES_URL: 'https://example.com/batches' },
  ...{ COMPARES_USERS: 'true', DATA_ACCESS_URL: 'https://example.com', API_KEY_SECRET: 'key' },
  ...{ CALLS_PER_HOUR: '500', CALLS_PER_SECOND: '5', NOTES_VERSIONS: 'true' },
  ...{ PUBLIC_URL: 'https://example.com', SIGNING_SECRET: 'links', SESSION_SECRET: 'sessions' },
  ...{ ACCESS: 'session', CURSOR_SECRET: 'cursors', WORKGROUP: 'workgroup', DATABASE: 'database' },
};

/**
 * The load time of each function, relative to an empty handler with the same AWS clients. Both are bundled the same way;
 * each time is the median over new processes, in milliseconds.
 */
export async function run() {
  const directory = await mkdtemp(join(ROOT, 'node_modules', '.cold-start-'));
  try {
    const figures = [];
    for (const name of FUNCTIONS) figures.push([name, await coldStartOf(name, join(directory, name))]);
    return Object.fromEntries(figures);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function coldStartOf(name: FunctionName, directory: string) {
  const [full, empty] = [join(directory, 'full'), join(directory, 'empty')];
  const packages = await bundleHandler(join(ROOT, 'functions', name, 'handler.ts'), full);
  const clients = [...packages].flatMap((folder) => /@aws-sdk\/client-(.+)$/.exec(folder)?.[1] ?? []);
  await writeFile(`${directory}.mjs`, emptyHandler(clients));
  await bundleHandler(`${directory}.mjs`, empty);
  const loadMs: number[] = [];
  const emptyMs: number[] = [];
  let bytes = 0;
  // In turn, so that both meet the same load of the machine.
  for (let i = 0; i < TIMES; i++) {
    const loaded = await measureBundle(full, ENVIRONMENT, 1);
    bytes = loaded.bytes;
    loadMs.push(...loaded.loadMs);
    emptyMs.push(...(await measureBundle(empty, {}, 1)).loadMs);
  }
  const [ms, ofEmpty] = [median(loadMs), median(emptyMs)];
  return { ratio: Math.round((ms / ofEmpty) * 100) / 100, ms: Math.round(ms), bytes };
}

/** Creates these clients, and the document client of DynamoDB that all functions use. */
function emptyHandler(clients: readonly string[]): string {
  const classes = clients.map((client) => {
    const name = CLIENTS[client];
    if (name === undefined) throw new RangeError(`the class of @aws-sdk/client-${client} is not known`);
    return [name, client];
  });
  return [
    ...classes.map(([name, client]) => `import { ${name} } from '@aws-sdk/client-${client}';`),
    "import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';",
    `const clients = [${classes.map(([name]) => `new ${name}()`).join(', ')}];`,
    'clients.push(DynamoDBDocumentClient.from(new DynamoDBClient()));',
    'export const handler = async () => clients.length;',
  ].join('\n');
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;
