import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fireDrillCommand } from '../../cli/fire-drill.ts';
import { openLocalTable } from '../../local/table.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';
import { NOW } from '../functions/respond/desk.ts';
import { onRunning } from './operated.ts';

const running = onRunning();

test('waits where something runs, and says so where that sends nothing', async () => {
  await running.stores().rules.save(ruleSetOf(ruleNamed('sales')));
  const waited: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => waited.push(String(text)) > 0);
  const text = await running.run(fireDrillCommand(running.clock), 'default', '--wait', '1m');
  expect(text).toMatch(/not sent within 60 s, and taken back/);
  expect(process.exitCode).toBe(1);
  expect(waited).toHaveLength(10);
  expect(waited[1]).toBe('Waiting for 6 s 10 %\n');
});

test('is refused where nothing runs, and keeps nobody from the folder', async () => {
  await using folder = await temporaryFolder();
  const clock = new ManualClock(NOW);
  await (await openLocalTable(clock, join(folder.path, 'table'))).close();
  const drill = fireDrillCommand(clock).parseAsync(['default', '--state', folder.path], { from: 'user' });
  await expect(drill).rejects.toThrow(/nothing runs in .*, so start it first with "npm start"/);
  expect(clock.now()).toBe(NOW);
  await (await openLocalTable(clock, join(folder.path, 'table'))).close();
});
