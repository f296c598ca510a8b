import { FLAGS, LARGEST } from '../../../shared/contract/tables.ts';
import type { Field } from './fields.ts';

export const TIME_FORMATS = ['iso', 'unix', 'unix-ms', 'unix-us'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

/** How a text becomes the value of a field. */
export interface Conversion {
  type: string;
  /** SQL of the value. NULL if the text is not one. */
  sqlOf(text: string): string;
  /** What is said of such a text. */
  says: string;
}

/** Text that rules and queries can group by, cut as `boundedText` cuts it. */
const text: Conversion = {
  type: 'VARCHAR',
  sqlOf: (t) =>
    `CASE WHEN length(${t}) <= 300 THEN ${t} ELSE left(${t}, 200) || '… (cut, ' || left(sha256(${t}), 12) || ')' END`,
  says: 'is neither text nor a number',
};

const id: Conversion = {
  type: 'VARCHAR',
  sqlOf: (t) => `CASE WHEN length(${t}) <= 500 THEN ${t} END`,
  says: 'is neither a number nor a text of at most 500 characters',
};

const platform: Conversion = {
  type: 'VARCHAR',
  sqlOf: (t) => `CASE WHEN lower(${t}) IN ('android', 'ios', 'web') THEN lower(${t}) END`,
  says: 'is not android, ios or web',
};

const flag: Conversion = {
  type: 'BOOLEAN',
  sqlOf: (t) => `CASE
    WHEN lower(${t}) IN ('true', 'yes', 'y', 'on', 'enabled', '1') THEN TRUE
    WHEN lower(${t}) IN ('false', 'no', 'n', 'off', 'disabled', '0') THEN FALSE END`,
  says: 'is neither true nor false',
};

const count: Conversion = {
  type: 'INTEGER',
  sqlOf: (t) => `CASE WHEN regexp_full_match(${t}, '[0-9]{1,9}') THEN ${t}::INTEGER END`,
  says: 'is not a count',
};

/** A property that is null is missing; as a patch, it would remove the column of its name. */
const object: Conversion = {
  type: 'VARCHAR',
  sqlOf: (t) => `CASE WHEN NOT json_valid(${t}) THEN NULL
    WHEN json_type(${t}) = 'OBJECT' THEN json_merge_patch('{}', ${t})::VARCHAR END`,
  says: 'is not a JSON object',
};

const ISO =
  '\\d{4}-\\d\\d-\\d\\d(?:[T ](?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d{1,9})?)?)?' +
  ' ?(?:Z|UTC|[+-](?:0\\d|1[0-4])(?::?[0-5]\\d)?)?';

/** DuckDB reads a time with seconds. A time without an offset is UTC, because that is the zone of the connection. */
function isoMillis(t: string): string {
  const seconds = `regexp_replace(replace(replace(upper(${t}), ',', '.'), 'UTC', 'Z'), '^(.{10})[T ](.{5})( ?(?:Z|[+-].*))?$', '\\1 \\2:00\\3')`;
  const spelled = `regexp_replace(${seconds}, ' ?(Z|[+-][0-9:]+)$', '\\1')`;
  return `CASE WHEN regexp_full_match(${t}, '${ISO}', 'i')
    THEN epoch_ms(coalesce(try_cast(${t} AS TIMESTAMPTZ), try_cast(${spelled} AS TIMESTAMPTZ))) END`;
}

const MILLIS_PER_UNIT = { unix: '1000', 'unix-ms': '1', 'unix-us': '0.001' } as const;

/** Milliseconds since 1970. A time outside these years is probably in another unit. */
function time(format: TimeFormat): Conversion {
  const millisOf = (t: string): string =>
    format === 'iso'
      ? isoMillis(t)
      : `CASE WHEN regexp_full_match(${t}, '\\d{1,17}(\\.\\d+)?')
          THEN floor(${t}::DOUBLE * ${MILLIS_PER_UNIT[format]} + 1e-6)::BIGINT ELSE ${isoMillis(t)} END`;
  return {
    type: 'BIGINT',
    sqlOf: (t) =>
      `CASE WHEN ${millisOf(t)} BETWEEN ${Date.UTC(1990)} AND ${Date.UTC(2100) - 1} THEN ${millisOf(t)} END`,
    says: `is not a time between 1990 and 2099 in the format ${format}`,
  };
}

export function conversionOf(field: Field, format: TimeFormat): Conversion {
  if (field === 'recorded_at' || field === 'uploaded_at') return time(format);
  if (field === 'user_id' || field === 'event_id' || field === 'session_id') return id;
  if (field === 'properties' || field === 'user_properties') return object;
  if (field === 'platform') return platform;
  if (FLAGS.some((name) => name === field)) return flag;
  return LARGEST.some((name) => name === field) ? count : text;
}

/** Whether a field takes only text and numbers, and no JSON object. */
export const isPlain = (field: Field): boolean => [text, id].includes(conversionOf(field, 'iso'));

/** SQL of why a text is not a value, with the JSON that is shown. NULL if it is one. */
export const problemSql = (value: string, says: string, json: string): string =>
  `CASE WHEN ${value} IS NULL THEN if(length(${json}) > 60, left(${json}, 57) || '...', ${json}) || ' ${says}' END`;

/** SQL of a text without blanks around it. `trim` of several characters is slow. */
export const trimmed = (text: string): string =>
  `if(regexp_matches(${text}, '^\\s|\\s$'), trim(${text}, ' ' || chr(9) || chr(10) || chr(13)), ${text})`;
