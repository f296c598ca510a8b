import { describe } from 'vitest';
import type { Gate } from '../../shared/evaluation/gate.ts';
import { buildRule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { drivenBy } from '../fixtures/builders.ts';
import { lifeOf, QUIET } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { fell, found, foundBetween, pendingFor, purchases, sales, shopRule } from './situations.ts';

describe('the message of an alert that fires', () => {
  golden('fall', [
    pendingFor(purchases, 'fired', fell, {
      drivers: drivenBy({ device_platform: 'android', app_version: '5.2.0' }),
    }),
  ]);
  const { startAt, endAt } = fell.current.window;
  const noteAt = (text: string, at: number, app: string | null = 'shop') => ({
    id: text,
    text,
    app,
    at,
    by: 'CI',
  });
  golden('fall after a release', [
    {
      ...pendingFor(purchases, 'fired', fell),
      notes: [
        noteAt('release 7.22', startAt - (2 / 3) * HOUR_MS),
        noteAt('price test ended', startAt + HOUR_MS / 4, null),
        noteAt('release of the bank', startAt - HOUR_MS / 2, 'bank'),
        noteAt('after the window', endAt),
        noteAt('before the baseline', startAt - 3 * HOUR_MS),
      ],
    },
  ]);
  golden('fall with buttons', [pendingFor(purchases, 'fired', fell)], { interactive: true });
  const lenient = shopRule({ confidence: 0.95 });
  golden('common by its history', [
    pendingFor(lenient, 'fired', found(lenient, { current: 10, baseline: 26 }), {
      drivers: {
        ...{ drivers: [], opposed: null, moved: { current: 10, baseline: 26 } },
        compared: ['device_platform', 'app_version', 'device_country'],
      },
    }),
  ]);
  golden('fall to nothing', [
    pendingFor(purchases, 'fired', found(purchases, { current: 0, baseline: 1000 })),
  ]);

  const rage = shopRule({
    id: 'rage-checkout',
    title: 'Rage gestures on Checkout',
    severity: 'warning',
    metric: 'rage_gestures',
    filters: [],
    fire: { change: { above: '50%' } },
  });
  golden('rise', [pendingFor(rage, 'fired', found(rage, { current: 1620, baseline: 1000 }))]);
  golden('rise to many times', [pendingFor(rage, 'fired', found(rage, { current: 640, baseline: 100 }))]);
  const level = shopRule({ fire: { current: { above: 1 } }, confidence: 0.99 });
  golden('above its bound after a fall', [
    pendingFor(level, 'fired', found(level, { current: 4, baseline: 29 })),
  ]);
  const slow = shopRule({
    ...{ id: 'load-time', title: 'Load time (p95)', metric: { p95: 'load_seconds' }, unit: 'seconds' },
    ...{ filters: [], fire: { current: { above: 8 } }, fire_after: '2 of 2' },
  });
  golden('plain threshold', [
    pendingFor(slow, 'fired', found(slow, { current: 9.2, baseline: 8.6, weight: 300 })),
  ]);
  const rageOfReleases = shopRule({
    ...{ id: 'rage-of-releases', title: 'Rage gestures per session of a release', filters: [] },
    ...{ metric: 'rage_gestures_per_session', group_by: 'app_version', compare: undefined },
    fire: { change: { above: '50%' } },
  });
  golden('release against the one before', [
    pendingFor(rageOfReleases, 'fired', foundBetween(rageOfReleases, { '5.2.0': 0.62, '5.1.0': 0.21 }), {
      segment: '5.2.0',
    }),
  ]);
  const byVersion = shopRule({
    title: 'Purchases, by version',
    group_by: 'app_version',
    minimum: { baseline: 0 },
  });
  golden('new', [
    pendingFor(byVersion, 'fired', found(byVersion, { current: 120, baseline: 0 }), { segment: '5.2.0' }),
  ]);

  const conversion = shopRule({
    id: 'conversion',
    title: 'Purchases per started checkout',
    filters: [],
    ratio: { of: 'purchase', to: 'begin_checkout' },
  });
  golden('ratio', [
    pendingFor(conversion, 'fired', found(conversion, { current: 0.312, baseline: 0.524, weight: 4000 }), {
      drivers: drivenBy(
        { device_model: 'Pixel 7' },
        { kind: 'within', baseline: 0.52, current: 0.002, shareOfChange: 0.96, shareOfBase: 0.39 },
      ),
    }),
  ]);
  const funnel = shopRule({
    id: 'funnel',
    title: 'The way to a purchase',
    filters: [],
    funnel: ['view_item', 'add_to_cart', 'purchase'],
  });
  golden('funnel', [
    pendingFor(funnel, 'fired', found(funnel, { current: 0.101, baseline: 0.184, weight: 9000 }), {
      segment: 'view_item → add_to_cart',
    }),
  ]);
  const weekly = shopRule({
    id: 'sessions',
    title: 'Sessions',
    metric: 'sessions',
    filters: [],
    compare: { median_of: '4 weeks' },
  });
  const median = { of: 'median', windows: 4 } as const;
  golden('against the median of weeks', [
    pendingFor(weekly, 'fired', found(weekly, { current: 590, baseline: 1000, origin: median })),
  ]);
  const seasonal = shopRule({
    id: 'sessions',
    title: 'Sessions',
    metric: 'sessions',
    filters: [],
    fire: undefined,
    anomaly: true,
    compare: undefined,
  });
  const surprise = {
    ...{ expected: 1000, low: 870, high: 1140, z: -6.2, limit: 3.9, larger: 0, remembered: 61 },
    ...{ isBeyond: true, isUsual: false, canDetect: true },
  };
  golden('unusual for the time of the week', [
    pendingFor(
      seasonal,
      'fired',
      found(seasonal, { current: 590, baseline: 1000, origin: { of: 'model' }, surprise }),
    ),
  ]);
  const sum = { windows: 24, value: 21_400, expected: 26_800, low: 22_900, high: null, z: -5.2, limit: 4.5 };
  golden('a fall over several hours that no hour shows', [
    pendingFor(
      seasonal,
      'fired',
      found(seasonal, {
        ...{ current: 880, baseline: 1000, origin: { of: 'model' } },
        surprise: { ...surprise, z: -1.4, sum },
      }),
    ),
  ]);
  const clockChange = Date.UTC(2026, 9, 25, 1);
  const twice = found(purchases, { current: 590, baseline: 1000, at: clockChange });
  golden('repeated hour of a clock change', [pendingFor(purchases, 'fired', twice)]);
  const byDay = shopRule({ every: 'day at 07:00' });
  const longer = found(byDay, { current: 590, baseline: 1000, at: clockChange + 22 * HOUR_MS });
  golden('day of 25 hours', [pendingFor(byDay, 'fired', longer)]);
  golden('several days late', [
    lifeOf(sales())
      .days([...QUIET, 985, 1010, 990])
      .again(21, 300)
      .pending(),
  ]);
  golden('held back until morning', [
    pendingFor(purchases, 'fired', fell, {
      heldBy: {
        ...{ by: 'calendar', name: 'nights', zone: 'Europe/Berlin' },
        untilAt: Date.parse('2026-03-03T07:00Z'),
      },
    }),
  ]);
});

describe('the message of a composite rule', () => {
  const rule = buildRule(
    ruleSetEntrySchema.parse({
      ...{
        id: 'shop-trouble',
        title: 'Trouble in the shop',
        app: 'shop',
        owner: 'shop',
        every: 'hour at :10',
      },
      ...{ zone: 'Europe/Berlin', severity: 'critical', all_of: ['purchases', 'carts'] },
    }),
  );
  const member = (title: string, from: number, to: number): Gate => ({
    ...{ gate: 'member', passed: true, code: 'member-firing', figures: {}, title, watched: {}, more: 0 },
    firing: [{ segment: null, movement: { from, to, change: to / from - 1 } }],
  });
  const rulesFiring = (firing: number) => ({ code: 'members' as const, firing, of: 2 });
  const none = { value: null, weight: null };
  const evaluation = {
    ...{ ...fell, previous: none, difference: null, change: null },
    ...{ current: { ...fell.current, ...none }, baseline: { ...fell.baseline, ...none } },
    gates: [member('Purchases', 1000, 590), member('Items added to the cart', 4000, 1200)],
    reason: rulesFiring(2),
  };
  golden('composite', [pendingFor(rule, 'fired', evaluation)]);
  golden('composite recovered', [
    pendingFor(rule, 'recovered', { ...evaluation, gates: [], reason: rulesFiring(0), recovered: true }),
  ]);
});
