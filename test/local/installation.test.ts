import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetRunning, noteRunning, openInstallation, openToRun } from '../../local/installation.ts';
import { openLocalTable } from '../../local/table.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { NOW } from '../contracts/samples.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';

const clock = new ManualClock(NOW);
const ruleSet = ruleSetOf(ruleNamed('sales'));

let folder: Folder;
let state: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  state = folder.path;
});
afterEach(() => folder[Symbol.asyncDispose]());

const runningAt = ({ socketPath }: { socketPath: string }) => ({
  ...{ socketPath, url: 'http://127.0.0.1:4100', isPublic: false },
});
const start = () => openLocalTable(clock, join(state, 'table'));

test('openInstallation fails in an empty folder and creates nothing', async () => {
  await expect(openInstallation({ state }, clock)).rejects.toThrow(
    /there is no Deltawatch in .* "npx deltawatch start"/,
  );
  expect(existsSync(join(state, 'table'))).toBe(false);
});

test('openInstallation opens and releases the folder if nothing is running', async () => {
  await (await start()).close();
  const first = await openInstallation({ state }, clock);
  await first.stores.rules.save(ruleSet);
  await first.close();
  const second = await openInstallation({ state }, clock);
  expect(await second.stores.rules.loadCurrent()).toEqual(ruleSet);
  expect(second).toMatchObject({ kind: 'local', isRunning: false, description: `this machine, in ${state}` });
  await second.close();
});

test('openInstallation joins a running installation without stopping it', async () => {
  const running = await start();
  await noteRunning(state, runningAt(running));
  const joined = await openInstallation({ state }, clock);
  expect(joined.isRunning).toBe(true);
  await joined.stores.rules.save(ruleSet);
  await joined.close();
  const again = await openInstallation({ state }, clock);
  expect(await again.stores.rules.loadCurrent()).toEqual(ruleSet);
  await again.close();
  await running.close();
  await forgetRunning(state);
});

test('openInstallation removes the socket file of a killed process', async () => {
  const killed = await start();
  await noteRunning(state, runningAt(killed));
  await killed.close();
  const opened = await openInstallation({ state }, clock);
  expect(await opened.stores.rules.findCurrent()).toBeUndefined();
  expect(existsSync(join(state, 'running.json'))).toBe(false);
  await opened.close();
});

test('openInstallation waits a limited time for another command', async () => {
  const other = await start();
  await expect(openInstallation({ state }, clock)).rejects.toThrow(/does another process use it/);
  const untilItEnds = { now: () => NOW, sleep: () => other.close() };
  const opened = await openInstallation({ state }, untilItEnds);
  expect(opened.kind).toBe('local');
  await opened.close();
});

test('openToRun waits for another command on the real clock', async () => {
  const command = await start();
  const past = new ManualClock(0);
  await expect(openToRun(state, past, clock)).rejects.toThrow(/does another process use it/);
  const untilItEnds = { now: () => NOW, sleep: () => command.close() };
  await (await openToRun(state, past, untilItEnds)).close();
  expect(past.now()).toBe(0);
});

test('openToRun fails at once if a Deltawatch is running', async () => {
  const running = await start();
  await noteRunning(state, runningAt(running));
  const impatient = { now: () => NOW, sleep: () => Promise.reject(new Error('it waited')) };
  await expect(openToRun(state, clock, impatient)).rejects.toThrow(/already running in .*: stop it first/);
  await running.close();
});

test('openInstallation with a table selects AWS', async () => {
  await (await start()).close();
  const opened = await openInstallation({ state, table: 'staging-table', region: 'eu-central-1' }, clock);
  expect(opened).toMatchObject({
    kind: 'aws',
    description: 'the table staging-table',
    table: { name: 'staging-table' },
  });
  expect(await opened.table.client.config.region()).toBe('eu-central-1');
  await opened.close();
});
