import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dataCommand } from '../../../cli/data/data.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { firstRules, starterFiles } from '../../../workbench/starter/starter-files.ts';

const NOW = Date.UTC(2026, 2, 20, 9, 30);
const ORDERS = 'ts,uid,event,os,plan\n1772439243,u-17,order,iOS,pro\n1772439340,u-04,search,Android,free\n';

let dir: string;
let printed: string[];
let asked: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'data-import-'));
  [printed, asked] = [[], []];
  vi.spyOn(console, 'log').mockImplementation((line: string) => printed.push(...line.split('\n')));
  vi.spyOn(console, 'error').mockImplementation((line: string) => printed.push(line));
  await writeFile(join(dir, 'orders.csv'), ORDERS);
  await rules('shop-rules', { app: 'shop', zone: 'Europe/Berlin' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  await rm(dir, { recursive: true, force: true });
});

async function rules(name: string, { app, zone }: { app: string; zone: string }) {
  await mkdir(join(dir, name));
  const files = starterFiles(app, firstRules(app, zone));
  for (const [file, text] of files) await writeFile(join(dir, name, file), text);
}

/** Imports with a terminal that gives this answer. Without an answer there is no terminal. */
async function importFile(args: string[], answer?: boolean) {
  const ask = async (question: string) => {
    asked.push(question);
    return answer ?? false;
  };
  const command = dataCommand(new ManualClock(NOW), answer === undefined ? undefined : ask);
  const words = ['import', join(dir, 'orders.csv'), ...args, '--data', join(dir, 'data')];
  await command.parseAsync(words, { from: 'user' });
}

const APP = ['--app', 'shop'];
const TABLE = [
  'column  becomes                          line 2      line 3',
  'ts      recorded_at                      1772439243  1772439340',
  'uid     user_id                          u-17        u-04',
  'event   event_name                       order       search',
  'os      device_platform, device_os_name  iOS         Android',
  'plan    property                         pro         free',
  '',
  'Times are read as seconds since 1970',
];

describe('data import of a file with other column names', () => {
  it('shows the mapping and imports after a yes', async () => {
    await importFile(APP, true);
    expect(asked).toEqual(['Import into shop like this?']);
    expect(printed).toEqual([
      ...TABLE,
      `shop in ${join(dir, 'data')}: 2 events imported`,
      'Total: 2 events, 2 sessions, 2 users, 2026-03-02 08:14 to 2026-03-02 08:15 UTC',
      'Properties: plan',
    ]);
  });

  it('imports nothing after a no', async () => {
    await importFile(APP, false);
    expect(printed.slice(0, -1)).toEqual(TABLE);
    expect(printed.at(-1)).toMatch(/^Nothing was imported/);
    expect(process.exitCode).toBe(1);
    expect(await readdir(dir)).not.toContain('data');
  });

  it('imports without a question with --yes, and fails without a terminal', async () => {
    await expect(importFile(APP)).rejects.toThrow(/there is no terminal to ask at.*--yes/);
    expect(await readdir(dir)).not.toContain('data');
    await importFile([...APP, '--yes']);
    expect(printed).toContain(`shop in ${join(dir, 'data')}: 2 events imported`);
  });

  it('fails before it asks if a field has no column', async () => {
    await writeFile(join(dir, 'orders.csv'), ORDERS.replace('uid', 'buyer'));
    await expect(importFile(APP, true)).rejects.toThrow(/no column found for user_id.*--map user_id=COLUMN/);
    expect(asked).toEqual([]);
    await importFile([...APP, '--map', 'user_id=buyer'], true);
    expect(asked).toHaveLength(1);
    expect(printed.at(-1)).toBe('Properties: plan');
  });

  it('rejects times in an unknown format', async () => {
    await writeFile(join(dir, 'orders.csv'), 'time,event,user\n06/20/2026 12:01,open,ann\n');
    await expect(importFile([...APP, '--yes'])).rejects.toThrow(
      /no column found for recorded_at.*ISO 8601 .* or Unix time; convert others first/,
    );
    expect(await readdir(dir)).not.toContain('data');
  });
});

it('does not ask about a complete mapping', async () => {
  const maps = ['event_name=event', 'user_id=uid', 'recorded_at=ts'].flatMap((pair) => ['--map', pair]);
  await importFile([...APP, ...maps], true);
  expect(asked).toEqual([]);
  expect(printed.at(-1)).toBe('Properties: os, plan');
});

it('imports events in the future with a warning', async () => {
  await writeFile(
    join(dir, 'orders.csv'),
    'event_name,user_id,recorded_at\na,u,2026-03-20T09:30Z\na,u,2026-03-20T10:31+01:00\na,u,2036-01-01\n',
  );
  await importFile(APP);
  expect(printed[0]).toContain('3 events imported');
  expect(printed.filter((line) => line.length > 80)).toEqual([]);
  expect(
    printed
      .slice(2)
      .map((line) => line.trim())
      .join(' '),
  ).toBe(
    'warning: 2 of 3 events are in the future, up to 2036-01-01 00:00 UTC (lines 3, 4). They are imported, ' +
      'but no rule sees an event before its time. If the times are wrong, check --time-format and the ' +
      'offsets, and import again with --replace',
  );
});

it('prints times in the zone of the app, from its settings', async () => {
  await mkdir(join(dir, 'data'));
  const settings = { id: 'shop', name: 'shop', zone: 'America/New_York' };
  await writeFile(join(dir, 'data', 'shop.json'), JSON.stringify(settings));
  await writeFile(
    join(dir, 'orders.csv'),
    'event_name,user_id,recorded_at\na,u,2026-03-02T03:00Z\na,u,2036-07-01T00:00Z\n',
  );
  await importFile(APP);
  const text = printed.join('\n').replaceAll(/\s+/g, ' ');
  expect(text).toContain('2026-03-01 22:00 to 2036-06-30 20:00 America/New_York');
  expect(text).toContain('in the future, up to 2036-06-30 20:00 America/New_York (line 3)');
});

it('prints no terminal escapes, in 80 columns', async () => {
  const cells = (n: number) => Array.from({ length: n }, (_, i) => `value-${i}-${'x'.repeat(40)}`);
  const header = ['ts', 'uid', 'event', `a-column-with-a-name-of-${'y'.repeat(30)}`, 'esc'];
  const row = ['1772439243', ...cells(3), '\u001b[2J'];
  await writeFile(join(dir, 'orders.csv'), `${header}\n${row}\n${row}\n${row}\n`);
  await importFile(APP, false);
  expect(printed.filter((line) => line.length > 80)).toEqual([]);
  expect(printed.join()).not.toContain('\u001b');
  expect(printed[0]).toMatch(/^column +becomes +line 2/);
});

describe('data import with rules', () => {
  const rulesIn = (...names: string[]) => names.flatMap((name) => ['--rules', join(dir, name)]);
  const settings = async () => JSON.parse(await readFile(join(dir, 'data', 'shop.json'), 'utf8'));

  it('takes the app and the time zone from the rules, and asks', async () => {
    await importFile(rulesIn('shop-rules'), true);
    const folder = join(dir, 'shop-rules');
    expect(asked).toEqual(['Import into shop like this?']);
    const said = printed.join(' ').replaceAll(/ +/g, ' ');
    expect(said).toContain(`App: shop, from the rules in ${folder}`);
    expect(said).toContain(`Time zone: Europe/Berlin, from the rules in ${folder}`);
    expect(await settings()).toMatchObject({ id: 'shop', zone: 'Europe/Berlin' });
  });

  it('warns if --zone or --app differs from the rules', async () => {
    await importFile([...rulesIn('shop-rules'), ...APP, '--zone', 'Asia/Tokyo', '--yes']);
    expect(printed.join(' ').replaceAll(/ +/g, ' ')).toMatch(
      /shop has the time zone Asia\/Tokyo, but the rules in \S+ use Europe\/Berlin: use one zone in both/,
    );
    expect(await settings()).toMatchObject({ zone: 'Asia/Tokyo' });
    await importFile([...rulesIn('shop-rules'), '--app', 'shpo', '--yes']);
    expect(printed.join(' ').replaceAll(/ +/g, ' ')).toMatch(
      /No rule watches shpo: the rules in \S+ watch shop/,
    );
  });
});
