import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FastForwardClock } from '../../local/fast-forward.ts';
import { firstReplay } from '../../local/first-replay.ts';
import { createSystem } from '../../local/system.ts';
import { silentMeter, terminalLogger } from '../../local/terminal.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { openSqliteTable, type SqliteTable } from '../../shared/store/sqlite-table.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { createFakeChannel } from '../fakes/fake-channel.ts';
import { createFakeMetricSource, type Fact } from '../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';

const rule = ruleNamed('purchases', { title: 'Purchases', settle: '10 minutes', recover_after: '1 of 1' });
const FALLS = [9, 13];
const LAST_DAY = 13;

/** Purchases are constant except on two days. The alert of the second one is still open at the end. */
const facts: Fact[] = Array.from({ length: LAST_DAY + 1 }, (_, day) => ({
  endpoint: 'event',
  at: MONDAY + day * DAY_MS + 12 * HOUR_MS,
  attributes: { event_name: 'purchase' },
  figures: { event_count: FALLS.includes(day) ? 100 : 1000 },
}));
const LAST_RUN = MONDAY + (LAST_DAY + 1) * DAY_MS + HOUR_MS;
const NOW = LAST_RUN + HOUR_MS;

/** Other events, every hour at half past. */
for (let at = MONDAY + HOUR_MS / 2; at < NOW; at += HOUR_MS)
  facts.push({ endpoint: 'event', at, attributes: { event_name: 'other' }, figures: { event_count: 1 } });

/** Version 2 is released two days before the last run, and read by half of the sessions. */
const RELEASED = MONDAY + 12 * DAY_MS + 8 * HOUR_MS;
for (let at = MONDAY; at < NOW; at += HOUR_MS)
  for (const app_version of at < RELEASED ? ['1'] : ['1', '2'])
    facts.push({
      endpoint: 'session',
      at,
      attributes: { device_platform: 'android', app_version },
      figures: { session_count: 300 },
    });

let table: SqliteTable;
beforeEach(async () => {
  table = openSqliteTable(':memory:', new ManualClock(NOW));
});
afterEach(() => table.close());

/** A replay of the last days. `refused` makes the reading of a range fail. */
function replayOf({ isRefused = false, signal = new AbortController().signal, table: into = table } = {}) {
  const stores = storesIn(into, terminalLogger);
  const clock = new FastForwardClock(MONDAY + 8 * DAY_MS, new ManualClock(NOW));
  const channel = createFakeChannel();
  const source = createFakeMetricSource(facts);
  const refusing: typeof source = {
    ...source,
    async readRange(question, budget) {
      if (isRefused) return { kind: 'failed', reason: 'the service is down', retryable: true };
      return source.readRange(question, budget);
    },
  };
  const parts = {
    clock,
    channelFor: async () => channel,
    notesVersions: () => true,
    logger: terminalLogger,
    meter: silentMeter,
  };
  const systemWith = (own: Parameters<Parameters<typeof firstReplay>[0]['systemWith']>[0]) =>
    createSystem({ ...parts, ...own });
  const openFigures = () => ({ sourceFor: () => refusing, close: () => {} });
  return {
    stores,
    channel,
    run: () =>
      firstReplay(
        {
          ...{ clock, signal, systemWith, openFigures, now: NOW, ticked: new Map() },
          spans: [{ rules: [rule], fromAt: MONDAY + 8 * DAY_MS, throughAt: NOW }],
          system: systemWith({ stores, sourceFor: () => source }),
          sync: async ({ rules }) => rules.save(ruleSetOf(rule)),
          sourceFor: () => source,
          onTicked: async () => {},
        },
        () => {},
      ),
  };
}

async function stateIn(stores: Stores) {
  const { family } = seriesOf(rule);
  const [alert] = await stores.alerts.loadOfRule(rule.id);
  const lastTicks = await stores.runs.loadLastTicks();
  const readings = await stores.readings.load(family, { fromEndAt: MONDAY, throughEndAt: NOW });
  return {
    state: alert?.state,
    open: (await stores.alerts.loadOpen()).map(({ ruleId }) => ruleId),
    sent: alert?.sent.map(({ transition }) => transition),
    pending: Object.keys(alert?.pending ?? {}),
    windows: readings.map(({ window }) => window.endAt),
    lastTicks,
    newestEventAt: await stores.runs.loadNewestEventAt(rule.app),
    moves: (await Promise.all(lastTicks.map(({ tick }) => stores.runs.loadMoves(tick)))).flat(),
    deliveries: (await stores.deliveries.loadLast(10)).map(({ title }) => title),
  };
}

describe('the first replay', () => {
  test('sends what the past caused, and leaves its state in the table', async () => {
    const { run, stores, channel } = replayOf();
    const { notified, ticked } = await run();
    expect(channel.sent.flatMap(({ items }) => items.map(({ transition }) => transition))).toEqual([
      'fired',
      'recovered',
      'fired',
    ]);
    expect(notified).toBe(3);
    expect(ticked.get(rule.id)).toBe(LAST_RUN - 1);
    expect(await stateIn(stores)).toMatchObject({
      state: 'firing',
      open: ['purchases'],
      sent: ['fired', 'recovered', 'fired'],
      pending: [],
      windows: expect.arrayContaining([MONDAY + 9 * DAY_MS, MONDAY + (LAST_DAY + 1) * DAY_MS]),
      lastTicks: [{ scheduledAt: LAST_RUN }],
      newestEventAt: LAST_RUN - HOUR_MS / 2,
      moves: [{ ruleId: 'purchases', value: 100, baseline: 1000 }],
      deliveries: ['Purchases down 90%', 'Recovered: Purchases back at 1,000 events', 'Purchases down 90%'],
    });
  });

  test('notes the versions of the past, and names them in its messages', async () => {
    const { run, stores, channel } = replayOf();
    await run();
    const notes = await stores.notes.load({ fromAt: MONDAY, throughAt: NOW });
    expect(notes).toMatchObject([{ text: 'Android 2 reached 5% of sessions', at: RELEASED, by: 'data' }]);
    const named = channel.sent.map(
      ({ items }) => items[0]?.facts.find(({ label }) => label === 'Note')?.text ?? 'none',
    );
    expect(named).toEqual(['none', 'none', 'Android 2 reached 5% of sessions, 16 hours before']);
    const known = (await stores.runs.loadVersions('demo'))?.known;
    expect(known?.toSorted()).toEqual(['android, 1', 'android, 2']);
  });

  test('replaces what an interrupted write has left', async () => {
    const first = replayOf();
    await first.run();
    const expected = await stateIn(first.stores);
    const again = replayOf();
    await again.run();
    expect(await stateIn(again.stores)).toEqual(expected);
  });

  test('evaluates the same windows if the past cannot be read in advance', async () => {
    const ahead = replayOf();
    await ahead.run();
    const other = openSqliteTable(':memory:', new ManualClock(NOW));
    try {
      const oneByOne = replayOf({ isRefused: true, table: other });
      expect((await oneByOne.run()).notified).toBe(3);
      const { state, sent, deliveries } = await stateIn(ahead.stores);
      expect(await stateIn(oneByOne.stores)).toMatchObject({ state, sent, deliveries });
    } finally {
      await other.close();
    }
  });

  test('leaves the table unchanged if it is interrupted', async () => {
    const { run, stores } = replayOf({ signal: AbortSignal.abort(new Error('stopped')) });
    await expect(run()).rejects.toThrow('stopped');
    expect(await stateIn(stores)).toMatchObject({ sent: undefined, windows: [], deliveries: [] });
  });
});
