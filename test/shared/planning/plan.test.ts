import { describe, expect, it } from 'vitest';
import { dueWindows, planBatches, plannedRuns } from '../../../shared/planning/plan.ts';
import { meaningOf, questionFor, seriesOf } from '../../../shared/readings/series.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { MAX_CATCH_UP, tooSeldom } from '../../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { cadenceOf, dayAt, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const TICK = { id: 'daily@1', scheduledAt: MONDAY };
const onEvent = (value: string) => ({ filters: [{ attribute: 'event_name', operator: 'equal', value }] });

describe('the windows due', () => {
  const rule = ruleNamed('sales', { settle: '1 hour' });

  it('of a new rule is the last closed one', () => {
    expect(dueWindows(rule, dayAt(3).endAt + HOUR_MS, undefined)).toEqual([dayAt(3)]);
  });

  it('leave out a window that has not settled', () => {
    expect(dueWindows(rule, dayAt(3).endAt + HOUR_MS - 1, undefined)).toEqual([dayAt(2)]);
  });

  it('are all since the last evaluated one, oldest first', () => {
    expect(dueWindows(rule, dayAt(5).endAt + HOUR_MS, dayAt(2).endAt)).toEqual([
      dayAt(3),
      dayAt(4),
      dayAt(5),
    ]);
  });

  it('are limited to the latest', () => {
    const windows = dueWindows(rule, dayAt(100).endAt + HOUR_MS, dayAt(0).endAt);
    expect(windows).toHaveLength(MAX_CATCH_UP);
    expect(windows.at(-1)).toEqual(dayAt(100));
  });
});

describe('a cadence', () => {
  it.each([
    ['weekday at 09:00', 'hour'],
    ['cron */15 9-17 * * 1-5', undefined],
    ['monday and thursday at 09:00', undefined],
    ['month at 09:00', 'day'],
    ['cron 0 9 1 1 *', undefined],
  ] as const)('of "%s" is enough for each %s', (words, grain) => {
    expect(tooSeldom(cadenceOf(words, 'UTC'), grain)).toBeUndefined();
  });

  it.each([
    ['monday and thursday at 09:00', 'hour', 4],
    ['monday at 09:00', 'hour', 7],
    // 73 hours, and one more when clocks go back.
    ['cron 0 * * * 2,5', 'hour', 4],
    ['weekend at 09:00', 'hour', 6],
    ['cron 0 9 1 */3 *', 'day', 92],
  ] as const)('of "%s" is too seldom for each %s', (words, grain, days) => {
    expect(tooSeldom(cadenceOf(words, 'UTC'), grain)).toBe(
      `runs are up to ${days} days apart, but each run evaluates at most ${MAX_CATCH_UP} ${grain}s; ` +
        'run more often or use longer windows',
    );
  });
});

describe('the batches of a run', () => {
  const checksOf = (rules: { id: string }[]) =>
    rules.map(({ id }) => ({ ruleId: id, meaning: 'as planned', windows: [dayAt(0)] }));
  const plan = (rules: Rule[]) => planBatches(TICK, { rules }, checksOf(rules));

  it('put a thousand rules on a thousand events into two batches of one family', () => {
    const rules = Array.from({ length: 1000 }, (_, i) => ruleNamed(`rule-${i}`, onEvent(`event_${i}`)));
    const batches = plan(rules);
    expect(batches.map(({ checks }) => checks.length)).toEqual([500, 500]);
    const families = new Set(rules.map((rule) => seriesOf(rule).family));
    expect(families.size).toBe(1);
  });

  it('hold as many rules with segments as the memory of a run holds', () => {
    const overrides = { group_by: 'device_country' };
    const rules = Array.from({ length: 150 }, (_, i) => ruleNamed(`rule-${i}`, overrides));
    expect(plan(rules).map(({ checks }) => checks.length)).toEqual([100, 50]);
  });

  it.each([
    ['windows', {}, [68, 68, 64]],
    ['segments', { group_by: 'device_country' }, [13, 13, 4]],
  ])('hold fewer rules that catch up on many %s', (_, overrides, expected) => {
    const count = expected.reduce((sum, each) => sum + each);
    const rules = Array.from({ length: count }, (_each, i) => ruleNamed(`rule-${i}`, overrides));
    const windows = Array.from({ length: MAX_CATCH_UP }, (_each, i) => dayAt(i));
    const checks = rules.map(({ id }) => ({ ruleId: id, meaning: 'as planned', windows }));
    const batches = planBatches(TICK, { rules }, checks);
    expect(batches.map((batch) => batch.checks.length)).toEqual(expected);
    const sizes = batches.map((batch) => JSON.stringify(batch).length);
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
  });

  it('keep composite rules together with their members and with overlapping composites', () => {
    const rules = Array.from({ length: 950 }, (_, i) => ruleNamed(`rule-${i}`, onEvent(`event_${i}`)));
    const over = (id: string, ...all_of: string[]) =>
      buildRule(
        ruleSetEntrySchema.parse({ id, title: id, app: 'demo', owner: 'a', every: 'day at 01:00', all_of }),
      );
    const composites = [
      over('first', 'rule-3', 'rule-400'),
      over('second', 'rule-200', 'rule-3'),
      over('zone', 'rule-100', 'rule-300'),
    ];
    const batches = plan([...rules, ...composites]);
    const together = batches.filter(({ checks }) => checks.some(({ ruleId }) => ruleId === 'first'));
    const ids = together.flatMap(({ checks }) => checks.map(({ ruleId }) => ruleId));
    expect(ids).toEqual(expect.arrayContaining(['second', 'rule-3', 'rule-200', 'rule-400']));
    expect(batches.flatMap(({ checks }) => checks)).toHaveLength(953);
  });

  it('hold no more families than a run has time for', () => {
    const rules = Array.from({ length: 50 }, (_, i) =>
      ruleNamed(`rule-${i}`, {
        filters: [{ attribute: 'device_country', operator: 'equal', value: `country ${i}` }],
      }),
    );
    expect(plan(rules).map(({ checks }) => checks.length)).toEqual([20, 20, 10]);
  });

  it('begin with the most severe rules', () => {
    const rules = Array.from({ length: 50 }, (_, i) =>
      ruleNamed(`rule-${i}`, {
        severity: i === 49 ? 'critical' : i === 48 ? 'warning' : 'info',
        filters: [{ attribute: 'device_country', operator: 'equal', value: `country ${i}` }],
      }),
    );
    const [first] = plan(rules);
    expect(first?.checks.slice(0, 2).map(({ ruleId }) => ruleId)).toEqual(['rule-49', 'rule-48']);
  });

  it('keep apps apart', () => {
    const batches = plan([ruleNamed('a'), ruleNamed('b', { app: 'other' })]);
    expect(batches.map(({ app, checks }) => [app, checks.length])).toEqual([
      ['demo', 1],
      ['other', 1],
    ]);
  });
});

describe('a family', () => {
  const familyOf = (overrides: Record<string, unknown>) => seriesOf(ruleNamed('a', overrides)).family;

  it.each([
    ['event names', onEvent('view'), onEvent('purchase')],
    ['metrics of one endpoint', { metric: 'event_count' }, { metric: 'event_users' }],
    ['bounds', {}, { fire: { change: { below: '-70%' } } }],
  ])('is shared across %s', (_name, a, b) => expect(familyOf(a)).toBe(familyOf(b)));

  it.each([
    ['apps', {}, { app: 'other' }],
    ['endpoints', { filters: [] }, { filters: [], metric: 'sessions' }],
    ['windows', {}, { window: 'week' }],
    ['zones', {}, { zone: 'Europe/Berlin' }],
    ['segments', {}, { group_by: 'device_country' }],
    [
      'other filters',
      {},
      {
        filters: [
          ...onEvent('purchase').filters,
          { attribute: 'app_version', operator: 'equal', value: '2' },
        ],
      },
    ],
    [
      'sessions that saw different events',
      { metric: 'sessions', ...onEvent('a') },
      { metric: 'sessions', ...onEvent('b') },
    ],
  ])('is not shared across %s', (_name, a, b) => expect(familyOf(a)).not.toBe(familyOf(b)));
});

it('one question asks for all event names and metrics of its rules', () => {
  const rules = [
    ruleNamed('a', onEvent('view')),
    ruleNamed('b', { ...onEvent('buy'), metric: 'event_users' }),
    ruleNamed('c', onEvent('buy')),
  ];
  expect(questionFor(rules, dayAt(1))).toMatchObject({
    endpoint: 'event',
    window: dayAt(1),
    previous: dayAt(0),
    filters: [],
    eventNames: ['buy', 'view'],
    aggregations: [{ attribute: 'event_count' }, { attribute: 'event_unique_user_count' }],
  });
});

describe('the meaning of a rule', () => {
  const rule = ruleNamed('a');
  it.each([['title'], ['owner'], ['runbook'], ['severity']])('does not depend on its %s', (field) => {
    expect(meaningOf({ ...rule, [field]: field === 'severity' ? 'critical' : 'other' })).toBe(
      meaningOf(rule),
    );
  });
  it.each([
    ['metric', { metric: 'event_users' }],
    ['bounds', { fire: { change: { below: '-31%' } } }],
    ['window', { window: 'week' }],
  ])('depends on its %s', (_name, overrides) => {
    expect(meaningOf(ruleNamed('a', overrides))).not.toBe(meaningOf(rule));
  });
});

describe('plannedRuns', () => {
  const runsOf = (overrides: Record<string, unknown>, after: number, count: number) =>
    plannedRuns(ruleNamed('a', overrides), after, count);

  it('evaluates the weekend on Monday for a weekday cadence', () => {
    const friday = MONDAY + 4 * DAY_MS + 9 * HOUR_MS;
    const days = { every: 'weekday at 09:00' };
    expect(runsOf(days, friday, 2)).toEqual([
      { at: friday + 3 * DAY_MS, windows: [dayAt(4), dayAt(5), dayAt(6)] },
      { at: friday + 4 * DAY_MS, windows: [dayAt(7)] },
    ]);
    const [monday, tuesday] = runsOf({ ...days, window: 'hour' }, friday, 2);
    expect([monday?.windows.length, tuesday?.windows.length]).toEqual([72, 24]);
  });

  it('evaluates the extra hour of an autumn weekend too', () => {
    const friday = Date.parse('2026-10-23T09:00:00+02:00');
    const overrides = { every: 'weekday at 09:00', window: 'hour', zone: 'Europe/Berlin' };
    const [monday] = runsOf(overrides, friday, 1);
    expect(monday?.windows).toHaveLength(MAX_CATCH_UP);
    expect(monday?.windows[0]?.startAt).toBe(friday - HOUR_MS);
  });

  it('evaluates nothing until a window has settled', () => {
    const runs = runsOf({ every: '30 minutes', window: 'hour' }, MONDAY, 4);
    expect(runs.map(({ windows }) => windows.length)).toEqual([1, 0, 1, 0]);
  });
});
