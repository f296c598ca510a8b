import { describe, expect, test } from 'vitest';
import { type CatchUpSpan, catchUpSpans, evaluableAt, stretchesOf } from '../../local/catch-up-spans.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../fixtures/builders.ts';

const daily = (overrides: Record<string, unknown> = {}) =>
  ruleNamed('daily', { zone: 'UTC', settle: '10 minutes', compare: { to: 'same_weekday' }, ...overrides });

describe('evaluableAt', () => {
  test.each([
    ['is a week after the first day', {}, MONDAY, 8 * DAY_MS],
    ['accepts a first event shortly after midnight', {}, MONDAY + 70 * MINUTE_MS, 8 * DAY_MS],
    ['skips a first day with data of its afternoon only', {}, MONDAY + 13 * HOUR_MS, 9 * DAY_MS],
    ['needs one week for a median of weeks', { compare: { median_of: '4 weeks' } }, MONDAY, 8 * DAY_MS],
    ['needs the day before for previous_period', { compare: { to: 'previous_period' } }, MONDAY, 2 * DAY_MS],
    ['needs two weeks of days for a seasonal rule', { compare: { to: 'seasonal' } }, MONDAY, 15 * DAY_MS],
    ['needs two days of hours for a seasonal rule', hourly({ to: 'seasonal' }), MONDAY, 49 * HOUR_MS],
    [
      'needs the same hour one week before for same_weekday',
      hourly({ to: 'same_weekday' }),
      MONDAY,
      169 * HOUR_MS,
    ],
    [
      'needs the hour before for previous_period',
      hourly({ to: 'previous_period' }),
      MONDAY + 10 * MINUTE_MS,
      3 * HOUR_MS,
    ],
    [
      'counts days in the time zone of the rule',
      { zone: 'Europe/Berlin' },
      MONDAY - HOUR_MS,
      8 * DAY_MS - HOUR_MS,
    ],
    ['needs the week before for a weekly rule', weekly(), MONDAY + DAY_MS, 21 * DAY_MS],
  ])('%s', (_, overrides, firstAt, after) => {
    expect(evaluableAt([daily(overrides)], firstAt)).toBe(MONDAY + after + 10 * MINUTE_MS);
  });
});

function hourly(compare: Record<string, unknown>) {
  return { every: 'hour', compare };
}

function weekly() {
  return { every: 'monday at 07:00', window: 'week', compare: { to: 'previous_period' } };
}

describe('catchUpSpans covers', () => {
  const NOW = MONDAY + 60 * DAY_MS;
  // The first run that finds data overdue is at 01:00 of the next day.
  const rules = [daily({ every: 'day at 01:00', grace: '6 hours' })];
  const EVALUABLE = 8 * DAY_MS + 10 * MINUTE_MS - 1;
  const caughtUp = (firstAt: number, lastAt: number, days: number, tickedThrough?: number) => {
    const data = { firstAt: MONDAY + firstAt, lastAt: MONDAY + lastAt };
    const ticked = new Map(tickedThrough === undefined ? [] : [['daily', MONDAY + tickedThrough]]);
    return catchUpSpans(rules, data, { now: NOW, days, ticked }).map((span) => ({
      fromAt: span.fromAt - MONDAY,
      throughAt: span.throughAt - MONDAY,
    }));
  };

  test.each([
    ['the last days of an old app', [0, 60 * DAY_MS, 35], [25 * DAY_MS, 60 * DAY_MS]],
    ['data written ahead only up to now', [0, 90 * DAY_MS, 35], [25 * DAY_MS, 60 * DAY_MS]],
    [
      'no day that cannot be evaluated',
      [40 * DAY_MS, 60 * DAY_MS, 35],
      [40 * DAY_MS + EVALUABLE, 60 * DAY_MS],
    ],
    [
      'the last days of data that ended, and the run that reports missing data',
      [0, 50 * DAY_MS, 35],
      [15 * DAY_MS, 51 * DAY_MS + HOUR_MS],
    ],
    ['nothing of data that is too new', [55 * DAY_MS, 60 * DAY_MS, 35], undefined],
    ['nothing of data that ended too early', [20 * DAY_MS, 25 * DAY_MS, 35], undefined],
    ['nothing with 0 days', [0, 60 * DAY_MS, 0], undefined],
    ['runs missed since an earlier start', [0, 60 * DAY_MS, 35, 59 * DAY_MS], [59 * DAY_MS, 60 * DAY_MS]],
    [
      'runs missed since an earlier start, with 0 days',
      [0, 60 * DAY_MS, 0, 59 * DAY_MS],
      [59 * DAY_MS, 60 * DAY_MS],
    ],
    ['the rest of data that ended', [0, 50 * DAY_MS, 35, 20 * DAY_MS], [20 * DAY_MS, 51 * DAY_MS + HOUR_MS]],
    ['nothing of data that ended and is caught up', [0, 50 * DAY_MS, 35, 59 * DAY_MS], undefined],
  ] as const)('%s', (_, [firstAt, lastAt, days, ticked], expected) => {
    const [fromAt, throughAt] = expected ?? [];
    const found = caughtUp(firstAt, lastAt, days, ticked);
    expect(found).toEqual(expected ? [{ fromAt, throughAt }] : []);
  });
});

test('catchUpSpans starts each rule when it can first be evaluated', () => {
  const short = ruleNamed('short', { zone: 'UTC', settle: '10 minutes' });
  const data = { firstAt: MONDAY, lastAt: MONDAY + 20 * DAY_MS };
  const bounds = { now: MONDAY + 20 * DAY_MS, days: 35, ticked: new Map() };
  const found = catchUpSpans([daily(), short], data, bounds);
  expect(found.map(({ rules, fromAt }) => [rules.map(({ id }) => id), fromAt - MONDAY + 1])).toEqual([
    [['daily'], 8 * DAY_MS + 10 * MINUTE_MS],
    [['short'], 2 * DAY_MS + 10 * MINUTE_MS],
  ]);
});

test('stretchesOf merges spans of the same time and leaves gaps out', () => {
  const span = (id: string, fromAt: number, throughAt: number): CatchUpSpan => ({
    rules: [ruleNamed(id)],
    fromAt,
    throughAt,
  });
  const found = stretchesOf([
    span('old', 1, 3),
    span('shop', 10, 20),
    span('demo', 12, 20),
    span('wiki', 3, 5),
  ]);
  expect(found.map(({ rules, ...times }) => ({ ids: rules.map(({ id }) => id), ...times }))).toEqual([
    { ids: ['old'], fromAt: 1, throughAt: 3 },
    { ids: ['wiki'], fromAt: 3, throughAt: 5 },
    { ids: ['shop'], fromAt: 10, throughAt: 12 },
    { ids: ['shop', 'demo'], fromAt: 12, throughAt: 20 },
  ]);
  expect(stretchesOf([])).toEqual([]);
});
