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

test('says why a channel that refuses what came before was not sent it', async () => {
  const { rules, deliveries } = running.stores();
  await rules.save(ruleSetOf(ruleNamed('sales')));
  const reason = 'Slack answered 404: no_service';
  await deliveries.save({
    ...{
      at: running.clock.now(),
      channel: 'team',
      route: 'default',
      title: 'Orders down',
      alerts: 1,
      keys: [],
    },
    outcome: { kind: 'failed', reason, permanent: false },
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const drill = fireDrillCommand(running.clock);
  const text = (await running.run(drill, 'default', '--wait', '1m')).replaceAll(/\s+/g, ' ');
  expect(text).toContain(`taken back: the channel refuses messages since`);
  expect(text).toContain(reason);
  expect(text).not.toContain('is Deltawatch running');
  expect(process.exitCode).toBe(1);
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
