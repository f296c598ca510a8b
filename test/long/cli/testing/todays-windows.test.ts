import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dataCommand } from '../../../../cli/data/data.ts';
import { previewCommand } from '../../../../cli/rules/preview.ts';
import { backtestCommand } from '../../../../cli/testing/backtest.ts';
import { suggestCommand } from '../../../../cli/testing/suggest.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { type Folder, temporaryFolder } from '../../../fixtures/deltawatch.ts';

const NOW = Date.parse('2026-11-22T12:40:30Z');
const [HOUR, DAY] = [3_600_000, 86_400_000];
const MIDNIGHT = Math.floor(NOW / DAY) * DAY;
const RULES = `
defaults: { app: bakery, owner: bakers, every: hour at :20 }
rules:
  - { id: orders, title: Orders, metric: event_count, compare: { to: same_weekday }, fire: { change: { below: -50% } } }
`;

let folder: Folder;
let printed: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((text: string) => {
    printed += `${text}\n`;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules.yaml'), RULES);
  await importOrders(folder.path);
  printed = '';
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

/** Ten days of 60 orders an hour, until `NOW`, but 6 between 11:00 and 12:00 today. */
async function importOrders(dir: string): Promise<void> {
  const rows: string[] = [];
  for (let hour = MIDNIGHT - 10 * DAY; hour < NOW; hour += HOUR)
    for (let minute = 0; minute < 60; minute += hour === MIDNIGHT + 11 * HOUR ? 10 : 1) {
      const at = hour + minute * 60_000;
      if (at < NOW) rows.push(`${new Date(at).toISOString()},u${minute},order`);
    }
  const file = join(dir, 'orders.csv');
  await writeFile(file, ['at,user,event', ...rows].join('\n'));
  const maps = ['event_name=event', 'user_id=user', 'recorded_at=at'].flatMap((each) => ['--map', each]);
  const words = ['import', file, '--app', 'bakery', '--zone', 'UTC', '--data', dir, ...maps];
  await dataCommand(new ManualClock(NOW)).parseAsync(words, { from: 'user' });
}

test('backtest, suggest and preview judge the last complete window of today, and print their end', async () => {
  const clock = () => new ManualClock(NOW);
  const where = ['--rules', folder.path, '--data', folder.path];
  await backtestCommand(clock()).parseAsync([...where, '--days', '8'], { from: 'user' });
  expect(printed).toContain('8 days, 2026-11-14 12:40Z to 2026-11-22 12:40Z');
  expect(printed).toMatch(/^orders +1 /m);

  printed = '';
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const limit = ['--rule', 'orders', '--json', '--max-alerts-a-month', '1'];
  await backtestCommand(clock()).parseAsync([...where, '--days', '8', ...limit], { from: 'user' });
  expect(JSON.parse(printed)).toMatchObject({
    endAt: '2026-11-22T12:40:00.000Z',
    rules: [{ rule: 'orders', alerts: 1 }],
    comparison: null,
  });
  expect(said).toHaveBeenCalledWith('More than 1 alert a month.');
  expect(process.exitCode).toBe(1);
  process.exitCode = 0;

  printed = '';
  await suggestCommand(clock()).parseAsync(['orders', ...where, '--days', '8'], { from: 'user' });
  expect(printed).toContain('orders over 8 days, 2026-11-14 12:40Z to 2026-11-22 12:40Z');

  printed = '';
  await previewCommand(clock()).parseAsync(['orders', ...where, '--days', '8'], { from: 'user' });
  expect(printed).toContain('The last "fired", found Sun 22 Nov 2026, 12:20 (UTC)');
  expect(printed).toContain('8 days, 2026-11-14 12:40Z to 2026-11-22 12:40Z');
});
