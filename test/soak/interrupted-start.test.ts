import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../shared/units/durations.ts';
import { eventually, freePort, launchDeltawatch, RULES, temporaryFolder } from '../fixtures/deltawatch.ts';
import { writeOwnShop } from '../fixtures/own-shop.ts';

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const STEP_MS = 150;
const AROUND = 16;

/** Starts, interrupts `delayMs` after the page is up, and `again` ms later. Checks that it ends cleanly. */
async function interruptedAfter(
  delayMs: number,
  args: string[],
  again: number | undefined,
  state: string,
): Promise<void> {
  await using system = launchDeltawatch([
    'start',
    ...args,
    '--state',
    state,
    '--port',
    `${await freePort()}`,
  ]);
  await eventually('the page', () => system.printed().includes('Deltawatch is at') || undefined, 120_000);
  await delay(delayMs);
  system.kill('SIGINT');
  if (again !== undefined) await delay(again);
  if (again !== undefined) system.kill('SIGINT');
  const { code, stderr } = await system.ended;
  expect({ delayMs, again, code: code ?? 0 }).toEqual({ delayMs, again, code: 0 });
  expect(stderr).not.toMatch(/^ {4}at |rror/m);
  if (code === null) return;
  const left = (await readdir(join(state, 'data'))).filter((name) => /\.(new|writing)/.test(name));
  expect(left).toEqual([]);
}

test('Ctrl-C ends a start on own data cleanly at any time', async () => {
  await using folder = await temporaryFolder();
  const data = { firstAt: TODAY - 20 * DAY_MS, lastAt: Date.now(), busyAt: TODAY - 4 * DAY_MS };
  const { rules, state } = await writeOwnShop(folder.path, data);
  for (let i = 0; i < AROUND; i++)
    await interruptedAfter(i * STEP_MS, ['--rules', rules], i % 2 === 0 ? undefined : i * 3, state);
});

test('Ctrl-C ends a start of the demo shop cleanly at any time', async () => {
  await using folder = await temporaryFolder();
  for (let i = 0; i < AROUND; i++)
    await interruptedAfter(i * 5 * STEP_MS, ['--rules', RULES], i % 2 === 0 ? undefined : i * 3, folder.path);
});
