import fc from 'fast-check';
import { expect, it } from 'vitest';
import { currentReadings } from '../../../../local/replay/current-readings.ts';
import { type Memory, NO_MEMORY } from '../../../../shared/evaluation/baseline.ts';
import { evidenceFor } from '../../../../shared/evaluation/evidence.ts';
import { wantedRanges } from '../../../../shared/planning/wanted-readings.ts';
import { History } from '../../../../shared/readings/history.ts';
import type { ReadingRow, Snapshot } from '../../../../shared/readings/reading.ts';
import { seriesKeyOf, seriesOf } from '../../../../shared/readings/series.ts';
import { inMemoryReadingStore } from '../../../../shared/store/in-memory/stores.ts';
import { CalendarWindows } from '../../../../shared/time/calendar-windows.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { dayAt, MONDAY, ruleNamed } from '../../../fixtures/builders.ts';

const FIRST_DAY = 70;

const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 999 }));

/** The reads of one daily run: its own day or nothing, an older day with a new value, and changes of its memory. */
const run = fc.record({
  day: fc.option(fc.record({ current: count, previous: count, isAlone: fc.boolean() }), { freq: 6 }),
  again: fc.option(fc.record({ ago: fc.integer({ min: 1, max: 60 }), current: count }), { freq: 3 }),
  incident: fc.option(fc.integer({ min: 1, max: 50 }), { freq: 2 }),
  level: fc.option(fc.integer({ min: 1, max: 50 }), { freq: 2 }),
});

const rows = (current: number, previous: number): ReadingRow[] => [
  { eventName: 'purchase', current: { event_count: current }, previous: { event_count: previous } },
];

it.each([
  ['the day before', { to: 'previous_period' }],
  ['the same weekday', { to: 'same_weekday' }],
  ['a median', { median_of: '4 weeks' }],
])('kept readings give each run the history that it would load (%s)', async (_name, compare) => {
  const rule = ruleNamed('sales', { compare });
  const { family } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(seriesOf(rule).calendar);
  const snapshotOf = (day: number, readAt: number, about: Partial<Snapshot>): Snapshot => ({
    ...{ family, window: dayAt(day), readAt, eventNames: ['purchase'], keys: ['event_count'], rows: [] },
    ...about,
  });

  const past = fc.array(count, { minLength: FIRST_DAY, maxLength: FIRST_DAY });
  const runs = fc.array(run, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(past, runs, async (before, each) => {
      const kept = inMemoryReadingStore();
      const readings = currentReadings(kept);
      for (const [day, current] of before.entries())
        await readings.save(
          snapshotOf(day, MONDAY + FIRST_DAY * DAY_MS, { rows: rows(current, 0), isAlone: true }),
        );
      let memory: Memory = NO_MEMORY;
      for (const [i, { day, again, incident, level }] of each.entries()) {
        const today = FIRST_DAY + i;
        const readAt = MONDAY + (today + 1) * DAY_MS;
        if (incident) memory = { ...memory, incidents: [dayAt(today - incident)] };
        if (level) memory = { ...memory, levelSinceAt: dayAt(today - level).startAt };
        const windows = [dayAt(today)];
        const ranges = wantedRanges([{ rule, windows, memories: [memory], again: [] }], calendarWindows);
        const current = await readings.loadHistory(family, ranges);
        const snapshots = [
          ...(day
            ? [
                snapshotOf(today, readAt, {
                  rows: rows(day.current, day.previous),
                  ...(day.isAlone && { isAlone: true as const }),
                }),
              ]
            : []),
          ...(again
            ? [snapshotOf(today - again.ago, readAt, { rows: rows(again.current, 5), rereadAt: readAt })]
            : []),
        ];
        for (const snapshot of snapshots) await readings.save(snapshot);
        for (const snapshot of snapshots) current.add(snapshot);
        const loaded = await Promise.all(ranges.map((range) => kept.load(family, range)));
        const reloaded = new History(loaded.flat());
        for (const snapshot of snapshots)
          if (!loaded.flat().some((each) => isSame(each, snapshot))) reloaded.add(snapshot);
        const evaluated = (history: History) =>
          evidenceFor(rule, dayAt(today), seriesKeyOf(rule, null), {
            ...{ history, memory, calendarWindows, newestDataAt: readAt },
          });
        expect(evaluated(current)).toEqual(evaluated(reloaded));
        expect(current.uncovered(range(ranges), asked, calendarWindows)).toEqual(
          reloaded.uncovered(range(ranges), asked, calendarWindows),
        );
      }
    }),
    { numRuns: 40 },
  );
});

const asked = { eventNames: ['purchase'], keys: ['event_count'] };

const range = (ranges: { fromEndAt: number; throughEndAt: number }[]) =>
  ranges.at(-1) ?? { fromEndAt: 0, throughEndAt: 0 };

const isSame = (a: Snapshot, b: Snapshot) => a.window.endAt === b.window.endAt && a.readAt === b.readAt;
