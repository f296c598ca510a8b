import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readRequestsFor } from '../../../shared/readings/read-requests.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
const rules = [ruleNamed('sales')];
const wantedOn = (days: number[]) => days.map((day) => ({ window: dayAt(day), rules }));
const daysOf = (windows: { startAt: number }[]) =>
  windows.map(({ startAt }) => (startAt - dayAt(0).startAt) / (dayAt(0).endAt - dayAt(0).startAt));

describe('readRequestsFor', () => {
  it.each<{ name: string; wanted: number[]; rows?: number; asked: number[][] }>([
    { name: 'asks for nothing without windows', wanted: [], asked: [] },
    { name: 'joins consecutive windows in any order', wanted: [3, 1, 2], asked: [[1, 2, 3]] },
    { name: 'joins near windows, with those in between', wanted: [4, 1], asked: [[1, 2, 3, 4]] },
    {
      name: 'splits near windows if joining needs another page',
      wanted: [4, 1],
      rows: 200,
      asked: [[4], [1]],
    },
    {
      name: 'lets consecutive windows fill several pages',
      wanted: [1, 2, 3, 4],
      rows: 200,
      asked: [[1, 2, 3, 4]],
    },
    { name: 'limits the pages of one request', wanted: [1, 2, 3], rows: 1000, asked: [[2, 3], [1]] },
    {
      name: 'asks window by window if one has too many rows',
      wanted: [1, 2],
      rows: 9000,
      asked: [[2], [1]],
    },
  ])('$name', ({ wanted, rows = 1, asked }) => {
    const readRequests = readRequestsFor(wantedOn(wanted), rows, calendarWindows);
    expect(readRequests.map(({ windows }) => daysOf(windows))).toEqual(asked);
  });

  it('asks for at most 27 days at once', () => {
    const days = Array.from({ length: 399 }, (_, i) => i);
    const readRequests = readRequestsFor(wantedOn(days), 1, calendarWindows);
    expect(readRequests.map(({ windows }) => windows.length)).toEqual([
      ...Array.from({ length: 14 }, () => 27),
      21,
    ]);
  });
});

test('every wanted window is in exactly one request of consecutive windows', () => {
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
