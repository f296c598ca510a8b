import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../shared/units/durations.ts';
import { eventually, freePort, launch } from '../fixtures/deltawatch.ts';
import { type TeamRepository, teamRepository } from './team-repository.ts';

const BIN = 'node_modules/deltawatch/cli/bin.js';

let team: TeamRepository;
beforeAll(async () => {
  team = await teamRepository();
});
afterAll(() => team[Symbol.asyncDispose]());

const deltawatch = (...args: string[]) => team.run('npx', 'deltawatch', ...args);

test('imported events are backtested, and start sends a message about their fall', async () => {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await team.write('visits.csv', visitsWithALowDay(midnight));
  const imported = await deltawatch('data', 'import', 'visits.csv', '--app', 'clinic', '--yes');
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('4,530 events imported') });
  const begun = await deltawatch('init', '--app', 'clinic', '--data', '.deltawatch/data');
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining('rules/clinic.yaml') });

  const days = ['--from', isoDay(midnight - 8 * DAY_MS), '--to', isoDay(midnight)];
  const { code, stdout, stderr } = await deltawatch('backtest', ...days, '--json');
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).rules).toContainEqual(
    expect.objectContaining({ rule: 'clinic-sessions', alerts: 1 }),
  );

  const port = String(await freePort());
  await using running = launch(process.execPath, [BIN, 'start', '--port', port], team.path);
  const sent = await eventually('a message', async () => {
    const inbox = await readFile(join(team.path, '.deltawatch/slack-inbox.ndjson'), 'utf8');
    return inbox.includes('Sessions') ? inbox : undefined;
  });
  expect(sent).toMatch(/Sessions down \d\d%/);
  const page = await fetch(`http://127.0.0.1:${port}/slack`);
  expect(await page.text()).toContain('Sessions');
  const scripts = 'functions/respond/browser';
  for (const name of globSync('*.{js,css}', { cwd: scripts })) {
    const served = await fetch(`http://127.0.0.1:${port}/assets/${name}`);
    expect(await served.text()).toBe(await readFile(join(scripts, name), 'utf8'));
  }
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
});

test('pnpm installs it too, where packages see only their own dependencies', async () => {
  await using other = await teamRepository({ manager: 'pnpm' });
  expect(other.installed, other.installed.stderr).toMatchObject({ code: 0 });
  const run = (...args: string[]) => other.run(process.execPath, BIN, ...args);
  expect(await run('init', '--app', 'clinic')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('check')).toEqual({ code: 0, stdout: '1 rule is valid\n', stderr: '' });
  expect(await run('test')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed, 0 failed') });
});

/** 45 days of bookings; three days before `midnight` there are few. */
function visitsWithALowDay(midnight: number): string {
  const rows = Array.from({ length: 46 }, (_, day) => {
    const startAt = midnight - (46 - day) * DAY_MS;
    return Array.from({ length: day === 43 ? 30 : 100 }, (_, i) => {
      const at = new Date(startAt + i * 800_000).toISOString();
      return `${at},p-${(i * 13 + day) % 90},booked`;
    });
  });
  return `${['at,user,event', ...rows.flat()].join('\n')}\n`;
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
