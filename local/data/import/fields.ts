import { ConfigError, InvalidRequestError } from '../../../shared/runtime/errors.ts';

/** Fields of the event itself; the first three every event must have. */
const EVENT_FIELDS = [
  'event_name',
  'user_id',
  'recorded_at',
  'event_id',
  'session_id',
  'screen_name',
  'uploaded_at',
  'properties',
] as const;
const REQUIRED = ['event_name', 'user_id', 'recorded_at'] as const;

/** Fields of the session, taken from the first of its events that has any of them. */
export const DESCRIPTIONS = [
  'platform',
  'user_properties',
  'user_name',
  'network_type',
  'device_id',
  'device_model',
  'device_manufacturer',
  'device_class',
  'os_name',
  'os_version',
  'app_version',
  'sdk_version',
  'language',
  'country_code',
  'country',
  'city',
  'browser_name',
  'browser_version',
  'device_type',
  'referer',
  'referer_domain',
  'utm',
  'landing_page',
] as const;
/** Fields of the session that hold if any of its events says so. */
export const FLAGS = ['crashed', 'has_video', 'offline'] as const;
/** Fields of the session of which the largest figure among its events holds. */
export const COUNTS = [
  'gesture_count',
  'rage_gesture_count',
  'responsive_gesture_count',
  'unresponsive_gesture_count',
] as const;

const FIELDS = [...EVENT_FIELDS, ...DESCRIPTIONS, ...FLAGS, ...COUNTS] as const;
type Field = (typeof FIELDS)[number];

/** Where each field comes from, besides the column of its own name. */
export interface Mapping {
  columns: ReadonlyMap<Field, string>;
  constants: ReadonlyMap<Field, string>;
}

/**
 * Reads `field=column` and `field=value` pairs as given on a command line.
 *
 * Throws `InvalidRequestError` for a pair that is none, for an unknown field, and for one named twice.
 */
export function parseMapping(maps: readonly string[], sets: readonly string[]): Mapping {
  const columns = new Map(maps.map((pair) => parsePair('--map', pair)));
  const constants = new Map(sets.map((pair) => parsePair('--set', pair)));
  if (columns.size < maps.length)
    throw new InvalidRequestError('--map names a field twice; each field has one column');
  if (constants.size < sets.length)
    throw new InvalidRequestError('--set names a field twice; each field has one value');
  const both = [...columns.keys()].find((field) => constants.has(field));
  if (both) throw new InvalidRequestError(`${both} has both a --map and a --set; leave one out`);
  return { columns, constants };
}

function parsePair(option: string, pair: string): [Field, string] {
  const [name, value] = splitOnce(pair, '=');
  if (!value)
    throw new InvalidRequestError(
      `${option} ${pair} should read ${option} field=${option === '--map' ? 'column' : 'value'}`,
    );
  const field = FIELDS.find((known) => known === name);
  if (!field)
    throw new InvalidRequestError(`${option} knows no field "${name}"; it knows ${FIELDS.join(', ')}`);
  return [field, value];
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Throws `ConfigError` where a file with these columns lacks one that `mapping` names or an event must have. */
export function checkColumns(file: string, names: readonly string[], { columns, constants }: Mapping): void {
  const has = `it has ${names.join(', ')}`;
  for (const [field, column] of columns)
    if (!names.includes(column))
      throw new ConfigError(`${file} has no column "${column}" for ${field}; ${has}`);
  for (const field of REQUIRED)
    if (!constants.has(field) && !columns.has(field) && !names.includes(field))
      throw new ConfigError(`${file} has no column ${field}: name it with --map ${field}=COLUMN; ${has}`);
}

/** Takes a record apart: the fields it gives, and what else it holds, the event's properties. Empty values are no values. */
export type FieldPicker = (values: Record<string, unknown>) => {
  fields: Partial<Record<Field, unknown>>;
  rest: Record<string, unknown>;
};

export function fieldPicker(
  { columns, constants }: Mapping,
  asProperty: (value: unknown) => unknown,
): FieldPicker {
  const fieldsByColumn = Map.groupBy(FIELDS, (field) => columns.get(field) ?? field);
  return (values) => {
    const fields: Partial<Record<Field, unknown>> = {};
    const rest: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(values)) {
      if (value === undefined || value === null || value === '') continue;
      const given = fieldsByColumn.get(column);
      if (given) for (const field of given) fields[field] = value;
      else rest[column] = asProperty(value);
    }
    for (const [field, value] of constants) fields[field] = value;
    return { fields, rest };
  };
}
