import { beforeEach, describe, expect, test } from 'vitest';
import { KEY_BYTES, mintKey } from '../../../shared/access/api-key.ts';
import { seriesSchema } from '../../../shared/messages/chart-series.ts';
import { rowKeysOf, seriesOf } from '../../../shared/readings/series.ts';
import { buildRule, type FigureRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import type { Window } from '../../../shared/time/window.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import {
  alertOf,
  breached,
  dayAt,
  evaluationOf,
  MONDAY,
  ruleNamed,
  ruleSetOf,
} from '../../fixtures/builders.ts';
import { clientOf } from './api/client.ts';
import { openDesk, URL_ROOT } from './desk.ts';

const SALES = ruleNamed('sales', { title: 'Sales' });
const PARTS = ruleNamed('parts', { title: 'Parts', group_by: 'device_country' });
const USERS = ruleNamed('users', { group_by: 'device_country', metric: 'event_users' });
const TOKYO = ruleNamed('tokyo', { zone: 'Asia/Tokyo' });
const BOTH = buildRule(
  ruleSetEntrySchema.parse({
    ...{ id: 'both', title: 'Both', app: 'demo', owner: 'shop', every: 'day at 01:00' },
    all_of: ['sales', 'tokyo'],
  }),
);

let desk: Awaited<ReturnType<typeof openDesk>>;
let stores: ReturnType<typeof inMemoryStores>;
let token: string;
let call: ReturnType<typeof clientOf>;

/** Sales fall on the third day, below the limit. Malta is the largest of seven countries, and Peru fires. */
beforeEach(async () => {
  stores = inMemoryStores();
  desk = await openDesk({ ...stores });
  await stores.rules.save({ ...ruleSetOf(SALES, PARTS, USERS, TOKYO, BOTH), version: 'series' });
  await stores.alerts.save(alertOf(SALES, { last: breached(2) }));
  for (const [segment, amount] of Object.entries(COUNTRIES)) {
    const last = evaluationOf(2, { current: { window: dayAt(2), value: amount, weight: null } });
    await stores.alerts.save(
      alertOf(PARTS, { segment, last, ...(segment === 'Peru' && { state: 'firing' as const }) }),
    );
    await stores.alerts.save(alertOf(USERS, { segment, last }));
  }
  for (const [day, count] of [90, 100, 40].entries()) {
    await keep(SALES, dayAt(day), [{ current: { event_count: count } }]);
    await keep(
      PARTS,
      dayAt(day),
      Object.entries(COUNTRIES).map(([segment, share]) => ({
        segment,
        current: { event_count: share * count },
      })),
    );
  }
  const minted = mintKey(new Uint8Array(KEY_BYTES).fill(1), { apps: [], createdAt: MONDAY, scope: 'read' });
  await desk.keys.create(minted.key);
  token = minted.text;
  call = clientOf((path, init) => desk.app.request(`${URL_ROOT}${path}`, init));
});

const COUNTRIES = { Malta: 50, Spain: 20, Chile: 10, Fiji: 8, Italy: 6, Japan: 4, Peru: 2 };

function keep(
  rule: FigureRule,
  window: Window,
  rows: { segment?: string; current: Record<string, number> }[],
) {
  const { family } = seriesOf(rule);
  const { endAt: readAt } = window;
  return stores.readings.save({
    ...{
      family,
      window,
      readAt,
      isAlone: true,
      eventNames: ['purchase'],
      keys: rowKeysOf([rule]),
    },
    rows: rows.map((row) => ({ ...row, eventName: 'purchase' })),
  });
}

const get = async (id: string, query: object = {}) => {
  const { status, body } = await call('getSeries', { token, id, ...query });
  return { status, detail: (body as { detail?: string }).detail, series: () => seriesSchema.parse(body) };
};

describe('the series of a rule', () => {
  test('has values, what was expected, limits that are null on the open side, breaches and notes', async () => {
    await stores.notes.save({
      id: 'n',
      text: 'Release',
      app: null,
      at: dayAt(1).startAt + HOUR_MS,
      by: 'Anna',
    });
    const answer = (await get('sales')).series();
    expect(answer).toMatchObject({
      title: 'Sales',
      unit: 'events',
      window: 'day',
      zone: 'UTC',
      share: false,
      total: null,
    });
    expect(answer.windows.map(({ start }) => start.slice(0, 10))).toEqual([
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
    ]);
    expect(answer.series).toEqual([
      {
        ...{ segment: null, values: [90, 100, 40], expected: [null, 90, 100] },
        ...{ low: [null, expect.closeTo(63), 70], high: [null, null, null], breached: [false, false, true] },
        texts: ['90', '100, expected 90 (at least 63)', '40, expected 100 (at least 70), breached'],
      },
    ]);
    expect(answer.notes).toEqual([
      { text: 'Release', app: null, by: 'Anna', at: '2026-03-03T01:00:00.000Z' },
    ]);
  });

  test('of segments is that of the most severe and the four largest, with the total of all', async () => {
    const answer = (await get('parts')).series();
    expect(answer.series.map(({ segment }) => segment)).toEqual(['Peru', 'Malta', 'Spain', 'Chile', 'Fiji']);
    expect(answer.total).toEqual([9000, 10_000, 4000]);
    expect(
      (await get('parts', { segment: ['Japan', 'Malta'] })).series().series.map(({ values }) => values),
    ).toEqual([
      [360, 400, 160],
      [4500, 5000, 2000],
    ]);
  });

  test('takes dates in the zone of the rule', async () => {
    const windows = [0, 1, 2].map((day) => {
      const { startAt, endAt } = dayAt(day);
      return { startAt: startAt - 9 * HOUR_MS, endAt: endAt - 9 * HOUR_MS };
    });
    for (const window of windows) await keep(TOKYO, window, [{ current: { event_count: 5 } }]);
    const current = { window: windows[2] ?? dayAt(2), value: 5, weight: null };
    await stores.alerts.save(alertOf(TOKYO, { last: evaluationOf(2, { current }) }));
    const answer = (await get('tokyo', { from: '2026-03-03', until: '2026-03-03' })).series();
    const text = 'Tue 3 Mar 2026 (Asia/Tokyo)';
    expect(answer.windows).toEqual([
      { start: '2026-03-02T15:00:00.000Z', end: '2026-03-03T15:00:00.000Z', text },
    ]);
  });

  test('has no total of a metric that does not add up', async () => {
    expect((await get('users')).series().total).toBeNull();
  });

  test.each([
    ['the days of both dates', { from: '2026-03-03', until: '2026-03-03' }, ['2026-03-03']],
    ['times', { from: '2026-03-02T00:00:00Z', until: '2026-03-04T00:00:00Z' }, ['2026-03-02', '2026-03-03']],
    ['the last windows until a date', { until: '2026-03-03' }, ['2026-03-02', '2026-03-03']],
    ['what is known of a later time', { from: '2026-03-04', until: '2030-01-01' }, ['2026-03-04']],
    ['nothing before the first value', { from: '2026-01-01', until: '2026-02-01' }, []],
    ['nothing of a time that ends before it starts', { from: '2026-03-04', until: '2026-03-02' }, []],
    ['times in another zone', { from: '2026-03-02T05:30:00+05:30', until: '2026-03-02' }, ['2026-03-02']],
    ['the last 750 windows since', { from: '2020-01-01', until: '2026-03-02' }, ['2026-03-02']],
  ])('covers %s', async (_, query, days) => {
    expect((await get('sales', query)).series().windows.map(({ start }) => start.slice(0, 10))).toEqual(days);
  });

  test.each<[string, string, object, number, string]>([
    ['no time', 'sales', { from: 'yesterday' }, 400, 'from: not a date; write YYYY-MM-DD'],
    ['nine segments', 'parts', { segment: [...'abcdefghi'] }, 400, 'segment: '],
    ['a segment of a rule without', 'sales', { segment: 'Malta' }, 404, 'the rule has no such segment'],
    ['an unknown rule', 'gone', {}, 404, 'there is no such rule'],
    ['a rule of rules', 'both', {}, 404, 'a rule that combines others has no series; ask for theirs'],
  ])('is refused for %s', async (_, id, query, status, detail) => {
    const answer = await get(id, query);
    expect(answer.status).toBe(status);
    expect(answer.detail).toContain(detail);
  });

  test('is the same beside the page, by the session alone', async () => {
    const open = await openDesk({ ...stores, access: { kind: 'open' } });
    const page = await open.request('/rules/parts/series?segment=Malta');
    expect(await page.json()).toEqual((await get('parts', { segment: 'Malta' })).series());
    expect((await open.request('/rules/gone/series')).status).toBe(404);
    expect((await open.request('/rules/parts/series?from=x')).status).toBe(400);
    const closed = await openDesk({
      ...stores,
      access: { kind: 'authorized', visitorOf: () => ({ name: undefined, grants: [] }) },
    });
    const headers = { Authorization: `Bearer ${token}` };
    expect((await closed.request('/rules/parts/series', { headers })).status).toBe(401);
  });
});
