import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MEMORY } from '../../../shared/evaluation/baseline.ts';
import { pastPairs } from '../../../shared/evaluation/past-pairs.ts';
import { History } from '../../../shared/readings/history.ts';
import type { SeriesKey, Snapshot } from '../../../shared/readings/reading.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const DAYS = 60;
const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
const EVENT = { eventName: 'purchase' };

/** A reading of a day in which two countries have `count` each, alone or with half of that on the day before. */
function snapshotOf(day: number, count: number, { readAt = 0, isAlone = true } = {}): Snapshot {
  const rows = [{}, { segment: 'FR' }, { segment: 'DE' }].map((segment) => ({
    ...{ ...EVENT, ...segment, current: { event_count: count } },
    ...(!isAlone && { previous: { event_count: count / 2 } }),
  }));
  const window = dayAt(day);
  const alone = isAlone && { isAlone: true as const };
  return { family: 'f', window, readAt, ...alone, eventNames: ['purchase'], keys: ['event_count'], rows };
}

const past = Array.from({ length: DAYS }, (_, day) => snapshotOf(day, 100 + day));

/** The pairs before day 60. */
const pairsOf = (rule: FigureRule, snapshots: Snapshot[], series: SeriesKey = EVENT, memory = NO_MEMORY) => {
  const context = { history: new History(snapshots), memory, calendarWindows };
  return pastPairs(rule, dayAt(DAYS).startAt, series, context);
};

describe.each([{ to: 'previous_period' }, { to: 'same_weekday' }, { median_of: '3 weeks' }])(
  'past pairs against %o',
  (compare) => {
    const ruleOf = () => ruleNamed('sales', { compare });

    it('stay the same objects, except those of a window that was read again', () => {
      const rule = ruleOf();
      const before = pairsOf(rule, past);
      expect(before.length).toBeGreaterThan(30);
      const again = pairsOf(rule, past.with(50, snapshotOf(50, 999, { readAt: 1 })));
      const changed = again.filter((pair, i) => pair !== before[i]);
      expect(changed[0]?.baseline.window).not.toEqual(changed[0]?.current.window);
      expect(changed.map(({ current }) => current.value)).toContain(999);
      expect(changed.length).toBeLessThan(4);
    });

    it('are those that nothing known would give, whatever was read or happened in between', () => {
      const day = fc.integer({ min: 1, max: DAYS - 1 });
      const count = fc.integer({ min: 0, max: 999 });
      const run = fc.record({
        again: fc.option(fc.record({ day, count, isAlone: fc.boolean() }), { freq: 1 }),
        missing: fc.constantFrom(null, null, 50, 55),
        from: fc.constantFrom(0, 20, 35),
        emptyUntil: fc.constantFrom(0, 30, 45),
        incident: fc.constantFrom(null, null, null, 50),
        level: fc.constantFrom(null, null, null, 40),
        series: fc.constantFrom<SeriesKey>(
          ...[EVENT, { ...EVENT, segment: 'FR' }],
          ...[
            { ...EVENT, outside: new Set(['FR']) },
            { ...EVENT, outside: new Set(['US']) },
          ],
        ),
      });
      const empty = past.map((each) => ({ ...each, rows: [] }));
      fc.assert(
        fc.property(fc.array(run, { minLength: 8, maxLength: 8 }), (runs) => {
          const rule = ruleOf();
          let read = past;
          for (const { again, missing, from, emptyUntil, incident, level, series } of runs) {
            if (again) read = read.with(again.day, snapshotOf(again.day, again.count, again));
            const kept = [...empty.slice(from, emptyUntil), ...read.slice(Math.max(from, emptyUntil))].filter(
              ({ window }) => missing === null || window.endAt !== dayAt(missing).endAt,
            );
            const memory = {
              ...NO_MEMORY,
              incidents: incident === null ? [] : [dayAt(incident)],
              levelSinceAt: level === null ? null : dayAt(level).startAt,
            };
            expect(pairsOf(rule, kept, series, memory)).toEqual(pairsOf(ruleOf(), kept, series, memory));
          }
        }),
        { numRuns: 20 },
      );
    });
  },
);
