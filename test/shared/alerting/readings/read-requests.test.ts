import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readRequestsFor } from '../../../../shared/alerting/readings/read-requests.ts';
import { CalendarWindows } from '../../../../shared/alerting/time/calendar-windows.ts';
import { dayAt, ruleNamed } from '../../../fixtures/builders.ts';

const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
const rules = [ruleNamed('sales')];
const wantedOn = (days: number[]) => days.map((day) => ({ window: dayAt(day), rules }));
const daysOf = (windows: { startAt: number }[]) =>
  windows.map(({ startAt }) => (startAt - dayAt(0).startAt) / (dayAt(0).endAt - dayAt(0).startAt));

describe('errandsFor', () => {
  it.each<{ name: string; wanted: number[]; rows?: number; asked: number[][] }>([
    { name: 'nothing', wanted: [], asked: [] },
    { name: 'windows in a row, in any order, are one', wanted: [3, 1, 2], asked: [[1, 2, 3]] },
    { name: 'near ones are one, with what lies between', wanted: [4, 1], asked: [[1, 2, 3, 4]] },
    {
      name: 'near ones are two where that would bring a page more',
      wanted: [4, 1],
      rows: 200,
      asked: [[4], [1]],
    },
    { name: 'those in a row may fill pages', wanted: [1, 2, 3, 4], rows: 200, asked: [[1, 2, 3, 4]] },
    { name: 'but no more than a few', wanted: [1, 2, 3], rows: 1000, asked: [[2, 3], [1]] },
    {
      name: 'more rows than fit are asked for window by window',
      wanted: [1, 2],
      rows: 9000,
      asked: [[2], [1]],
    },
  ])('$name', ({ wanted, rows = 1, asked }) => {
    const readRequests = readRequestsFor(wantedOn(wanted), rows, calendarWindows);
    expect(readRequests.map(({ windows }) => daysOf(windows))).toEqual(asked);
  });

  it('asks for no more days at once than the clocks of any zone are others for a while', () => {
    const days = Array.from({ length: 399 }, (_, i) => i);
    const readRequests = readRequestsFor(wantedOn(days), 1, calendarWindows);
    expect(readRequests.map(({ windows }) => windows.length)).toEqual([
      ...Array.from({ length: 14 }, () => 27),
      21,
    ]);
  });
});

test('every window that is wanted is in one errand, whose windows follow one another', () => {
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 60 });
  fc.assert(
    fc.property(days, fc.integer({ min: 1, max: 2500 }), (wanted, rows) => {
      const readRequests = readRequestsFor(wantedOn(wanted), rows, calendarWindows);
      const found = readRequests.flatMap((readRequest) =>
        daysOf(readRequest.wanted.map(({ window }) => window)),
      );
      expect(found.toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b));
      for (const { windows, wanted: own } of readRequests) {
        expect(windows).toEqual(expect.arrayContaining(own.map(({ window }) => window)));
        expect(windows.slice(1).every(({ startAt }, i) => startAt === windows[i]?.endAt)).toBe(true);
        expect(windows.length === 1 || windows.length * rows <= 2000).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
