import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noteVersions } from '../../../functions/check-rules/note-versions.ts';
import { writeDemoApp } from '../../../local/data/demo/demo-app.ts';
import { openFolder } from '../../../local/data-access.ts';
import type { RangeResult } from '../../../shared/readings/metric-source.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import type { Stores } from '../../../shared/store/stores.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { createFakeMetricSource, type Fact } from '../../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const always = { fromAt: 0, throughAt: MONDAY + 100 * DAY_MS };

async function textsIn({ notes }: Pick<Stores, 'notes'>): Promise<string[]> {
  const found = await notes.load(always);
  return found.map(({ text, at, by }) => `${new Date(at).toISOString()} ${text} (${by})`).toSorted();
}

describe('with the demo shop, its service and the table', () => {
  /** A Wednesday at 08:00 UTC, when the demo shop releases 7.5.0. */
  const RELEASED = Date.UTC(2026, 2, 11, 8);
  const table = onEmptyTable();
  let folder: Folder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const from = RELEASED - 3 * DAY_MS - 8 * HOUR_MS;
    await writeDemoApp({ dir: folder.path, app: 'demo', seed: 1, from, until: from + 6 * DAY_MS });
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('notes the release on all platforms at its hour, with a call a day, and not again once removed', async () => {
    const clock = new ManualClock(RELEASED - DAY_MS);
    const logger = { info: () => {}, warn: () => {}, error: () => {} };
    const key = 'k'.repeat(40);
    const service = openFolder(folder.path, { clock, apiKey: key });
    const stores = storesIn(table(), logger);
    const calls: number[] = [];
    try {
      const source = service.sourceFor('demo', stores.runs);
      await stores.rules.save(ruleSetOf(ruleNamed('orders')));
      for (let hour = 0; hour <= 48; hour += 6) {
        const scheduledAt = RELEASED - DAY_MS + hour * HOUR_MS;
        clock.advanceTo(scheduledAt);
        await stores.runs.saveNewestEventAt('demo', scheduledAt);
        await noteVersions({ app: 'demo', scheduledAt }, { ...stores, logger, sourceFor: () => source });
        calls.push(source.callsMade?.() ?? 0);
      }
      expect(calls).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3]);
      expect(await textsIn(stores)).toEqual([
        '2026-03-11T08:00:00.000Z Android, iOS and Web 7.5.0 reached 5% of sessions (data)',
      ]);

      for (const note of await stores.notes.load(always)) await stores.notes.remove(note);
      const scheduledAt = clock.now() + DAY_MS;
      clock.advanceTo(scheduledAt);
      await noteVersions({ app: 'demo', scheduledAt }, { ...stores, logger, sourceFor: () => source });
      expect(source.callsMade?.()).toBe(4);
      expect(await textsIn(stores)).toEqual([]);
    } finally {
      service.close();
    }
  });
});

/** 100 sessions of iOS each hour for a week. From day 2 on, half of them have version 2, and from day 4 on 3. */
const facts: Fact[] = Array.from({ length: 7 * 24 }, (_, hour) => {
  const day = hour / 24;
  const share = { '1': day < 2 ? 100 : day < 4 ? 50 : 0, '2': day < 2 ? 0 : 50, '3': day < 4 ? 0 : 50 };
  return Object.entries(share).map(([app_version, session_count]) => ({
    endpoint: 'session' as const,
    at: MONDAY + hour * HOUR_MS,
    attributes: { device_platform: 'ios', app_version },
    figures: { session_count },
  }));
}).flat();

function installation() {
  const stores = inMemoryStores();
  const source = createFakeMetricSource(facts);
  const logged: string[] = [];
  const log = (message: string, fields?: unknown) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { info: () => {}, warn: log, error: log };
  const deps = { ...stores, logger, sourceFor: () => source };
  return {
    ...stores,
    deps,
    source,
    logged,
    async begin() {
      await stores.rules.save(ruleSetOf(ruleNamed('orders')));
      await stores.runs.saveNewestEventAt('demo', MONDAY + 7 * DAY_MS);
    },
    run: (day: number, other: Partial<typeof deps> = {}) =>
      noteVersions({ app: 'demo', scheduledAt: MONDAY + day * DAY_MS }, { ...deps, ...other }),
  };
}

describe('over fakes', () => {
  test('notes versions after the first answer, and asks for 48 hours whose data has arrived', async () => {
    const { begin, run, source, ...stores } = installation();
    await begin();
    for (const day of [2, 3, 4, 5]) await run(day);
    expect(await textsIn(stores)).toEqual([
      '2026-03-04T00:00:00.000Z iOS 2 reached 5% of sessions (data)',
      '2026-03-06T00:00:00.000Z iOS 3 reached 5% of sessions (data)',
    ]);
    expect(source.ranges.map(({ windows }) => windows.length)).toEqual([48, 48, 48, 48]);
    await run(9);
    expect(source.ranges.at(-1)?.windows.at(-1)?.endAt).toBe(MONDAY + 7 * DAY_MS);
  });

  test('asks nothing about an app without rules or data', async () => {
    const { run, source, rules, runs } = installation();
    await runs.saveNewestEventAt('demo', MONDAY + 7 * DAY_MS);
    await run(2);
    await rules.save(ruleSetOf(ruleNamed('orders', { app: 'other' })));
    await run(3);
    expect(source.ranges).toEqual([]);
  });

  test.each<{ what: string; answer: Exclude<RangeResult, { kind: 'read' }>; warnings: string[] }>([
    {
      what: 'fails',
      answer: { kind: 'failed', reason: 'the service is down', retryable: true },
      warnings: ['versions could not be read {"app":"demo","reason":"the service is down"}'],
    },
    { what: 'has no spare calls', answer: { kind: 'budget-spent', reason: 'none are left' }, warnings: [] },
    { what: 'has no hours', answer: { kind: 'unsupported', reason: 'it has no time buckets' }, warnings: [] },
  ])('asks a service that $what again after a day, and catches up', async ({ answer, warnings }) => {
    const { begin, run, source, logged, ...stores } = installation();
    await begin();
    await run(2);
    const silent = { ...source, readRange: async () => answer };
    await run(3, { sourceFor: () => silent });
    expect(logged).toEqual(warnings);
    await run(3.5);
    expect(source.ranges).toHaveLength(1);
    await run(4);
    expect(await textsIn(stores)).toEqual(['2026-03-04T00:00:00.000Z iOS 2 reached 5% of sessions (data)']);
  });

  test('a table that fails does not fail the run', async () => {
    const { begin, run, logged, notes } = installation();
    await begin();
    await run(2);
    await run(3, { notes: { ...notes, save: () => Promise.reject(new Error('the table is down')) } });
    expect(logged).toEqual(['versions could not be noted {"app":"demo","reason":"the table is down"}']);
  });

  test('any order of runs, repeated, at once or dying, notes a version at most once and asks once a day', async () => {
    const aRun = fc.record({
      hour: fc.integer({ min: 0, max: 7 * 24 }),
      fate: fc.constantFrom('ends', 'is repeated', 'runs at once', 'dies', 'fails'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aRun, { minLength: 1, maxLength: 15 }), async (all) => {
        const { begin, run, source, notes } = installation();
        await begin();
        const saved: string[] = [];
        const counting = {
          ...notes,
          save: async (note: Parameters<typeof notes.save>[0]) => void saved.push(note.text),
        };
        const dying = { ...notes, save: () => Promise.reject(new Error('it died')) };
        for (const { hour, fate } of all) {
          const day = hour / 24;
          const before = source.ranges.length;
          if (fate === 'fails') source.failNext({ kind: 'failed', reason: 'down', retryable: true });
          const once = () => run(day, { notes: fate === 'dies' ? dying : counting });
          if (fate === 'runs at once') await Promise.all([once(), once(), once()]);
          else await once();
          if (fate === 'is repeated') await once();
          expect(source.ranges.length - before).toBeLessThanOrEqual(1);
        }
        expect(saved).toEqual([...new Set(saved)]);
      }),
      { numRuns: 25 },
    );
  });
});
