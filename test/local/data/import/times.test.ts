import { describe, expect, it } from 'vitest';
import { parseTime, type TimeFormat } from '../../../../local/data/import/times.ts';

const NOON = Date.UTC(2026, 2, 29, 12);

describe('parseTime', () => {
  it.each<[TimeFormat, unknown, number]>([
    ['iso', '2026-03-29T12:00:00Z', NOON],
    ['iso', '2026-03-29T12:00:00.250Z', NOON + 250],
    ['iso', '2026-03-29 12:00:00.2509 UTC', NOON + 250],
    ['iso', '2026-03-29T14:00+02:00', NOON],
    ['iso', '2026-03-29T07:30-0430', NOON],
    ['iso', '2026-03-30T02:00+14:00', NOON],
    ['iso', '2026-03-29T00:00-12', NOON],
    ['iso', '2026-03-29 12:00', NOON],
    ['iso', '2026-03-29', NOON - 12 * 3_600_000],
    ['iso', new Date(NOON), NOON],
    ['unix', NOON / 1000, NOON],
    ['unix', String(NOON / 1000), NOON],
    ['unix', '1774785600.123', NOON + 123],
    ['unix-ms', BigInt(NOON), NOON],
    ['unix-us', NOON * 1000 + 999, NOON],
  ])('reads %s %s', (format, value, at) => {
    expect(parseTime(value, format)).toBe(at);
  });

  it.each<[TimeFormat, unknown]>([
    ['iso', '2026-02-30T12:00:00Z'],
    ['iso', '2026-13-01'],
    ['iso', '2026-00-15'],
    ['iso', '2026-01-00'],
    ['iso', '2026-03-29T12:00+99:99'],
    ['iso', '2026-03-29T12:00+15:00'],
    ['iso', '2026-03-29T12:00-0160'],
    ['iso', '2026-03-29T24:00Z'],
    ['iso', '29.03.2026'],
    ['iso', NOON],
    ['iso', ''],
    ['unix', '2026-03-29'],
    ['unix', NOON],
    ['unix-ms', NOON / 1000],
    ['unix', '-5'],
    ['unix', null],
    ['unix', true],
  ])('rejects %s %s', (format, value) => {
    expect(parseTime(value, format)).toBeUndefined();
  });
});
