import { describe, expect, test } from 'vitest';
import { messageFor, type Owed } from '../../shared/alerting/message.ts';
import { buildRule, ruleSetEntrySchema } from '../../shared/alerting/rule.ts';
import { daily, lifeOf, perSession, QUIET } from '../fixtures/life.ts';
import { rendered } from './rendered.ts';
import { found, owedByApp, owedFor, shopRule, TUESDAY_3_AM, withLinks } from './situations.ts';

/**
 * What people are sent, word for word. After a change of words: `vitest run --project quick test/golden -u`, and then
 * read each file that changed aloud.
 */
function golden(name: string, owed: Owed[], options: { interactive?: boolean } = {}) {
  test(name, async () => {
    const text = rendered(withLinks(messageFor(owed), owed), options);
    await expect(text).toMatchFileSnapshot(`${name.replaceAll(' ', '-')}.txt`);
  });
}

const sales = (overrides: Record<string, unknown> = {}) =>
  daily({
    title: 'Purchases',
    zone: 'UTC',
    severity: 'critical',
    runbook: 'Ask the payment provider.',
    ...overrides,
  });
const purchases = shopRule();
const fell = found(purchases, { current: 590, baseline: 1000 });

describe('an alert that begins', () => {
  golden('fall', [
    owedFor(purchases, 'fired', fell, {
      drivers: ['Platform android, version 5.2.0 explains 92 % of the fall; it was 18 % of the events.'],
    }),
  ]);
  golden('fall with buttons', [owedFor(purchases, 'fired', fell)], { interactive: true });
  golden('fall to nothing', [owedFor(purchases, 'fired', found(purchases, { current: 0, baseline: 1000 }))]);

  const rage = shopRule({
    id: 'rage-checkout',
    title: 'Rage gestures on Checkout',
    severity: 'warning',
    metric: 'rage_gestures',
    filters: [],
    fire: { change: { above: '50%' } },
  });
  golden('rise', [owedFor(rage, 'fired', found(rage, { current: 1620, baseline: 1000 }))]);
  golden('rise to many times', [owedFor(rage, 'fired', found(rage, { current: 640, baseline: 100 }))]);
  const byVersion = shopRule({
    title: 'Purchases, by version',
    group_by: 'app_version',
    minimum: { baseline: 0 },
  });
  golden('new', [
    owedFor(byVersion, 'fired', found(byVersion, { current: 120, baseline: 0 }), { segment: '5.2.0' }),
  ]);

  const conversion = shopRule({
    id: 'conversion',
    title: 'Purchases per begun checkout',
    filters: [],
    ratio: { of: 'purchase', to: 'begin_checkout' },
  });
  golden('ratio', [
    owedFor(conversion, 'fired', found(conversion, { current: 0.312, baseline: 0.524, weight: 4000 }), {
      drivers: [
        'Model Pixel 7 explains 96 % of the fall: from 52 % to 0.2 %; it was 20 % of the begin_checkout events.',
      ],
    }),
  ]);
  const funnel = shopRule({
    id: 'funnel',
    title: 'The way to a purchase',
    filters: [],
    funnel: ['view_item', 'add_to_cart', 'purchase'],
  });
  golden('funnel', [
    owedFor(funnel, 'fired', found(funnel, { current: 0.101, baseline: 0.184, weight: 9000 }), {
      segment: 'view_item → add_to_cart',
    }),
  ]);
  const weekly = shopRule({
    title: 'Sessions',
    metric: 'sessions',
    filters: [],
    compare: { median_of: '4 weeks' },
  });
  const median = { of: 'median', windows: 4 } as const;
  golden('against the median of weeks', [
    owedFor(weekly, 'fired', found(weekly, { current: 590, baseline: 1000, origin: median })),
  ]);
  const seasonal = shopRule({
    title: 'Sessions',
    metric: 'sessions',
    filters: [],
    fire: undefined,
    anomaly: true,
    compare: undefined,
  });
  const surprise = {
    ...{ expected: 1000, low: 870, high: 1140, z: -6.2, limit: 3.9, larger: 0, remembered: 61 },
    ...{ isBeyond: true, isUsual: false, wouldTell: true },
  };
  golden('unusual for the time of the week', [
    owedFor(
      seasonal,
      'fired',
      found(seasonal, { current: 590, baseline: 1000, origin: { of: 'model' }, surprise }),
    ),
  ]);
  golden('several days late', [
    lifeOf(sales())
      .days([...QUIET, 985, 1010, 990])
      .again(21, 300)
      .owed(),
  ]);
  golden('held back until morning', [owedFor(purchases, 'fired', fell, { heldBy: 'the calendar "nights"' })]);
});

describe('a rule over rules', () => {
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
  const member = (detail: string) => ({ gate: 'member' as const, passed: true, detail, figures: {} });
  const none = { value: null, weight: null };
  const evaluation = {
    ...{ ...fell, current: none, baseline: none, previous: none, difference: null, change: null },
    gates: [
      member('Purchases fell from 1,000 to 590 events (-41 %)'),
      member('Items put into the cart fell from 4,000 to 1,200 events (-70 %)'),
    ],
    reason: '2 of 2 rules fire',
  };
  golden('composite', [owedFor(rule, 'fired', evaluation)]);
  golden('composite recovered', [
    owedFor(rule, 'recovered', { ...evaluation, gates: [], reason: '0 of 2 rules fire', recovered: true }),
  ]);
});

describe('while it fires', () => {
  const anna = { by: 'Anna', at: TUESDAY_3_AM + 11 * 60_000, reason: 'rolling the release back' };
  const fired = { windowEndAt: fell.window.endAt, firstEndAt: fell.window.endAt, direction: 'down' as const };
  const standing = { ...fired, ...{ baselineWindow: fell.baselineWindow, origin: fell.origin } };
  const firing = { last: fell, fired: { ...standing, baseline: fell.baseline, gap: null } };
  golden('acknowledged', [
    owedFor(purchases, 'acknowledged', null, {
      ...firing,
      acknowledged: anna,
      reason: 'by Anna: rolling the release back',
    }),
  ]);
  const reminder = owedFor(purchases, 'reminded', fell, firing);
  const due = { ...reminder.debt, dueAt: fell.window.endAt + 8 * 3_600_000 };
  golden('reminded', [{ ...reminder, debt: due }]);
  golden('lasting', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, ...Array(13).fill(300)])
      .owed(),
  ]);
  golden('coming and going', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000])
      .owed(),
  ]);
});

describe('an alert that ends', () => {
  golden('recovered', [
    lifeOf(sales())
      .days([...QUIET, 300, 310, 990, 1010])
      .owed(),
  ]);
  golden('retracted', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .again(21, 985)
      .owed(),
  ]);
  golden('accepted', [
    lifeOf(sales())
      .days([...QUIET, ...Array(16).fill(300)])
      .owed(),
  ]);
  golden('excused', [
    owedFor(purchases, 'excused', null, {
      last: fell,
      reason: 'to be expected, by Anna: Women’s Day in Berlin',
    }),
  ]);
  golden('calm again', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, 300, 1000, ...QUIET.slice(0, 12)])
      .owed(),
  ]);
  golden('rule changed', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .deploy(sales({ fire: { change: { below: '-80%' } } }))
      .days([300])
      .owed(),
  ]);
});

describe('what cannot be judged', () => {
  const failed = {
    kind: 'failed' as const,
    reason: 'the data access service did not answer within 30 seconds',
    progressed: false,
  };
  const short = {
    kind: 'inconclusive' as const,
    reason: 'the 500 calls of this hour are spent',
    progressed: false,
  };
  const runs = (...outcomes: (typeof failed | typeof short | { kind: 'judged' })[]) =>
    outcomes.reduce((life, outcome) => life.run(outcome), lifeOf(sales()));
  const usual = Array.from({ length: 21 }, (_, day) => (day % 2 ? 103 : 97));
  const rage = perSession({ title: 'Rage gestures per session' });
  golden('not checked', [runs(failed).owed()]);
  golden('broken', [runs(failed, failed, failed, failed, failed).owed()]);
  golden('checked again', [runs(failed, failed, failed, failed, failed, { kind: 'judged' }).owed()]);
  golden('stalled', [runs(short, short).owed()]);
  golden('no data', [
    lifeOf(rage)
      .days([...usual, undefined, undefined, undefined])
      .owed(),
  ]);
  golden('data back', [
    lifeOf(rage)
      .days([...usual, undefined, undefined, undefined, 100])
      .owed(),
  ]);
  golden('app stopped', [owedByApp(7)]);
  golden('app resumed', [owedByApp(7, 0)]);
});

describe('many at once', () => {
  const countries = Array.from({ length: 40 }, (_, i) => `Country ${i + 1}`);
  const rule = shopRule({ title: 'Purchases, by country', group_by: 'device_country' });
  const many = countries.map((segment, i) =>
    owedFor(rule, 'fired', found(rule, { current: 500 - 10 * i, baseline: 1000 }), { segment }),
  );
  golden('digest of 40', many);
  golden('two of which one is over', [
    lifeOf(sales())
      .days([...QUIET, 300, 310, 990, 1010])
      .owed(),
    owedFor(purchases, 'fired', fell),
  ]);
});

describe('names as users write them', () => {
  const about = (title: string, segment: string | null = null) => {
    const rule = shopRule({ title, ...(segment !== null && { group_by: 'event_screen_name' }) });
    return [owedFor(rule, 'fired', found(rule, { current: 590, baseline: 1000 }), { segment })];
  };
  golden('title with a verb', about('Checkout broke!'));
  golden('title that tells nothing', about('A'));
  golden('long name', about('Purchases', `Checkout ${'of the whole family '.repeat(12)}end`));
  golden('right to left', about('Purchases', 'עגלת קניות'));
  golden('direction override', about('\u202eesahcruP', 'Check\u202eout'));
  golden('emoji', about('🛒 Purchases 🇩🇪', '👩‍👩‍👧 Family'));
  golden('markup', about('<b>Purchases</b> & *more* `x`', '<!channel> <https://evil.example|Click> &amp;'));
});
