import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { dataCommand } from '../../cli/data/data.ts';
import { statusText } from '../../cli/operate/status.ts';
import { statusReport } from '../../cli/operate/status-report.ts';
import { readRules } from '../../cli/options/read-rules.ts';
import { checkCommand } from '../../cli/rules/check.ts';
import { backtestCommand } from '../../cli/testing/backtest.ts';
import { figuresOf } from '../../local/figures.ts';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
/** One rule is valid; each of the others matches nothing, for a different reason. */
const RULES = 'test/fixtures/wrong-rules-of-a-bakery';

let imported: Folder;
let folder: Folder;
let printed: string;
beforeAll(async () => {
  imported = await temporaryFolder();
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await importEvents(imported.path).finally(() => said.mockRestore());
});
afterAll(() => imported[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await temporaryFolder();
  await cp(imported.path, folder.path, { recursive: true });
  vi.spyOn(console, 'log').mockImplementation((text: string) => {
    printed += `${text}\n`;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  printed = '';
});
afterEach(async () => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

/** Events of 45 days, 48 a day: orders, searches and logins, without countries and versions. */
async function importEvents(dir: string): Promise<void> {
  const midnight = Math.floor(NOW / DAY_MS) * DAY_MS;
  const rows = Array.from({ length: 45 * 48 }, (_, i) => {
    const at = new Date(midnight - 45 * DAY_MS + i * (DAY_MS / 48) + 600_000).toISOString();
    const type = ['order', 'order', 'search', 'login'][i % 4];
    return `${at},c-${(i * 7) % 90},${type},${i % 2 ? 'web' : 'ios'}`;
  });
  const file = join(dir, 'events.csv');
  await writeFile(file, ['at,customer,type,platform', ...rows].join('\n'));
  const maps = ['event_name=type', 'user_id=customer', 'recorded_at=at'].flatMap((each) => ['--map', each]);
  const words = ['import', file, '--app', 'bakery', '--zone', 'Europe/Berlin', '--data', dir];
  await dataCommand(new ManualClock(NOW)).parseAsync([...words, ...maps], { from: 'user' });
}

const width = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
const clock = () => new ManualClock(NOW);
const where = () => ['--rules', RULES, '--data', folder.path];

test('check --live says why each rule matches nothing, and suggests names', async () => {
  await checkCommand(clock()).parseAsync([...where(), '--live', '--json'], { from: 'user' });
  const { findings, live } = JSON.parse(printed);
  const said = findings.map(({ ruleId, code, message }: Record<string, string>) => [ruleId, code, message]);
  const since = 'has matched nothing since 2026-10-23';
  expect(said).toEqual([
    [
      'orders-in-another-case',
      'live-matches-nothing',
      `${since}: bakery has sent no event "Order"; did you mean "order"?`,
    ],
    ['orders-by-country', 'live-matches-nothing', `${since}: bakery has sent no device_country`],
    ['orders-in-germany', 'live-matches-nothing', `${since}: bakery has sent no device_country`],
    [
      'orders-per-checkout',
      'live-matches-nothing',
      `${since}: bakery has sent no event "checkout"; it has order, login, search`,
    ],
    [
      'orders-on-android',
      'live-matches-nothing',
      `${since}: bakery has sent no device_platform "android"; it has ios, web`,
    ],
    ['rage-by-version', 'live-matches-nothing', `${since}: bakery has sent no app_version`],
  ]);
  expect(live.calls).toBeLessThan(25);
});

test('backtest notes once where the data begins, and skips the days before', async () => {
  const span = ['--from', '2026-08-24', '--to', '2026-11-22', '--json'];
  await backtestCommand(clock()).parseAsync([...where(), ...span], { from: 'user' });
  const { notes, rules } = JSON.parse(printed);
  expect(notes.filter((note: string) => note.includes('begin'))).toEqual([
    'The data of bakery begins on 2026-10-08.',
  ]);
  expect(notes.join()).not.toContain('could not be evaluated at');
  expect(notes.join()).toContain(
    'orders-in-germany, orders-on-android and orders-per-checkout had no value above 0',
  );
  const orders = rules.find(({ rule }: { rule: string }) => rule === 'orders');
  expect(orders).toMatchObject({ windows: { evaluated: 43, unevaluated: 0 }, notEvaluated: [] });
});

test('each rule that matches nothing notifies once, and status lists it', async () => {
  const ruleSet = await readRules(RULES);
  const stores = inMemoryStores();
  const source = figuresOf({ kind: 'folder', dataDir: folder.path }, clock());
  const to = Math.floor(NOW / DAY_MS) * DAY_MS;
  const span = { from: to - 40 * DAY_MS, to };
  const { sourceFor } = source;
  const figures = await readArchive({ rules: ruleSet.rules, ...span, sourceFor, clock: clock() });
  source.close();
  const notified: string[] = [];
  for await (const event of replay({ ruleSet, figures, ...span, stores }))
    if (event.kind === 'sent')
      notified.push(
        ...event.pending.map(({ alert, notification }) => `${notification.transition} ${alert.ruleId}`),
      );
  expect(notified.toSorted()).toEqual([
    'matches-nothing orders-by-country',
    'matches-nothing orders-in-another-case',
    'matches-nothing orders-in-germany',
    'matches-nothing orders-on-android',
    'matches-nothing orders-per-checkout',
    'matches-nothing rage-by-version',
  ]);
  const status = await statusReport({ stores, isRunning: true }, NOW);
  const [part] = /Rules without data[\s\S]*?\n\n/.exec(statusText(status)) ?? [''];
  expect(width(part)).toBeLessThanOrEqual(80);
  await expect(part).toMatchFileSnapshot('wrong-rules-status.txt');
});
