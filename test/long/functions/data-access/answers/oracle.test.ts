import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../../../shared/units/durations.ts';
import { NOW, range, writeData } from '../../../../functions/data-access/sample-app.ts';
import {
  agree,
  agreeOnJourneys,
  link,
  open,
  openZones,
  type Pair,
  rowsOf,
} from '../../../../oracle/agreement.ts';
import { analyze } from '../../../../oracle/analytics.ts';
import { list } from '../../../../oracle/lists.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';

const SEED = 20_260_410;

let pairs: Pair[] = [];
beforeAll(async () => {
  pairs = await openZones(SEED);
});
afterAll(() => Promise.all(pairs.map(({ shop }) => shop.close())));

function pairIn(zone: string): Pair {
  const found = pairs.find(({ world }) => world.zone === zone);
  if (found === undefined) throw new Error(`no world in ${zone}`);
  return found;
}

// test/soak/oracle.test.ts runs 6,000 queries.
describe('random queries', () => {
  test('return the results of the oracle', () => agree(pairs, { numRuns: 120, seed: SEED }));

  test('about funnels and retention return the results of the oracle', () =>
    agreeOnJourneys(pairs, { numRuns: 100, seed: SEED }));

  test('return the results of the oracle after late uploads', async () => {
    const later = NOW + 3 * DAY_MS;
    const pair = await open(randomWorld(SEED, 'Europe/Berlin', NOW));
    try {
      pair.shop.clock.advanceTo(later);
      const since = { shop: pair.shop, world: { ...pair.world, now: later } };
      await agree([since], { numRuns: 30, seed: SEED });
    } finally {
      await pair.shop.close();
    }
  });
});

describe('days with clock changes', () => {
  test.each([
    ['Europe/Berlin', '2025-10-26', 25],
    ['Europe/Berlin', '2026-03-29', 23],
    ['America/St_Johns', '2025-11-02', 25],
    ['America/St_Johns', '2026-03-08', 23],
    // The clock changes by half an hour.
    ['Australia/Lord_Howe', '2025-10-05', 24],
    ['Australia/Lord_Howe', '2026-04-05', 25],
    ['Pacific/Apia', '2021-04-04', 25],
    ['Pacific/Apia', '2011-12-30', 0],
    ['Asia/Kathmandu', '2026-03-15', 24],
  ])('%s on %s has %i hours', async (zone, day, hours) => {
    const { world, shop } = pairIn(zone);
    const request = {
      filters: [range(day, day)],
      group_by: [{ attribute: 'session_uploadedon_hour' }],
      aggregation: [{ attribute: 'session_count' }, { attribute: 'session_unique_user_count' }],
    };
    const { body } = await shop.get('/v2/session/analytics', request);
    expect(body.data).toHaveLength(hours);
    expect(body.data).toEqual(analyze(world, 'session', request));
  });

  test('a date that the zone skipped has no row', async () => {
    const { body } = await pairIn('Pacific/Apia').shop.get('/v2/session/analytics', {
      filters: [range('2011-12-29', '2011-12-31')],
      group_by: [{ attribute: 'session_uploadedon_day' }],
    });
    expect(body.data.map((row) => row.session_uploadedon_day)).toEqual(['2011-12-29', '2011-12-31']);
  });
});

describe('unique counts of the group others', () => {
  test.each([
    ['session', 'session_unique_user_count', 'device_city'],
    ['event', 'event_unique_user_count', 'device_city'],
    ['event', 'event_unique_session_count', 'event_name'],
    ['user', 'user_count', 'device_city'],
    ['screen', 'unique_users', 'screen_name'],
    ['screen', 'unique_sessions', 'screen_name'],
  ] as const)('of %ss: %s counts each once', async (resource, metric, attribute) => {
    const { world, shop } = pairIn('UTC');
    const asked = (max_group_number: number) => ({
      group_by: [{ attribute, max_group_number }],
      aggregation: [{ attribute: metric }],
    });
    const read = async (maximum: number) => {
      const { body } = await shop.post(`/api/data-access/v1/${resource}/analytics`, asked(maximum));
      return new Map(body.data.map((row) => [row[attribute], Number(row[metric])]));
    };
    const [apart, folded] = await Promise.all([read(50), read(2)]);
    const kept = [...folded.keys()].filter((key) => key !== 'others');
    const rest = [...apart].filter(([key]) => !kept.includes(key));
    const others = folded.get('others') ?? 0;
    expect(others).toBeLessThan(rest.reduce((total, [, count]) => total + count, 0));
    expect(others).toBe(
      analyze(world, resource, asked(2)).find((row) => row[attribute] === 'others')?.[metric],
    );
  });
});

describe('paging through a list', () => {
  test.each(['event', 'session', 'user'] as const)(
    'of %ss by cursor returns each record that existed at its start once',
    async (resource) => {
      const world = randomWorld(SEED, 'America/St_Johns', NOW);
      const { shop } = await open(world);
      const filters = [range('2026-03-01', '2026-06-30')];
      const expected = list(world, resource, { filters }, link);
      const walked: object[] = [];
      try {
        let cursor = '';
        do {
          const body = { filters, page_size: 25, ...(cursor && { cursor }) };
          const answer = await shop.post(`/api/data-access/v1/${resource}`, body);
          walked.push(...answer.body.data);
          if (cursor === '') {
            // A day after the first page, records are uploaded that sort into the remaining pages.
            await shop.clock.sleep(DAY_MS);
            await writeData(join(shop.directory, 'shop.duckdb'), rowsOf(grown(world, shop.clock.now())));
          }
          cursor = String(Object(answer.body.pagination).next_cursor);
        } while (cursor !== '');
      } finally {
        await shop.close();
      }
      expect(walked).toEqual(expected);
      expect(walked.length).toBeGreaterThan(45);
    },
  );

  test('refuses the cursor of another list', async () => {
    const { shop } = pairIn('UTC');
    const first = await shop.post('/api/data-access/v1/event', { page_size: 2 });
    const cursor = Object(first.body.pagination).next_cursor;
    const other = await shop.post('/api/data-access/v1/session', { page_size: 2, cursor });
    expect([other.status, other.body.error?.code]).toEqual([400, 'INVALID_CURSOR']);
  });

  /** The world with each record doubled; the copies are uploaded now. */
  function grown(world: Pair['world'], now: number): Pair['world'] {
    const copyOf = (id: string) => `${id}-${now}`;
    const sessions = world.sessions.map((row) => ({
      ...row,
      session_id: copyOf(row.session_id),
      session_number: 99,
      recorded_at: row.recorded_at + 1,
      uploaded_at: now,
    }));
    const events = world.events.map((row) => ({
      ...row,
      event_id: copyOf(row.event_id),
      session_id: copyOf(row.session_id),
      uploaded_at: now,
    }));
    return { ...world, sessions: [...world.sessions, ...sessions], events: [...world.events, ...events] };
  }

  test.each(['event', 'session', 'user'] as const)(
    'of %ss by page number returns each record once',
    async (resource) => {
      const { world, shop } = pairIn('Asia/Kathmandu');
      const expected = list(world, resource, {}, link);
      const walked: object[] = [];
      for (let page: number | null = 1; page !== null; ) {
        const { body } = await shop.get(`/v2/${resource}`, { page, page_size: 25 });
        walked.push(...body.data);
        page = Object(body.pagination).next;
      }
      expect(walked).toEqual(expected);
    },
  );
});
