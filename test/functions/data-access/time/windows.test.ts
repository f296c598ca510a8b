import { describe, expect, test } from 'vitest';
import { windowOf } from '../../../../functions/data-access/time/windows.ts';
import type { Filter } from '../../../../shared/contract/filters.ts';
import { NOW } from '../sample-app.ts';

const BERLIN = 'Europe/Berlin';
const between = (lower: string, upper: string): Filter[] => [
  { attribute: 'date_range', operator: 'between_dates', value: { lower, upper } },
];
const iso = (span: { from: number; to: number }) =>
  [span.from, span.to].map((at) => new Date(at).toISOString());

describe('the window and the one before', () => {
  const rows: [name: string, filters: Filter[], span: string[], previous: string[]][] = [
    [
      'last 30 days without a range',
      [],
      ['2026-03-11T12:00:00.000Z', '2026-04-10T12:00:00.000Z'],
      ['2026-02-09T12:00:00.000Z', '2026-03-11T12:00:00.000Z'],
    ],
    [
      'dates cover whole days of the zone, and as many days before',
      between('2026-03-28', '2026-03-30'),
      ['2026-03-27T23:00:00.000Z', '2026-03-30T22:00:00.000Z'],
      ['2026-03-24T23:00:00.000Z', '2026-03-27T23:00:00.000Z'],
    ],
    [
      'the day of 25 hours is compared with a day of 24',
      between('2026-10-25', '2026-10-25'),
      ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z'],
    ],
    [
      'timestamps are exact, with the same time before',
      between('2026-10-25T00:00:00Z', '2026-10-25T01:30:00Z'),
      ['2026-10-25T00:00:00.000Z', '2026-10-25T01:30:00.000Z'],
      ['2026-10-24T22:30:00.000Z', '2026-10-25T00:00:00.000Z'],
    ],
    [
      'a date and a timestamp are compared by time',
      between('2026-04-01', '2026-04-02T10:00:00Z'),
      ['2026-03-31T22:00:00.000Z', '2026-04-02T10:00:00.000Z'],
      ['2026-03-30T10:00:00.000Z', '2026-03-31T22:00:00.000Z'],
    ],
  ];
  test.each(rows)('%s', (_, filters, span, previous) => {
    const window = windowOf(filters, BERLIN, NOW);
    expect(iso(window.span)).toEqual(span);
    expect(iso(window.previous)).toEqual(previous);
  });

  test('a range that is inverted in the zone of the app is refused', () => {
    // Midnight of 1 April in Berlin is 22:00 UTC of 31 March.
    expect(() => windowOf(between('2026-04-01', '2026-03-31T21:59:00Z'), BERLIN, NOW)).toThrow(
      /lower is after upper/,
    );
    expect(() => windowOf(between('2026-04-01', '2026-03-31T22:00:00Z'), BERLIN, NOW)).not.toThrow();
  });
});
