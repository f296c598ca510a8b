import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '../../../shared/units/durations.ts';
import {
  eventually,
  type Folder,
  freePort,
  launchDeltawatch,
  type Running,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';
import { type OwnShop, writeOwnShop } from '../../fixtures/own-shop.ts';

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Enough for an alert and its recovery, and to interrupt a start on the way. */
const DAYS = 6;

/** Data of six days with a peak of searches on the fourth last. */
function ownShop(): Promise<OwnShop> {
  const spans = { firstAt: TODAY - DAYS * DAY_MS, lastAt: Date.now(), busyAt: TODAY - 4 * DAY_MS };
  return writeOwnShop(folder.path, spans);
}

async function startOf({ rules, state }: OwnShop): Promise<Running> {
  const port = `${await freePort()}`;
  return launchDeltawatch(['start', '--rules', rules, '--state', state, '--port', port]);
}

function printed(system: Running, text: string): Promise<unknown> {
  return eventually(text, () => system.printed().includes(text) || undefined, PATIENCE_MS);
}

/** The headline of each message in the inbox. */
function notifiedIn({ state }: OwnShop): string[] {
  const file = join(state, 'slack-inbox.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => /"text":"([^"]*)"/.exec(line)?.[1] ?? '');
}

const MESSAGES = [
  expect.stringMatching(/^Warning: Searches up 400%/),
  expect.stringMatching(/^Recovered: Searches back/),
];

/** Allows for a slow, busy machine. */
const PATIENCE_MS = 300_000;

test(
  'start with own rules writes no demo shop and replays from the first evaluable day',
  async () => {
    const shop = await ownShop();
    // Written before the first start.
    await writeFile(join(shop.state, 'secrets.json'), '{"slack-webhook": "https://127.0.0.1:9/hook"}\n');
    await using system = await startOf(shop);
    await printed(system, 'Now live');
    expect(system.printed()).toContain(
      `own: data from ${dateOf(TODAY - DAYS * DAY_MS)} to ${dateOf(Date.now())}\n` +
        `  replayed from ${dateOf(TODAY - DAYS * DAY_MS)} to ${dateOf(Date.now())}\n`,
    );
    expect(system.printed()).not.toContain('Writing the demo shop');
    expect(notifiedIn(shop)).toEqual(MESSAGES);
    system.kill('SIGINT');
    expect((await system.ended).code).toBe(0);
    expect(await readdir(join(shop.state, 'data'))).toEqual(['own.duckdb', 'own.json']);
    expect(readFileSync(join(shop.state, 'secrets.json'), 'utf8')).toContain('https://127.0.0.1:9/hook');
  },
  4 * PATIENCE_MS,
);

test(
  'start names an app without data and goes live',
  async () => {
    const shop = await ownShop();
    const rules = join(folder.path, 'other-rules');
    await mkdir(rules);
    for (const name of ['own.yaml', 'routes.yaml'])
      await writeFile(
        join(rules, name),
        readFileSync(join(shop.rules, name), 'utf8').replace('app: own', 'app: none'),
      );
    await using system = await startOf({ ...shop, rules });
    await printed(system, 'Now live');
    expect(system.printed()).toContain('npx deltawatch data import FILE --app none');
    expect(notifiedIn(shop)).toEqual([]);
  },
  4 * PATIENCE_MS,
);

test(
  'start ended by Ctrl-C prints no stack, and the next start continues',
  async () => {
    const shop = await ownShop();
    for (const [moment, times] of [
      ['Deltawatch is at', 1],
      ['Checking', 2],
    ] as const) {
      await using system = await startOf(shop);
      await printed(system, moment);
      for (let i = 0; i < times; i++) system.kill('SIGINT');
      const { code, stderr } = await system.ended;
      // The process may end by itself before the second Ctrl-C arrives.
      expect(code === 0 || (times === 2 && code === null)).toBe(true);
      expect(stderr).not.toMatch(/^ {4}at |rror/m);
    }
    await using system = await startOf(shop);
    await printed(system, 'Now live');
    expect(notifiedIn(shop)).toEqual(MESSAGES);
  },
  4 * PATIENCE_MS,
);
