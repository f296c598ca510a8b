import { describe, expect, test } from 'vitest';
import type { Alert, Notification, SentNotification } from '../../../shared/alerts/alert.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import { chartOf } from '../../../shared/messages/chart.ts';
import { altText, picturedIn } from '../../../shared/messages/chart-text.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../../shared/time/window.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { alertOf, breached, dayAt, evaluationOf, mean, ruleNamed, value } from '../../fixtures/builders.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell' });

/** A chart of daily values from `MONDAY` on. `undefined` and earlier days were not queried. */
function drawn(figures: (number | null | undefined)[], overrides: Partial<Alert> = {}, rule = purchases) {
  const at = ({ startAt }: Window) => figures[Math.round((startAt - dayAt(0).startAt) / DAY_MS)];
  const calendarWindows = new CalendarWindows({ grain: rule.window, zone: rule.zone });
  const history = {
    reading(window: Window, _: unknown, __: unknown, asked?: unknown) {
      const figure = at(asked === 'previous' ? calendarWindows.before(window) : window);
      return figure === undefined ? undefined : value(figure);
    },
  };
  const shown = { rule, segment: null, throughAt: dayAt(figures.length - 1).endAt };
  return chartOf(shown, {}, { history, alert: alertOf(rule, overrides), calendarWindows });
}

function sentOn(transition: Transition, day: number): SentNotification {
  return { transition, channel: 'team', windowEndAt: dayAt(day).endAt, sentAt: 0 };
}

function pendingWith(evaluation: Evaluation | null): Notification {
  return {
    ...{ transition: 'fired', channel: 'team', route: 'default', tick: 'daily', evaluation },
    reason: { code: 'evaluation' },
    ...{ windowEndAt: 0, since: 0, dueAt: 0, attempts: 0, drivers: null },
    ...{ firedWindowEndAt: null, firstRead: null },
  };
}

describe('a chart', () => {
  test('begins with the first value and keeps gaps', () => {
    const chart = drawn([undefined, 90, null, 40]);
    expect(chart?.points.map((point) => point.value)).toEqual([90, null, 40]);
    expect(chart?.points.map(({ window }) => window)).toEqual([dayAt(1), dayAt(2), dayAt(3)]);
  });

  test('takes a window that was not queried from the previous period of another', () => {
    const history = {
      reading: ({ startAt }: Window, _: unknown, __: unknown, asked?: unknown) =>
        startAt === dayAt(5).startAt ? value(asked === 'previous' ? 100 : 40) : undefined,
    };
    const shown = { rule: purchases, segment: null, throughAt: dayAt(5).endAt };
    const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
    const chart = chartOf(shown, {}, { history, alert: alertOf(purchases), calendarWindows });
    expect(chart?.points.map((point) => point.value)).toEqual([100, 40]);
  });

  test.each([
    ['hour', { every: 'hour at :20' }, 14 * 24],
    ['day', {}, 56],
    ['week', { every: 'monday at 03:00', window: 'week' }, 52],
    ['month', { every: 'month at 03:00', window: 'month' }, 24],
  ])('of each %s shows a limited number of windows', (grain, overrides, windows) => {
    const rule = ruleNamed('long', overrides);
    const calendarWindows = new CalendarWindows({ grain: rule.window, zone: rule.zone });
    const { endAt } = lastClosedWindow(dayAt(40).endAt, calendarWindows.calendar);
    const history = { reading: () => value(7) };
    const chart = chartOf(
      { rule, segment: null, throughAt: endAt },
      {},
      { history, alert: alertOf(purchases), calendarWindows },
    );
    expect(chart?.calendar.grain).toBe(grain);
    expect(chart?.points).toHaveLength(windows);
    expect(chart?.points.at(-1)?.window.endAt).toBe(endAt);
  });

  test('marks breached windows and incidents up to its last window', () => {
    const chart = drawn([100, 100, 40, 45], {
      recent: [
        { endAt: dayAt(1).endAt, verdict: 'clear' },
        { endAt: dayAt(2).endAt, verdict: 'breached' },
        { endAt: dayAt(3).endAt, verdict: 'held' },
        { endAt: dayAt(4).endAt, verdict: 'breached' },
      ],
      incidents: [{ startAt: dayAt(2).startAt, endAt: dayAt(6).endAt }],
    });
    expect(chart?.breached).toEqual([dayAt(2)]);
    expect(chart?.incidents).toEqual([{ startAt: dayAt(2).startAt, endAt: dayAt(3).endAt }]);
  });

  test.each<[string, Partial<Alert>]>([
    ['a sent notification', { sent: [sentOn('fired', 2)] }],
    ['the start of an incident', { incidents: [dayAt(2)] }],
    ['the last evaluation', { last: breached(2) }],
  ])('marks a breach that is known from %s', (_, alert) => {
    expect(drawn([100, 100, 40, 45], alert)?.breached).toEqual([dayAt(2)]);
  });

  test('marks the windows of a past incident that are beyond its bounds', () => {
    const incidents = [{ startAt: dayAt(2).startAt, endAt: dayAt(5).endAt }];
    const chart = drawn([100, 100, 40, 45, 90, 50, 100], { incidents });
    expect(chart?.breached).toEqual([dayAt(2), dayAt(3), dayAt(5)]);
    expect(chart?.incidents).toEqual(incidents);
  });

  test('marks a window that fired again after a retraction', () => {
    const back = { ...sentOn('retracted', 2), firedWindowEndAt: dayAt(2).endAt };
    const sent = [sentOn('fired', 2), back, sentOn('fired', 2)];
    const chart = drawn([100, 100, 40], { sent, incidents: [dayAt(2)] });
    expect(chart?.breached).toEqual([dayAt(2)]);
  });

  test('marks every window beyond a plain threshold, unless its smallest volume is unknown', () => {
    const above = (minimum = {}) => ruleNamed('t', { fire: { current: { above: 80 } }, minimum });
    expect(drawn([70, 90, 60, 95], {}, above())?.breached).toEqual([dayAt(1), dayAt(3)]);
    expect(drawn([70, 90, 60, 95], {}, above({ current: 20 }))?.breached).toEqual([]);
  });

  test('of an old message does not change after recovery', () => {
    const incidents = [{ startAt: dayAt(3).startAt, endAt: dayAt(3).endAt }];
    const then = drawn([100, 100, 100, 40], {
      recent: [{ endAt: dayAt(3).endAt, verdict: 'breached' }],
      incidents,
    });
    const longAfter = drawn([100, 100, 100, 40], {
      recent: [],
      sent: [sentOn('fired', 3)],
      incidents: [
        { startAt: dayAt(3).startAt, endAt: dayAt(5).endAt },
        { startAt: dayAt(30).startAt, endAt: dayAt(33).endAt },
      ],
    });
    expect(longAfter).toEqual(then);
  });
});

describe('the alt text', () => {
  const words = (figures: (number | null)[], overrides: Partial<Alert> = {}, rule?: FigureRule) => {
    const chart = drawn(figures, overrides, rule);
    return chart && altText(chart);
  };

  test('names the title, start, zone and last window', () => {
    expect(words([100, 100, 40], { recent: [{ endAt: dayAt(2).endAt, verdict: 'breached' }] })).toBe(
      'Purchases fell: events, each day since Mon 2 Mar 2026 (UTC). Last window, Wed 4 Mar 2026 (UTC): 40, expected 100 (at least 70), breached.',
    );
  });

  test('states a missing value and omits an unknown expectation', () => {
    expect(words([100, null])).toContain('(UTC): no value, expected 100 (at least 70).');
    expect(words([100])).toContain(': 100.');
  });

  test('of a message describes its evaluation like the chart', () => {
    const chart = drawn([100, 100, 40], { recent: [{ endAt: dayAt(2).endAt, verdict: 'breached' }] });
    const notification = pendingWith(breached(2));
    const picture = picturedIn({ alert: alertOf(purchases), notification, rule: purchases });
    const sentence = 'Last window, Wed 4 Mar 2026 (UTC): 40, expected 100 (at least 70), breached.';
    expect(chart && altText(chart)).toContain(sentence);
    expect(picture).toEqual({
      throughAt: dayAt(2).endAt,
      alt: `Purchases fell: events, each day. ${sentence}`,
    });
  });

  test('of a message names its segment and does not scale a mean by hours', () => {
    const rule = ruleNamed('s', { title: 'Seconds', metric: 'session_seconds', group_by: 'app_version' });
    const shorter = { ...dayAt(2), endAt: dayAt(2).endAt - 3_600_000 };
    const evaluation = evaluationOf(2, {
      ...{ current: { ...mean(90, 5), window: shorter }, baseline: mean(120, 5) },
    });
    const picture = picturedIn({
      alert: alertOf(rule, { segment: '1.0' }),
      notification: pendingWith(evaluation),
      rule,
    });
    expect(picture?.alt).toMatch(
      /^Seconds: 1\.0: seconds per session.*: 90, expected 120 \(at least 84\)\.$/,
    );
  });
});
