import { dayStarts, quotedText, type TableDialect, type TypedSql } from '../table-sql.ts';

export const TRINO_TABLES: TableDialect = {
  textType: 'varchar',
  doubleType: 'double',
  textsType: 'array(varchar)',
  millis: ({ sql, kind }) => {
    if (kind === 'number') return `cast(${sql} as bigint)`;
    const epoch = kind === 'timestamptz' ? 'from_unixtime(0)' : "timestamp '1970-01-01 00:00:00'";
    return `date_diff('millisecond', ${epoch}, ${kind === 'date' ? `cast(${sql} as timestamp)` : sql})`;
  },
  dayStart: dayStarts((date) => `timestamp '${date} 00:00:00 UTC'`),
  // The compiler reads properties of a text, and results have no JSON.
  json: (map) => (map.kind === 'text' ? map.sql : `json_format(${asJson(map)})`),
  jsonObject: (properties) => {
    const names = properties.map(([name]) => quotedText(name));
    const values = properties.map(([, value]) => asJson(value));
    return `cast(map(array[${names.join(', ')}], cast(array[${values.join(', ')}] as array(json))) as json)`;
  },
  hash: (text) => `lower(to_hex(md5(to_utf8(${text}))))`,
  byCharacter: (text) => text,
  // A subscript outside the list is an error.
  firstOf: (list) => `element_at(${list}, 1)`,
};

const asJson = ({ sql }: TypedSql): string => `cast(${sql} as json)`;
