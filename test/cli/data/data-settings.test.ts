import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dataCommand } from '../../../cli/data/data.ts';
import { openLocalTable } from '../../../local/table.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { dynamodbAppSettings } from '../../../shared/store/dynamodb/app-settings.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';
import { event, type Sample, sample, session } from '../../functions/data-access/sample-app.ts';

const NOW = Date.UTC(2026, 3, 10);
let shop: Sample;
let printed: string[];
beforeEach(async () => {
  const visit = session({ session_id: 's1', user_id: 'u1' });
  shop = await sample({ sessions: [visit], events: [event(visit)] });
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(...text.split('\n')));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await shop.close();
});

const run = (...args: string[]) =>
  dataCommand(new ManualClock(NOW)).parseAsync(
    ['settings', '--app', 'shop', '--data', shop.directory, ...args],
    { from: 'user' },
  );
const settingsFile = async () =>
  JSON.parse(await readFile(join(shop.directory, 'shop.json'), 'utf8')) as object;

async function links() {
  const events = await shop.get('/v2/event');
  const users = await shop.post('/api/data-access/v1/user');
  const figures = await shop.post('/api/data-access/v1/user/analytics');
  return [events.body.data[0]?.url, users.body.data[0]?.url, figures.body.data[0]?.dashboard_link];
}

describe('data settings --dashboard-url', () => {
  test('adds links from the next request on, until --no-dashboard-url', async () => {
    expect(await links()).toEqual(['', '', '']);
    await run('--dashboard-url', 'https://dash.example.com/team/');
    expect(await links()).toEqual([
      'https://dash.example.com/team/apps/shop/sessions/s1',
      'https://dash.example.com/team/apps/shop/users/u1',
      expect.stringMatching(/^https:\/\/dash\.example\.com\/team\/apps\/shop\/analytics\?from=/),
    ]);
    expect(printed).toContain('dashboard URL   https://dash.example.com/team');
    await run('--no-dashboard-url');
    expect(await links()).toEqual(['', '', '']);
  });

  test('keeps the other settings', async () => {
    const path = join(shop.directory, 'shop.json');
    const rateLimit = { perSecond: 50, perHour: 9000, enforce: true };
    const before = { id: 'shop', name: 'Shop', zone: 'Asia/Tokyo', rateLimit };
    await writeFile(path, JSON.stringify(before));
    await run('--dashboard-url', 'http://localhost:8080');
    expect(await settingsFile()).toEqual({ ...before, dashboardUrl: 'http://localhost:8080' });
    await run('--no-dashboard-url');
    expect(await settingsFile()).toEqual(before);
    expect(printed.slice(-5)).toEqual([
      'app             shop',
      'name            Shop',
      'time zone       Asia/Tokyo',
      'dashboard URL   none: url and dashboard_link are ""',
      'limit of a key  50 requests a second, 9000 an hour',
    ]);
  });

  test.each([
    'dash.example.com',
    'ftp://dash.example.com',
    'javascript:alert(1)',
    'https://me:secret@dash.example.com',
    'https://dash.example.com/?a=1',
    'https://dash.example.com/#top',
  ])('rejects %s', async (url) => {
    const before = await settingsFile();
    const command = dataCommand(new ManualClock(NOW)).exitOverride();
    for (const each of command.commands) each.exitOverride();
    const asked = ['settings', '--app', 'shop', '--data', shop.directory, '--dashboard-url', url];
    await expect(command.parseAsync(asked, { from: 'user' })).rejects.toThrow(
      /Use an http or https URL without a query, such as https:\/\/dashboard\.example\.com\./,
    );
    expect(await settingsFile()).toEqual(before);
  });
});

test('data settings without options prints the settings and writes nothing', async () => {
  const before = await readFile(join(shop.directory, 'shop.json'), 'utf8');
  await run();
  expect(printed).toContain('limit of a key  none');
  expect(await readFile(join(shop.directory, 'shop.json'), 'utf8')).toBe(before);
});

test('data settings rejects --table without a change', async () => {
  await expect(run('--table', 'deltawatch')).rejects.toThrow(
    '--table replaces the settings in that table: add --dashboard-url or --no-dashboard-url',
  );
});

test('data settings of an unknown app says how to import it', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'no-apps-'));
  const asked = dataCommand().parseAsync(['settings', '--app', 'blog', '--data', empty], { from: 'user' });
  await expect(asked).rejects.toThrow(`There is no app blog in ${empty}; import its data with: deltawatch`);
  await rm(empty, { recursive: true });
});

test('data settings --table also saves them in the DynamoDB table', async () => {
  const table = await openLocalTable(new ManualClock(NOW));
  await using dynamodb = await portOf(table.socketPath);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  try {
    await run('--dashboard-url', 'https://dash.example.com', '--table', table.name);
    expect(await dynamodbAppSettings(table).settingsOf('shop')).toMatchObject({
      dashboardUrl: 'https://dash.example.com',
    });
    expect(printed.at(-1)).toBe('The table deltawatch has these settings too.');
  } finally {
    await table.close();
  }
});
