import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whoCommand } from '../../../cli/rules/who.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

/** A Wednesday, 12:00 in Berlin. Friday is Christmas Day. */
const NOW = Date.parse('2026-12-23T11:00Z');

const ROUTES = `
channels:
  growth: { slack: { webhook_secret: a } }
  on-call: { slack: { webhook_secret: b } }
  lead: { slack: { webhook_secret: c } }
calendars:
  working-hours:
    zone: Europe/Berlin
    weekly: [{ days: [mon-fri], from: "09:00", to: "18:00" }]
    except: [lunch, free-days]
  lunch: { zone: Europe/Berlin, weekly: [{ days: [wed], from: "12:00", to: "13:00" }] }
  free-days: { zone: Europe/Berlin, holidays: { country: DE } }
default: { channels: [growth], mute: free-days }
routes:
  - name: day
    match: { severity: critical }
    channels: [on-call]
    active: working-hours
    escalate: [{ after: 30 minutes, channels: [lead] }]
`;
const rule = (id: string, keys: string) =>
  `  - { id: ${id}, title: ${id}, app: demo, owner: team, every: hour, metric: sessions, anomaly: true, ${keys} }\n`;
const RULES = `rules:\n${rule('sales', 'severity: critical')}${rule('visits', 'zone: Asia/Tokyo')}${rule('carts', 'quiet: true')}`;

let folder: Folder;
const printed: string[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'shop.yaml'), RULES);
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(...text.split('\n')));
});
afterEach(async () => {
  printed.length = 0;
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

async function who(...words: string[]): Promise<string[]> {
  await whoCommand(new ManualClock(NOW)).parseAsync(['--rules', folder.path, ...words], { from: 'user' });
  return printed.map((line) => line.replaceAll(/ {2,}/g, '  '));
}

test('who names the channels of each rule and app at a time', async () => {
  const at = await who('--at', '2026-12-23T12:00Z');
  expect(at[0]).toBe('Alerts found 2026-12-23 12:00 (UTC)');
  expect(at.slice(3)).toEqual([
    'carts  no one (quiet)',
    'sales  on-call, then lead after 30 minutes (route day)',
    'visits  growth (route default)',
    'app:demo  on-call, then lead after 30 minutes (route day)',
  ]);
});

test('who names the holiday on which a calendar applies', async () => {
  const at = await who('visits', '--at', '2026-12-25T12:00Z');
  expect(at.slice(0, 2)).toEqual([
    'Alerts found 2026-12-25 21:00 (Asia/Tokyo)',
    'Holiday: 1. Weihnachtstag (calendar free-days)',
  ]);
});

test('who refuses an unknown rule', async () => {
  await expect(who('salse')).rejects.toThrow('there is no rule "salse"');
});
