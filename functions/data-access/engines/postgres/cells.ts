import type { Cell } from '../engine.ts';

/** Numbers of types in the catalogue of PostgreSQL. */
export const POSTGRES_TYPES = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  json: 114,
  real: 700,
  double: 701,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
  texts: 1009,
  varchars: 1015,
} as const;

const text = (cell: string): Cell => cell;
/** NaN and infinity become NULL. */
const number = (cell: string): Cell => (Number.isFinite(Number(cell)) ? Number(cell) : null);

const { boolean, bigint, smallint, integer, real, double, numeric } = POSTGRES_TYPES;
const PARSERS: ReadonlyMap<number, (cell: string) => Cell> = new Map([
  [boolean, (cell) => cell === 't'],
  ...[bigint, smallint, integer, real, double, numeric].map((type) => [type, number] as const),
]);

/** Converts a cell from the text that PostgreSQL sends. */
export const cellParser = (typeId: number): ((cell: string) => Cell) => PARSERS.get(typeId) ?? text;
