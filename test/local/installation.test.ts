import { existsSync } from 'node:fs';
import { chmod, cp, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteRunning, openInstallation, openToRun, runningIn } from '../../local/installation.ts';
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
  state = join(folder.path, 'state');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

const PAGE = { url: 'http://127.0.0.1:4100', isPublic: false };

test('openInstallation fails in an empty folder and creates nothing', async () => {
  await expect(openInstallation({ state }, clock)).rejects.toThrow(
    /there is no Deltawatch in .* "npx deltawatch start"/,
  );
  expect(existsSync(state)).toBe(false);
});

test('openInstallation keeps what it saves if nothing is running', async () => {
  (await openToRun(state, clock)).close();
  const first = await openInstallation({ state }, clock);
  await first.stores.rules.save(ruleSet);
  await first.close();
  const second = await openInstallation({ state }, clock);
  expect(await second.stores.rules.loadCurrent()).toEqual(ruleSet);
  expect(second).toMatchObject({ kind: 'local', isRunning: false, description: `this machine, in ${state}` });
  await second.close();
});

test('a table that has lost its newest writes is opened with a warning', async () => {
  const running = await openToRun(state, clock);
  await running.put({ pk: 'a', sk: 'lost' });
  const killed = join(folder.path, 'killed');
  await cp(state, killed, { recursive: true });
  running.close();
  await truncate(join(killed, 'table.sqlite-wal'), 3 * 4120);
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const opened = await openInstallation({ state: killed }, clock);
  expect(said.mock.calls.join()).toMatch(
    /^warning: the log .*table.sqlite-wal is damaged, so the newest writes of the table are lost: check/,
  );
  await opened.close();
});

test('several commands open a running installation at once', async () => {
  const running = await openToRun(state, clock);
  const [a, b] = await Promise.all([openInstallation({ state }, clock), openInstallation({ state }, clock)]);
  expect([a.isRunning, b.isRunning]).toEqual([true, true]);
  await a.stores.rules.save(ruleSet);
  expect(await b.stores.rules.loadCurrent()).toEqual(ruleSet);
  await Promise.all([a.close(), b.close()]);
  running.close();
});

test('runningIn tells of a running process, and of none that was killed', async () => {
  const running = await openToRun(state, clock);
  await noteRunning(state, PAGE);
  expect(await runningIn(state)).toEqual(PAGE);
  running.close();
  expect(await runningIn(state)).toBeUndefined();
});

test('openToRun fails if a Deltawatch is running, and not after it has ended', async () => {
  const running = await openToRun(state, clock);
  await expect(openToRun(state, clock)).rejects.toThrow(/already running in .*: stop it first/);
  running.close();
  (await openToRun(state, clock)).close();
});

test('only the owner can open the state; a wider folder is narrowed, and said', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  (await openToRun(state, clock)).close();
  expect((await stat(state)).mode & 0o777).toBe(0o700);
  expect(said.mock.calls).toEqual([]);

  await chmod(state, 0o755);
  (await openToRun(state, clock)).close();
  const files = [state, join(state, 'table.sqlite'), join(state, 'running.lock')];
  const modes = await Promise.all(files.map(async (path) => (await stat(path)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  expect(said.mock.calls).toEqual([[`note: other users could open ${state}; now only its owner can`]]);
});

test('openInstallation with a table selects AWS', async () => {
  const opened = await openInstallation({ state, table: 'staging-table', region: 'eu-central-1' }, clock);
  expect(opened).toMatchObject({
    kind: 'aws',
    description: 'the table staging-table',
    table: { name: 'staging-table' },
  });
  await opened.close();
});
