import { describe, expect, it } from 'vitest';
import { inDuckDb } from '../../../../local/data/duckdb.ts';
import { conversionOf, type TimeFormat } from '../../../../local/data/import/conversions.ts';
import type { Field } from '../../../../local/data/import/fields.ts';
import { boundedText } from '../../../../shared/source/answers.ts';

const converted = (field: Field, text: string, format: TimeFormat = 'iso') =>
  inDuckDb(async (connection) => {
    const sql = `SELECT ${conversionOf(field, format).sqlOf('text')} FROM (SELECT $text::VARCHAR AS text)`;
    const value = (await connection.runAndReadAll(sql, { text })).getRowsJS()[0]?.[0];
    return typeof value === 'bigint' ? Number(value) : value;
  });

const NOON = Date.UTC(2026, 2, 29, 12);

describe('a time', () => {
  it.each<[TimeFormat, string, number]>([
    ['iso', '2026-03-29T12:00:00Z', NOON],
    ['iso', '2026-03-29T12:00:00.250Z', NOON + 250],
    ['iso', '2026-03-29 12:00:00.2509 UTC', NOON + 250],
    ['iso', '2026-03-29t12:00:00,25z', NOON + 250],
    ['iso', '2026-03-29T14:00+02:00', NOON],
    ['iso', '2026-03-29 14:00:00 +02', NOON],
    ['iso', '2026-03-29T07:30-0430', NOON],
    ['iso', '2026-03-30T02:00+14:00', NOON],
    ['iso', '2026-03-29T00:00-12', NOON],
    ['iso', '2026-03-29 12:00', NOON],
    ['iso', '2026-03-29', NOON - 12 * 3_600_000],
    ['unix', String(NOON / 1000), NOON],
    ['unix', '1774785600.123', NOON + 123],
    ['unix', '2026-03-29T12:00Z', NOON],
    ['unix-ms', String(NOON), NOON],
    ['unix-us', String(NOON * 1000 + 999), NOON],
  ])('in %s is %s', async (format, text, at) => {
    expect(await converted('recorded_at', text, format)).toBe(at);
  });

  it.each<[TimeFormat, string]>([
    ['iso', '2026-02-30T12:00:00Z'],
    ['iso', '2026-13-01'],
    ['iso', '2026-03-29T12:00+99:99'],
    ['iso', '2026-03-29T12:00+15:00'],
    ['iso', '2026-03-29T12:00-0160'],
    ['iso', '2026-03-29T24:00Z'],
    ['iso', '1989-12-31T23:59:59Z'],
    ['iso', '2100-01-01'],
    ['iso', '29.03.2026'],
    ['iso', String(NOON)],
    ['unix', String(NOON)],
    ['unix-ms', String(NOON / 1000)],
    ['unix', '-5'],
  ])('in %s is not %s', async (format, text) => {
    expect(await converted('recorded_at', text, format)).toBeNull();
  });
});

it.each<[Field, string, unknown]>([
  ['crashed', 'Yes', true],
  ['crashed', '1', true],
  ['offline', 'false', false],
  ['offline', '0', false],
  ['offline', 'perhaps', null],
  ['gesture_count', '12', 12],
  ['gesture_count', '-1', null],
  ['gesture_count', '1000000000', null],
  ['platform', 'iOS', 'ios'],
  ['platform', 'windows', null],
  ['properties', '{"a":1}', '{"a":1}'],
  ['properties', '[1]', null],
  ['properties', '{', null],
  ['user_id', 'u'.repeat(500), 'u'.repeat(500)],
  ['user_id', 'u'.repeat(501), null],
  ['screen_name', 's'.repeat(300), 's'.repeat(300)],
  ['screen_name', 's'.repeat(301), boundedText('s'.repeat(301))],
])('the %s of "%s" is %s', async (field, text, value) => {
  expect(await converted(field, text)).toBe(value);
});
