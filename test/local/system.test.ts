import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPage } from '../../functions/respond/page/page.ts';
import { visitorsBy } from '../../functions/respond/visitors.ts';
import { FastForwardClock, fastForward } from '../../local/fast-forward.ts';
import { keepTime } from '../../local/live.ts';
import { createSystem, runsBetween } from '../../local/system.ts';
import { silentMeter, terminalLogger } from '../../local/terminal.ts';
import { createSlackChannel } from '../../shared/channels/slack/channel.ts';
import type { Channel } from '../../shared/messages/channel.ts';
import { type Clock, ManualClock } from '../../shared/runtime/clock.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { openSqliteTable, type SqliteTable } from '../../shared/store/sqlite-table.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { createFakeChannel } from '../fakes/fake-channel.ts';
import { createFakeMetricSource, type Fact } from '../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type Folder, freePort, temporaryFolder } from '../fixtures/deltawatch.ts';
import { listen } from '../fixtures/loopback-server.ts';

const purchases = ruleNamed('purchases', {
  title: 'Purchases',
  settle: '10 minutes',
  recover_after: '1 of 1',
});
const rules = [purchases];
const LOW_DAY = 9;

/** Purchases are constant except on one day. */
const facts: Fact[] = Array.from({ length: 14 }, (_, day) => ({
  endpoint: 'event',
  at: MONDAY + day * DAY_MS + 23 * HOUR_MS,
  attributes: { event_name: 'purchase' },
  figures: { event_count: day === LOW_DAY ? 100 : 1000 },
}));
// The newest data is always later than the evaluated window.
facts.push({ endpoint: 'event', at: MONDAY + 20 * DAY_MS, attributes: { event_name: 'other' }, figures: {} });

/** When the day that began `day` days after Monday is evaluated. */
const tickOf = (day: number) => MONDAY + (day + 1) * DAY_MS + HOUR_MS;

let folder: Folder;
let table: SqliteTable;
beforeEach(async () => {
  folder = await temporaryFolder();
  table = openSqliteTable(`${folder.path}/table.sqlite`, new ManualClock(MONDAY));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await table.close();
  await folder[Symbol.asyncDispose]();
});

function systemOf(clock: Clock, channel: Channel) {
  const source = createFakeMetricSource(facts);
  return createSystem({
    stores: storesIn(table, terminalLogger),
    clock,
    sourceFor: () => source,
    channelFor: async () => channel,
    logger: terminalLogger,
    meter: silentMeter,
  });
}

const transitions = ({ sent }: ReturnType<typeof createFakeChannel>) =>
  sent.flatMap(({ items }) => items.map(({ transition }) => transition));

test('a notification stays pending and visible until Slack is reachable', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const port = await freePort();
  const webhookUrl = `http://127.0.0.1:${port}/services/T0/B0/very-secret`;
  const clock = new ManualClock(MONDAY);
  const system = systemOf(clock, createSlackChannel({ webhookUrl, clock }));
  await system.rules.save(ruleSetOf(...rules));
  for (const run of runsBetween(rules, tickOf(6), tickOf(LOW_DAY))) {
    clock.advanceTo(run.at);
    expect(await system.tick(run.cadence, run.at)).toEqual([]);
  }

  const page = createPage({
    ...system,
    newId: () => 'id',
    visitors: visitorsBy({ kind: 'open' }, 'http://localhost', clock),
  });
  const shown = await (await page.request('/deliveries')).text();
  for (const said of ['Pending notifications', 'Purchases', 'Slack cannot be reached'])
    expect(shown).toContain(said);
  const log = logged.mock.calls.flat().join('\n');
  expect(log).toContain('a message could not be sent; it stays pending');
  expect(log).toContain('Slack cannot be reached (ECONNREFUSED)');
  expect(shown + log).not.toContain('very-secret');

  clock.advanceTo(clock.now() + HOUR_MS);
  const received: string[] = [];
  await using slack = await listen((_, body, response) => {
    received.push(body);
    response.end('ok');
  });
  const repaired = systemOf(
    clock,
    createSlackChannel({ webhookUrl: `${slack.url}/services/T0/B0/x`, clock }),
  );
  expect(await repaired.notify()).toMatchObject({
    sent: [{ notification: { transition: 'fired' } }],
    failed: [],
  });
  expect(received).toHaveLength(1);
  expect(await repaired.notify()).toEqual({ sent: [], failed: [] });
});

describe('killed between sending a message and saving that it was sent', () => {
  test('the next start sends it again, then the recovery', async () => {
    const clock = new ManualClock(tickOf(6));
    const beforeDeath = createFakeChannel();
    const system = systemOf(clock, {
      async send(message) {
        await beforeDeath.send(message);
        await table.close();
        return { kind: 'sent' };
      },
    });
    await system.rules.save(ruleSetOf(...rules));
    await expect(async () => {
      for (const { cadence, at } of runsBetween(rules, tickOf(6), tickOf(LOW_DAY))) {
        clock.advanceTo(at);
        await system.tick(cadence, at);
      }
    }).rejects.toThrow();
    expect(transitions(beforeDeath)).toEqual(['fired']);

    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    table = openSqliteTable(`${folder.path}/table.sqlite`, clock);
    const present = new ManualClock(tickOf(LOW_DAY + 2));
    const past = new FastForwardClock(tickOf(LOW_DAY) - 1, present);
    const after = createFakeChannel();
    const { notified } = await fastForward(
      {
        system: systemOf(past, after),
        clock: past,
        spans: [{ rules, fromAt: past.now(), throughAt: present.now() }],
        ticked: new Map(),
        onTicked: async () => {},
        signal: new AbortController().signal,
      },
      () => {},
    );
    expect(transitions(after)).toEqual(['fired', 'recovered']);
    expect(notified).toBe(2);
  });
});

test('keepTime starts with runs that came due during the replay', async () => {
  const clock = new ManualClock(tickOf(LOW_DAY) + HOUR_MS);
  const channel = createFakeChannel();
  const system = systemOf(clock, channel);
  await system.rules.save(ruleSetOf(...rules));
  const stop = new AbortController();
  const ticks: number[] = [];
  await keepTime({
    system,
    clock,
    signal: stop.signal,
    since: tickOf(LOW_DAY - 2),
    onTick: async (at) => {
      ticks.push(at);
      if (ticks.length === 2) stop.abort();
    },
    logger: terminalLogger,
  });
  expect(ticks).toEqual([tickOf(LOW_DAY - 1), tickOf(LOW_DAY)]);
  expect(transitions(channel)).toEqual(['fired']);
});

test('keepTime follows rules deployed meanwhile', async () => {
  // The last millisecond of a minute, so that the next minute comes at once.
  const clock = new ManualClock(tickOf(LOW_DAY) - HOUR_MS - 1);
  const channel = createFakeChannel();
  const system = systemOf(clock, channel);
  const stop = new AbortController();
  const ticks: number[] = [];
  const applying = async () => {
    await system.rules.save(ruleSetOf(...rules));
    clock.advanceTo(tickOf(LOW_DAY) + HOUR_MS - 1);
    return { sent: [], failed: [] };
  };
  const onTick = async (at: number) => {
    ticks.push(at);
    stop.abort();
  };
  const { signal } = stop;
  const given = { clock, signal, since: clock.now(), onTick, logger: terminalLogger };
  await keepTime({ ...given, system: { ...system, notify: applying } });
  expect(ticks).toEqual([tickOf(LOW_DAY)]);
});

test('keepTime retries a failed run a minute later', async () => {
  const clock = new ManualClock(tickOf(LOW_DAY) + HOUR_MS - 1);
  const channel = createFakeChannel();
  const system = systemOf(clock, channel);
  await system.rules.save(ruleSetOf(...rules));
  const stop = new AbortController();
  const logged: string[] = [];
  let tries = 0;
  const failing = async (cadence: string, at: number) => {
    tries += 1;
    if (tries === 2) throw new UpstreamError('DynamoDB cannot be reached', { retryable: true });
    return await system.tick(cadence, at);
  };
  const notifying = async () => {
    const result = await system.notify();
    clock.advanceTo(clock.now() + 60_000);
    if (tries > 2) stop.abort();
    return result;
  };
  await keepTime({
    ...{ clock, signal: stop.signal, since: tickOf(LOW_DAY - 2), onTick: async () => {} },
    logger: { ...terminalLogger, error: (message) => void logged.push(message) },
    system: { ...system, tick: failing, notify: notifying },
  });
  expect(logged).toEqual([expect.stringMatching(/^the run of \S+ at .* failed; retrying in a minute/)]);
  expect(tries).toBe(3);
  expect(transitions(channel)).toEqual(['fired']);
});

test('the health check of a full disk fails, and says so', async () => {
  const script = new URL('./full-disk.ts', import.meta.url).pathname;
  const command = `ulimit -f 2000; exec "${process.execPath}" "${script}" "${folder.path}"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const [before = '', after = ''] = stdout.trim().split('\n');
  expect(JSON.parse(before)).toMatchObject({ ok: true });
  expect(JSON.parse(after)).toMatchObject({ ok: false, reason: expect.stringMatching(/the disk is full/) });
});
