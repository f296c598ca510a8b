import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dataCommand } from '../../../../cli/data/data.ts';
import { incidentsBetween, writtenIncident } from '../../../../local/data/demo/incidents.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { appSettingsIn } from '../../../../shared/store/app-settings.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { startS3Server } from '../../../contracts/s3-server.ts';
import { openEmulatedTable } from '../../../fixtures/dynamodb.ts';
import { portOf } from '../../../fixtures/port-of-socket.ts';

const NOW = Date.UTC(2026, 2, 20, 9, 30);

let dir: string;
let printed: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'data-command-'));
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => printed.push(...line.split('\n')));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  dataCommand(new ManualClock(NOW)).parseAsync([...args, '--data', dir], { from: 'user' });

async function rowsOf(app: string, sql: string) {
  const instance = await DuckDBInstance.create(join(dir, `${app}.duckdb`));
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

describe('data generate', () => {
  it('writes data, settings and incidents, and reports them in 80 columns', async () => {
    await run('generate', '--days', '10', '--seed', '4');

    const [span] = await rowsOf(
      'demo',
      'SELECT make_timestamp_ms(min(recorded_at)) AS first, make_timestamp_ms(max(recorded_at)) AS last FROM sessions',
    );
    expect(span?.first).toMatch('2026-03-10 09:');
    expect(span?.last).toMatch('2026-03-20 09:');
    expect(JSON.parse(await readFile(join(dir, 'demo.json'), 'utf8'))).toMatchObject({
      id: 'demo',
      name: 'Demo shop',
      zone: 'Europe/Berlin',
    });
    const written: unknown = JSON.parse(await readFile(join(dir, 'demo.incidents.json'), 'utf8'));
    expect(written).toEqual(incidentsBetween(4, NOW - 10 * DAY_MS, NOW).map(writtenIncident));
    expect(printed[0]).toContain('the demo shop of seed 4, 10 days to 2026-03-20 09:30 UTC');
    expect(printed.slice(1).every((line) => line.length <= 80)).toBe(true);
  });

  it.each([
    ['--days', '0'],
    ['--until', '2019-01-01'],
    ['--app', '../demo'],
  ])('refuses %s %s', async (...args) => {
    await expect(run('generate', ...args)).rejects.toMatchObject({ name: 'InvalidRequestError' });
  });
});

describe('data import', () => {
  const MESSAGES = 'sender,receiver,unix_time\n1,2,1082040961\n3,4,1082155839\nx\n';
  const asMessages = ['--app', 'college', '--map', 'user_id=sender', '--map', 'recorded_at=unix_time'];
  asMessages.push('--set', 'event_name=message', '--time-format', 'unix');

  it('imports a file with a mapping, and lists skipped lines', async () => {
    const file = join(dir, 'messages.csv');
    await writeFile(file, MESSAGES);
    await expect(run('import', file, ...asMessages)).rejects.toThrow('1 of 3 records cannot be imported');

    await run('import', file, ...asMessages, '--skip-bad');
    expect(printed).toEqual([
      `college in ${dir}: 2 events imported`,
      'Total: 2 events, 2 sessions, 2 users, 2004-04-15 14:56 to 2004-04-16 22:50 UTC',
      'Properties: receiver',
      '1 invalid line skipped:',
      '  line 4: it has fewer values than the first line has columns',
    ]);
    await expect(run('import', file, ...asMessages)).rejects.toThrow('add the file with --append');
  });

  it.each([
    { name: 'no file', args: ['--app', 'a'] },
    { name: '--append with --replace', args: ['e.csv', '--app', 'a', '--append', '--replace'] },
    { name: 'an unknown time format', args: ['e.csv', '--app', 'a', '--time-format', 'french'] },
    { name: 'an unknown format', args: ['e.csv', '--app', 'a', '--format', 'xml'] },
  ])('reports wrong usage for $name', async ({ args }) => {
    await expect(run('import', ...args)).rejects.toMatchObject({ name: 'CommanderError' });
  });
});

/** S3 on loopback, as the environment names it. */
async function emulatedS3() {
  const s3 = await startS3Server();
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
  return s3;
}

describe('data publish', () => {
  const FILE = 'event_name,user_id,recorded_at\na,u,2026-03-01T10:00Z\nb,v,2026-03-02T10:00Z\n';
  const PLACE = 's3://bucket/tables';
  const importShop = async (...more: string[]) => {
    await writeFile(join(dir, 'e.csv'), FILE);
    await run('import', join(dir, 'e.csv'), '--app', 'shop', ...more);
  };

  it('writes the files of the folder once, and reports them', async () => {
    await using s3 = await emulatedS3();
    await importShop('--zone', 'Europe/Berlin');
    printed.length = 0;
    await run('publish', '--app', 'shop', '--to', PLACE);
    await run('publish', '--app', 'shop', '--to', PLACE);

    const files = [...s3.objects.keys()];
    const count = files.filter((name) => name.endsWith('data.parquet')).length;
    expect(printed.join('\n').replaceAll('\n  ', ' ').split('\n')).toEqual([
      `Published shop to ${PLACE}: ${count} files written (0.0 MB), 0 unchanged; 2026-03-01 to 2026-03-02`,
      `Published shop to ${PLACE}: 0 files written (0.0 MB), ${count} unchanged; 2026-03-01 to 2026-03-02`,
    ]);
    expect(files).toContain('bucket/tables/v2/events/app_id=shop/day=2026-03-02/data.parquet');
  });

  it('publishes the settings to DynamoDB too', async () => {
    await using s3 = await emulatedS3();
    const table = await openEmulatedTable(new ManualClock(NOW));
    await using dynamodb = await portOf(table.socketPath);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.url);
    try {
      await importShop('--zone', 'Asia/Tokyo');
      await run('publish', '--app', 'shop', '--to', `${PLACE}/`, '--table', table.name);
      expect([...s3.objects.keys()]).toContain(
        'bucket/tables/v2/sessions/app_id=shop/day=2026-03-01/data.parquet',
      );
      expect(printed.at(-1)).toBe('Saved its settings in the table deltawatch');
      expect(await appSettingsIn(table).settingsOf('shop')).toMatchObject({ zone: 'Asia/Tokyo' });
    } finally {
      await table.close();
    }
  });

  it('says which place is right', async () => {
    await importShop();
    await expect(run('publish', '--app', 'shop', '--to', join(dir, 'lake'))).rejects.toThrow(
      'is not a place such as s3://BUCKET/PREFIX',
    );
  });
});

describe('data --json prints one document and nothing else', () => {
  const FILE = 'event_name,user_id,recorded_at,plan\na,u,2026-03-01T10:00Z,pro\nb,v,2027-03-02T10:00Z,\nc\n';
  /** Parses the only line that the command prints. */
  async function documentOf(...args: string[]): Promise<unknown> {
    printed.length = 0;
    await run(...args, '--json');
    expect(printed).toHaveLength(1);
    return JSON.parse(printed[0] ?? '');
  }
  it('import and publish', async () => {
    await writeFile(join(dir, 'e.csv'), FILE);
    expect(await documentOf('import', join(dir, 'e.csv'), '--app', 'shop', '--skip-bad')).toEqual({
      ...{ app: 'shop', folder: dir, imported: 2, bad: 1, repeated: 0, properties: ['plan'] },
      badLines: [{ line: 4, problem: expect.stringContaining('fewer values') }],
      future: { events: 1, lastAt: '2027-03-02T10:00:00.000Z' },
      total: {
        ...{ events: 2, sessions: 2, users: 2 },
        ...{ firstAt: '2026-03-01T10:00:00.000Z', lastAt: '2027-03-02T10:00:00.000Z' },
      },
    });
    await using _ = await emulatedS3();
    const lake = 's3://lake';
    await run('publish', '--app', 'shop', '--to', lake);
    expect(await documentOf('publish', '--app', 'shop', '--to', lake)).toEqual({
      files: {
        ...{ to: lake, written: 0, bytesWritten: 0, unchanged: expect.any(Number), removed: 0 },
        ...{ firstDay: '2026-03-01', lastDay: '2027-03-02' },
      },
      settings: null,
    });
  });
});
