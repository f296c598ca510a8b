import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Columns, event, range, type Sample, sample, session } from '../sample-app.ts';

const visit = (user: string, platform: string, at: string, names: [name: string, time: string][]) => {
  const own = session({ user_id: user, platform, recorded_at: `${at}T00:00:00Z` });
  return { own, events: names.map(([event_name, time]) => event(own, { event_name, recorded_at: time })) };
};

const VISITS = [
  // Enters twice on the first day; only the second time follows an order, so the first entry counts.
  visit('ann', 'ios', '2026-04-01', [
    ['cart', '2026-04-01T10:00:00Z'],
    ['cart', '2026-04-01T11:00:00Z'],
    ['pay', '2026-04-01T11:30:00Z'],
    ['thanks', '2026-04-01T11:30:00Z'],
  ]),
  visit('ben', 'android', '2026-04-01', [
    ['pay', '2026-04-01T09:00:00Z'],
    ['cart', '2026-04-01T10:00:00Z'],
    ['thanks', '2026-04-01T10:01:00Z'],
    ['pay', '2026-04-01T11:59:00Z'],
    ['thanks', '2026-04-01T12:00:00Z'],
  ]),
  // Just too late.
  visit('cat', 'ios', '2026-04-01', [
    ['cart', '2026-04-01T10:00:00Z'],
    ['pay', '2026-04-01T12:00:00.001Z'],
  ]),
  visit('ann', 'android', '2026-04-02', [['cart', '2026-04-02T23:30:00Z']]),
  visit('ann', 'android', '2026-04-03', [['pay', '2026-04-03T00:30:00Z']]),
  visit('ben', 'android', '2026-04-08', [['cart', '2026-04-08T10:00:00Z']]),
];
const sessions: Columns[] = VISITS.map(({ own }) => own);
const events: Columns[] = VISITS.flatMap((each) => each.events);

let shop: Sample;
beforeAll(async () => {
  shop = await sample({ zone: 'UTC', sessions, events });
});
afterAll(() => shop.close());

const FUNNEL = {
  steps: [{ event_name: 'cart' }, { event_name: 'pay' }, { event_name: 'thanks' }],
  within_minutes: 120,
  filters: [range('2026-04-01', '2026-04-02')],
};
const day = { attribute: 'event_uploadedon_day' };
const ask = async (path: 'funnel' | 'retention', body: Record<string, unknown>) =>
  (await shop.post(`/api/data-access/v1/${path}`, body)).body;

describe('a funnel', () => {
  test('counts the users of each step', async () => {
    const { data, pagination } = await ask('funnel', FUNNEL);
    expect(data).toEqual([
      {
        ...{ step_1: 3, step_2: 2, step_3: 1, step_2_share: 2 / 3, step_3_share: 1 / 2 },
        ...{ conversion: 1 / 3, complete: true },
      },
    ]);
    expect(pagination).toEqual({ current: 1, next: null, total: 1 });
  });

  test('counts a user once a day, on the platform of the first step', async () => {
    const asked = { ...FUNNEL, group_by: [day, { attribute: 'device_platform' }] };
    const { data } = await ask('funnel', asked);
    const rows = data.map((row) => [row.event_uploadedon_day, row.device_platform, row.step_1, row.step_2]);
    expect(rows).toEqual([
      ['2026-04-01', 'ios', 2, 1],
      ['2026-04-01', 'android', 1, 1],
      ['2026-04-02', 'android', 1, 1],
      ['2026-04-02', 'ios', 0, 0],
    ]);
    expect(data.at(-1)).toMatchObject({ step_2_share: null, conversion: null });
  });

  test('filters the events of each step, and those that enter', async () => {
    const onPhone = { attribute: 'device_platform', operator: 'equal', value: 'ios' };
    const steps = [{ event_name: 'cart' }, { event_name: 'pay', filters: [onPhone] }];
    const { data } = await ask('funnel', { ...FUNNEL, steps });
    expect(data).toMatchObject([{ step_1: 3, step_2: 1 }]);
    const entered = await ask('funnel', { ...FUNNEL, filters: [...FUNNEL.filters, onPhone] });
    expect(entered.data).toMatchObject([{ step_1: 2, step_2: 1 }]);
  });

  test('is incomplete while a user of the row can still go on', async () => {
    const steps = [{ event_name: 'cart' }, { event_name: 'pay' }];
    const asked = { steps, filters: [range('2026-04-08', '2026-04-10')], group_by: [day] };
    // It is noon on 10 April.
    const { data } = await ask('funnel', { ...asked, within_minutes: 36 * 60 });
    expect(data.map((row) => [row.event_uploadedon_day, row.step_1, row.complete])).toEqual([
      ['2026-04-08', 1, true],
      ['2026-04-09', 0, false],
      ['2026-04-10', 0, false],
    ]);
    const longer = await ask('funnel', { ...asked, within_minutes: 36 * 60 + 1 });
    expect(longer.data[0]).toMatchObject({ complete: false });
  });

  test.each([
    [{ steps: [{ event_name: 'cart' }] }, 'INVALID_REQUEST', 'steps: fewer than 2 steps'],
    [{ steps: [{ event_name: 'cart' }, {}] }, 'INVALID_REQUEST', 'steps[1].event_name: not a string'],
    [{ within_minutes: 43_201 }, 'INVALID_REQUEST', 'within_minutes: not a whole number from 1 to 43200'],
    [
      {
        steps: [{ event_name: 'cart', filters: [range('2026-04-01', '2026-04-02')] }, { event_name: 'pay' }],
      },
      'INVALID_FILTER',
      'steps[0].filters: date_range belongs to the filters of the whole question',
    ],
    [{ aggregation: [] }, 'INVALID_REQUEST', 'aggregation: unknown field'],
  ])('refuses %j', async (part, code, message) => {
    const { error } = await ask('funnel', { ...FUNNEL, ...part });
    expect(error).toMatchObject({ code, message });
  });
});

describe('retention', () => {
  test('has the users by the day of their first event, and who is back', async () => {
    const asked = { days: [1, 2, 7, 9], filters: [range('2026-04-01', '2026-04-02')], group_by: [day] };
    const { data } = await ask('retention', asked);
    expect(data).toEqual([
      {
        ...{ event_uploadedon_day: '2026-04-01', users: 3 },
        ...{ day_1: 1, day_1_share: 1 / 3, day_2: 1, day_2_share: 1 / 3, day_7: 1, day_7_share: 1 / 3 },
        // Today, which has not ended.
        ...{ day_9: null, day_9_share: null, complete: false },
      },
      {
        ...{ event_uploadedon_day: '2026-04-02', users: 0 },
        ...{ day_1: 0, day_1_share: null, day_2: 0, day_2_share: null, day_7: 0, day_7_share: null },
        ...{ day_9: null, day_9_share: null, complete: false },
      },
    ]);
  });

  test('counts the returns that match, of users who began with an event that matches', async () => {
    const asked = {
      ...{ start: { event_name: 'pay' }, return: { event_name: 'cart' }, days: [1, 7] },
      filters: [range('2026-04-01', '2026-04-01')],
    };
    const { data } = await ask('retention', asked);
    expect(data).toMatchObject([{ users: 3, day_1: 1, day_7: 1, complete: true }]);
  });

  test.each([
    [{ days: [] }, 'days: an empty list'],
    [{ days: [0] }, 'days[0]: not a whole number from 1 to 365'],
  ])('refuses %j', async (part, message) => {
    expect((await ask('retention', part)).error).toMatchObject({ code: 'INVALID_REQUEST', message });
  });
});
