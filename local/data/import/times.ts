import type { Millis } from '../../../shared/runtime/clock.ts';

export const TIME_FORMATS = ['iso', 'unix', 'unix-ms', 'unix-us'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

const MILLIS_PER_UNIT = { unix: 1000, 'unix-ms': 1, 'unix-us': 0.001 } as const;

/** A time outside this range is probably in another unit. */
const EARLIEST: Millis = Date.UTC(1990);
const LATEST: Millis = Date.UTC(2100);

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)? ?(Z|UTC|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/i;

/** Parses a time to milliseconds; `undefined` if it is invalid or not from 1990 to 2099. */
export function parseTime(value: unknown, format: TimeFormat): Millis | undefined {
  const at =
    value instanceof Date ? value.getTime() : format === 'iso' ? parseIso(value) : parseUnix(value, format);
  return at !== undefined && at >= EARLIEST && at < LATEST ? at : undefined;
}

/** The format that parses the most values; `undefined` if none parses any. */
export function bestTimeFormat(
  values: readonly unknown[],
  formats: readonly TimeFormat[],
): TimeFormat | undefined {
  const read = formats.map(
    (format) => values.filter((value) => parseTime(value, format) !== undefined).length,
  );
  const most = Math.max(...read);
  return most > 0 ? formats[read.indexOf(most)] : undefined;
}

function parseUnix(value: unknown, format: keyof typeof MILLIS_PER_UNIT): Millis | undefined {
  const isNumeric =
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()));
  return isNumeric ? Math.floor(Number(value) * MILLIS_PER_UNIT[format] + 1e-6) : undefined;
}

/** A time without an offset is UTC, regardless of the time zone of the machine or app. */
function parseIso(value: unknown): Millis | undefined {
  const parts = typeof value === 'string' ? ISO.exec(value.trim()) : null;
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const isReal =
    new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day &&
    month >= 1 &&
    month <= 12 &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isReal) return undefined;
  const millis = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  return Date.UTC(year, month - 1, day, hour, minute, second, millis) - offsetMillis(parts[8]);
}

function offsetMillis(offset = 'Z'): number {
  const parts = /^([+-])(\d\d):?(\d\d)?$/.exec(offset);
  if (!parts) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return (parts[1] === '-' ? -minutes : minutes) * 60_000;
}
