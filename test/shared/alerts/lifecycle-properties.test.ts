import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateSeries } from '../../../functions/check-rules/evaluate-rule.ts';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { isEnd } from '../../../shared/alerts/transitions.ts';
import { History } from '../../../shared/readings/history.ts';
import type { Snapshot } from '../../../shared/readings/reading.ts';
import { rowKeysOf } from '../../../shared/readings/series.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import {
  type Event,
  event,
  happen,
  history,
  kind,
  live,
  type Rule,
  rules,
  segments,
} from '../../fixtures/alert-histories.ts';
import { dayAt, ROUTES, ruleNamed } from '../../fixtures/builders.ts';

describe('in any history', () => {
  it('an alert that fired is still firing or ended once', () => {
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ of, before, step: { alert, news } }) => {
          const notified = news.map(({ transition }) => transition);
          const isOpen = alert.state === 'firing' || alert.state === 'recovering';
          expect(alert.fired !== null).toBe(isOpen);
          const [began, ended] = [!before.fired && alert.fired, before.fired && !alert.fired];
          const endings = notified.filter((each) => isEnd(each) && !['calmed', 'data-back'].includes(each));
          expect(notified.includes('fired')).toBe(Boolean(began) && alert.flappingSinceAt === null);
          const isByHand = of.what === 'accepted' || of.what === 'answered';
          expect(endings.length).toBe(ended && (alert.flappingSinceAt === null || isByHand) ? 1 : 0);
        });
      }),
    );
  });

  it('changes while flapping send nothing; the end of flapping sends the state', () => {
    let flapped = 0;
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ of, before, step: { alert, news } }) => {
          const notified = news.map(({ transition }) => transition);
          const [began, ended] = [
            before.flappingSinceAt === null && alert.flappingSinceAt !== null,
            before.flappingSinceAt !== null && alert.flappingSinceAt === null,
          ];
          if (began) flapped += 1;
          expect(notified.includes('flapping')).toBe(began);
          // An answer ends the flapping, and its own notification is sent instead.
          const isByHand = of.what === 'answered';
          expect(notified.includes('persists')).toBe(ended && !isByHand && alert.fired !== null);
          expect(notified.includes('calmed')).toBe(ended && !isByHand && alert.fired === null);
          if (alert.flappingSinceAt !== null && of.what !== 'accepted')
            expect(notified.filter((each) => ['fired', 'recovered', 'retracted'].includes(each))).toEqual([]);
        });
      }),
    );
    expect(flapped).toBeGreaterThan(0);
  });

  it('incidents are ordered and disjoint, and the last covers the open alert', () => {
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ step: { alert } }) => {
          const edges = alert.incidents.flatMap(({ startAt, endAt }) => [startAt, endAt]);
          expect(edges).toEqual(edges.toSorted((a, b) => a - b));
          expect(alert.incidents.every(({ startAt, endAt }) => startAt < endAt)).toBe(true);
          const open = alert.incidents.at(-1);
          const { fired } = alert;
          if (fired)
            expect(open && open.startAt < fired.firstEndAt && fired.windowEndAt <= open.endAt).toBe(true);
        });
      }),
    );
  });

  it('acknowledgements and snoozes end with the alert; excused windows do not fire', () => {
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ before, step: { alert, news } }) => {
          if (!alert.fired) expect(alert).toMatchObject({ acknowledged: null, snoozed: null });
          expect(alert.answers.length).toBeLessThanOrEqual(10);
          const { excusedUntilAt } = before;
          const isExcused = excusedUntilAt !== null && alert.evaluatedThroughAt <= excusedUntilAt;
          if (isExcused) expect(news.map(({ transition }) => transition)).not.toContain('fired');
        });
      }),
    );
  });

  it('an outage at 0 is never rebaselined automatically', () => {
    const dead = fc.array(fc.constant<Event>({ what: 'next', kind: 'at zero' }), {
      minLength: 30,
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), dead, rules, (events, silence, rule) => {
        let openAtZero = false;
        live([...events, ...silence], rule, null, ({ of, before, step: { alert } }) => {
          const isZero = of.what === 'next' && of.kind === 'at zero';
          openAtZero = isZero && (before.fired ? openAtZero : alert.fired !== null);
          if (before.fired && openAtZero) expect(alert.fired).not.toBeNull();
        });
      }),
    );
  });

  it('every window is counted once, in order', () => {
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ step: { alert } }) => {
          const ends = alert.recent.map(({ endAt }) => endAt);
          expect(ends).toEqual([...new Set(ends)].toSorted((a, b) => a - b));
        });
      }),
    );
  });

  it('evaluating twice changes nothing; older windows count only when restated', () => {
    fc.assert(
      fc.property(history, rules, segments, (events, rule, segment) => {
        live(events, rule, segment, ({ of, before, step, day }) => {
          if (of.what === 'old') expect(step.alert).toBe(before);
          // Answers are not idempotent: each one is recorded.
          if (of.what === 'answered') return;
          const again = happen(step.alert, of, day, rule);
          expect(again.alert).toEqual(step.alert);
          expect(again.news).toEqual([]);
        });
      }),
    );
  });

  it('a window corrected before the next counts as if always correct, unless it ended an alert', () => {
    fc.assert(
      fc.property(history, rules, segments, kind, (events, rule, segment, wrong) => {
        for (const right of ['breached', 'clear', 'not recovered']) {
          const { alert, day } = live(events, rule, segment);
          const early = happen(alert, { what: 'next', kind: wrong }, day, rule).alert;
          if (wrong === 'stale' || (alert.fired && !early.fired)) return;
          const late = happen(early, { what: 'restated', kind: right, back: 0 }, day + 1, rule).alert;
          const { alert: inTime, news } = happen(alert, { what: 'next', kind: right }, day, rule);
          // A restated level is accepted one window later.
          if (news.some(({ transition }) => transition === 'accepted')) continue;
          const { state, recent } = inTime;
          expect(late).toMatchObject({ state, recent });
          expect(late.fired?.windowEndAt).toBe(inTime.fired?.windowEndAt);
        }
      }),
    );
  });
});

const NAMES = ['Malta', 'Cyprus', 'Iceland', 'Monaco'];

it('the order of segments does not change the alerts', () => {
  const rule = ruleNamed('by-country', {
    group_by: 'device_country',
    fire_after: '1 of 2',
    minimum: { baseline: 1 },
  });
  const days = 12;
  const figures = fc.array(fc.array(fc.constantFrom(0, 30, 95, 100, 105), { minLength: 4, maxLength: 4 }), {
    minLength: days,
    maxLength: days,
  });
  fc.assert(
    fc.property(figures, fc.shuffledSubarray(NAMES, { minLength: 4 }), (table, shuffled) => {
      const alertsOf = (names: string[]) => alertsAfter(table, names, rule);
      const [inOrder, inOtherOrder] = [alertsOf(NAMES), alertsOf(shuffled)];
      for (const name of NAMES) expect(inOtherOrder.get(name)).toEqual(inOrder.get(name));
    }),
    { numRuns: 40 },
  );
});

/** The alerts after all days of `table`, with snapshots and evaluation in the order of `names`. */
function alertsAfter(table: number[][], names: string[], rule: Rule): ReadonlyMap<string | null, Alert> {
  const keys = rowKeysOf([rule]);
  const snapshots = table.map((_, day): Snapshot => {
    const at = (of: number, name: string) => {
      const amount = table[of]?.[NAMES.indexOf(name)] ?? 100;
      return Object.fromEntries(keys.map((key) => [key, amount]));
    };
    return {
      ...{ family: 'f', window: dayAt(day), readAt: dayAt(day).endAt, keys, eventNames: ['purchase'] },
      rows: names.map((segment) => ({
        ...{ eventName: 'purchase', segment },
        ...{ current: at(day, segment), previous: at(day - 1, segment) },
      })),
    };
  });
  const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
  let alerts: ReadonlyMap<string | null, Alert> = new Map();
  for (const [day] of table.entries())
    alerts = evaluateSeries(alerts, names, {
      ...{
        rule,
        routes: ROUTES,
        windows: [dayAt(day)],
        again: [],
        dueFromAt: dayAt(day).startAt,
        calendarWindows,
      },
      history: new History(snapshots.slice(0, day + 1)),
      newestDataAt: Number.POSITIVE_INFINITY,
      tick: { id: `tick-${day}`, scheduledAt: dayAt(day).endAt },
    });
  return alerts;
}
