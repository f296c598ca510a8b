import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DrillOutcome, holdDrill } from '../../local/fire-drill.ts';
import { noteSocket } from '../../local/installation.ts';
import { storesIn } from '../../local/system.ts';
import { openLocalTable } from '../../local/table.ts';
import { terminalLogger } from '../../local/terminal.ts';
import type { Channel } from '../../shared/alerting/ports.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { eventually, launchDeltawatch, temporaryFolder } from '../fixtures/deltawatch.ts';
import { anAnnouncer, channelsNamed } from '../functions/announcer.ts';

const SWEEP_S = 60;
const asked = { route: 'default', by: 'anna', reason: '', severity: 'info' } as const;

/** A drill of the channels, in an installation that sweeps once a minute, or not at all. */
async function drillOf(channels: Record<string, Channel>, { sweeps = true, waitMs = 150_000 } = {}) {
  const names = ['team', ...Object.keys(channels)];
  const routes = { channels: channelsNamed(...names), default: names };
  const announcer = await anAnnouncer([ruleNamed('sales')], routes, { channels });
  let seconds = 25;
  const clock = {
    now: () => announcer.clock.now(),
    async sleep(ms: number) {
      await announcer.clock.sleep(ms);
      seconds += ms / 1000;
      if (sweeps && seconds % SWEEP_S === 0) await announcer.sweep();
    },
  };
  const drill = { ...asked, channels: names, at: clock.now() };
  const outcomes: DrillOutcome[] = await holdDrill(drill, { waitMs }, { ...announcer, clock });
  const tookMs = clock.now() - drill.at;
  return { ...announcer, outcomes, tookMs };
}

const answering = (result: Awaited<ReturnType<Channel['send']>>): Channel => ({ send: async () => result });

test('tells per channel when it was sent, and is over as soon as all took it', async () => {
  const kept = answering({ kind: 'kept', reason: 'no secret on this machine' });
  const { outcomes, tookMs, told, sweep } = await drillOf({ pager: kept });
  expect(outcomes).toEqual([
    { channel: 'team', kind: 'sent', afterMs: 35_000 },
    { channel: 'pager', kind: 'kept', afterMs: 35_000, reason: 'no secret on this machine' },
  ]);
  expect(tookMs).toBe(35_000);
  await sweep(1);
  expect(told('team')).toEqual(['drill drill:default', 'drill-over drill:default']);
});

test('says why a channel refuses, waits for no other because of it, and sends nothing later', async () => {
  const wrong = answering({ kind: 'refused', reason: 'look at its secret', permanent: true });
  const { outcomes, tookMs, alerts } = await drillOf({ pager: wrong });
  expect(outcomes[1]).toEqual({
    channel: 'pager',
    kind: 'refused',
    reason: 'look at its secret',
    permanent: true,
  });
  expect(tookMs).toBe(35_000);
  const [alert] = await alerts.loadOfRule('drill:default');
  const left = Object.values(alert?.owed ?? {}).map(({ transition, channel }) => `${transition} ${channel}`);
  expect(left).toEqual(['drill-over team']);
});

test('gives a channel in trouble the time there is', async () => {
  const answers: Awaited<ReturnType<Channel['send']>>[] = [
    { kind: 'refused', reason: 'busy', permanent: false },
  ];
  const { outcomes } = await drillOf({ pager: { send: async () => answers.pop() ?? { kind: 'sent' } } });
  expect(outcomes[1]).toEqual({ channel: 'pager', kind: 'sent', afterMs: 95_000 });
});

test('where nothing runs it says so after the wait, and nobody hears of it hours later', async () => {
  const { outcomes, tookMs, told, sweep } = await drillOf({}, { sweeps: false });
  expect(outcomes).toEqual([{ channel: 'team', kind: 'unsent' }]);
  expect(tookMs).toBe(150_000);
  await sweep(0.1);
  expect(told('team')).toEqual([]);
});

test('Ctrl-C takes the drill back, and ends quietly with 130', async () => {
  await using folder = await temporaryFolder();
  const table = await openLocalTable(systemClock, join(folder.path, 'table'));
  try {
    const { rules, alerts } = storesIn(table, terminalLogger);
    await rules.save(ruleSetOf(ruleNamed('sales')));
    await noteSocket(folder.path, table.socketPath);
    await using running = launchDeltawatch(['fire-drill', 'default', '--state', folder.path]);
    const owed = async () => Object.keys((await alerts.loadOfRule('drill:default'))[0]?.owed ?? {});
    await eventually('the drill', async () => ((await owed()).length > 0 ? true : undefined));
    running.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/not sent within \d+ s, and taken back/);
    expect(stderr).not.toMatch(/^ +at |Error/m);
    expect(await owed()).toEqual([]);
  } finally {
    await table.close();
  }
});
