import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import {
  deltawatch,
  eventually,
  type Folder,
  freePort,
  launchDeltawatch,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';

let whole: Folder;

beforeAll(async () => {
  whole = await temporaryFolder();
  const now = Date.now();
  const times = Array.from({ length: 40 * 24 }, (_, i) => now - 40 * DAY_MS + i * HOUR_MS);
  const lines = times.map((at, i) => `${new Date(at).toISOString()},order,u${i % 50}`);
  await writeFile(join(whole.path, 'events.csv'), ['time,event,user_id', ...lines].join('\n'));
  await deltawatch(['data', 'import', 'events.csv', '--app', 'shop', '--yes'], whole.path);
  await deltawatch(['init'], whole.path);
  await using started = launchDeltawatch(['start', '--port', String(await freePort())], whole.path);
  await eventually(
    'the end of the replay',
    () => started.printed().includes('Now live') || undefined,
    60_000,
  );
  started.kill('SIGINT');
  expect(await started.ended).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => whole[Symbol.asyncDispose]());

const IMPORT = 'data import events.csv --app shop --yes --append';
const STATE = ['start', 'status', 'alerts'];
const DATA = ['start', 'init --rules other', IMPORT, 'backtest', 'serve'];
const A_FILE = 'it is a file, but a folder is expected';
const A_FOLDER = 'it is a folder, but a file is expected';

test.each<[path: string, content: string | undefined, commands: string[], said: string]>([
  ['', 'x', [...STATE, ...DATA], `.deltawatch: ${A_FILE}`],
  ['table.sqlite', 'x'.repeat(5000), STATE, 'table .deltawatch/table.sqlite cannot be used: it is damaged'],
  ['table.sqlite', undefined, STATE, 'table .deltawatch/table.sqlite cannot be used: it is no file that'],
  ['table.sqlite', '', STATE, 'the table .deltawatch/table.sqlite has lost its rules and alerts'],
  ['secrets.json', '{"a', ['start'], 'The secrets file .deltawatch/secrets.json is not JSON'],
  ['secrets.json', undefined, ['start'], `.deltawatch/secrets.json: ${A_FOLDER}`],
  ['running.json', undefined, ['start'], `.deltawatch/running.json: ${A_FOLDER}`],
  ['ticks.json', '{"ticked', ['start'], '.deltawatch/ticks.json has an invalid format: restore it'],
  ['slack-inbox.ndjson', undefined, ['start'], `.deltawatch/slack-inbox.ndjson: ${A_FOLDER}`],
  ['data', 'x', [...DATA, 'keys create --app shop'], `.deltawatch/data: ${A_FILE}`],
  ['data/keys.json', '[', ['serve', 'keys list'], '.deltawatch/data/keys.json has an invalid format'],
  ['data/shop.json', '{', DATA, '.deltawatch/data/shop.json has an invalid format'],
  [
    'data/shop.duckdb',
    'x',
    [...DATA, 'data publish --app shop --to s3://out'],
    'again, the first with --replace',
  ],
])(
  '%s with the content %j is one sentence',
  async (path, content, commands, said) => {
    await Promise.all(
      commands.map(async (command) => {
        await using folder = await temporaryFolder();
        await cp(whole.path, folder.path, { recursive: true });
        const damaged = join(folder.path, '.deltawatch', path);
        await rm(damaged, { recursive: true, force: true });
        await (content === undefined ? mkdir(damaged) : writeFile(damaged, content, { mode: 0o600 }));
        const port = ['start', 'serve'].includes(command) ? ['--port', String(await freePort())] : [];
        const { code, stderr } = await deltawatch([...command.split(' '), ...port], folder.path);
        expect({ command, code, said: stderr.replaceAll('\n  ', ' ') }).toEqual({
          ...{ command, code: 1 },
          said: expect.stringMatching(/^error: [^\n]*\n$/),
        });
        expect(stderr.replaceAll('\n  ', ' '), command).toContain(said);
      }),
    );
  },
  60_000,
);

test('an import that is interrupted leaves nothing', async () => {
  await using folder = await temporaryFolder();
  await cp(whole.path, folder.path, { recursive: true });
  await using running = launchDeltawatch(['data', 'generate', '--app', 'demo'], folder.path);
  const isWriting = async () => (await filesIn(folder.path)).includes('demo.duckdb.new') || undefined;
  await eventually('the first file', isWriting, 60_000);
  running.kill('SIGINT');
  await running.ended;
  expect(await filesIn(folder.path)).toEqual(['shop.duckdb', 'shop.json']);
}, 60_000);

const filesIn = async (dir: string) => (await readdir(join(dir, '.deltawatch/data'))).sort();
