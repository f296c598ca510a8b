import { type AttributeName, isAttributeName } from '../../../shared/contract/attributes.ts';
import { DESCRIPTIONS, FLAGS, LARGEST } from '../../../shared/contract/tables.ts';
import { ConfigError, InvalidRequestError } from '../../../shared/runtime/errors.ts';

/** Event fields. The first three are required. */
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
export const REQUIRED = ['event_name', 'user_id', 'recorded_at'] as const;

export const isRequired = (field: Field): boolean => REQUIRED.some((name) => name === field);

export const FIELDS = [...EVENT_FIELDS, ...DESCRIPTIONS, ...FLAGS, ...LARGEST] as const;
export type Field = (typeof FIELDS)[number];

/** Fields with another name in the data access interface and in rules. */
const ATTRIBUTE_OF: Partial<Record<Field, AttributeName>> = {
  user_id: 'svcuserid',
  screen_name: 'event_screen_name',
  properties: 'event_custom_property',
  user_properties: 'user_custom_property',
  platform: 'device_platform',
  os_name: 'device_os_name',
  os_version: 'device_os_version',
  country: 'device_country',
  city: 'device_city',
  crashed: 'session_crashed',
  has_video: 'session_has_video',
  gesture_count: 'session_gesture_count',
  rage_gesture_count: 'session_rage_gesture_count',
  responsive_gesture_count: 'session_responsive_gesture_count',
  unresponsive_gesture_count: 'session_unresponsive_gesture_count',
};

/** The attribute that rules filter and group by; `undefined` if they cannot use the field. */
export function attributeOf(field: Field): AttributeName | undefined {
  return ATTRIBUTE_OF[field] ?? (isAttributeName(field) ? field : undefined);
}

/** Accepted names of a field: its own, and the one used in rules. */
export function namesOf(field: Field): string[] {
  return [...new Set([field, ATTRIBUTE_OF[field] ?? field])];
}

/** The name shown to people: the one used in rules, if it begins with `device_` or `session_`. */
export function titleOf(field: Field): string {
  const attribute = ATTRIBUTE_OF[field];
  return attribute && /^(device|session)_/.test(attribute) ? attribute : field;
}

/** The source of each field. Default: the column with the name of the field. */
export interface Mapping {
  /** Column names, or paths of nested values: `context.os.name`. */
  columns: ReadonlyMap<Field, string>;
  constants: ReadonlyMap<Field, string>;
  /** Columns that stay properties despite the name of a field. */
  properties: ReadonlySet<string>;
}

/**
 * Parses `field=column` and `field=value` pairs and property columns of a command line. Throws
 * `InvalidRequestError` for an invalid pair, an unknown field or a repeated field.
 */
export function parseMapping(
  maps: readonly string[],
  sets: readonly string[],
  properties: readonly string[] = [],
): Mapping {
  const columns = new Map(maps.map((pair) => parsePair('--map', pair)));
  const constants = new Map(sets.map((pair) => parsePair('--set', pair)));
  if (columns.size < maps.length)
    throw new InvalidRequestError('--map sets a field twice: each field has one column');
  if (constants.size < sets.length)
    throw new InvalidRequestError('--set sets a field twice: each field has one value');
  const both = [...columns.keys()].find((field) => constants.has(field));
  if (both) throw new InvalidRequestError(`${both} has both --map and --set: remove one`);
  const contradicted = properties.find((column) => [...columns.values()].includes(column));
  if (contradicted !== undefined)
    throw new InvalidRequestError(`the column "${contradicted}" has both --map and --property: remove one`);
  return { columns, constants, properties: new Set(properties) };
}

function parsePair(option: string, pair: string): [Field, string] {
  const [name, value] = splitOnce(pair, '=');
  if (!value)
    throw new InvalidRequestError(
      `${option} ${pair} must have the form ${option} field=${option === '--map' ? 'column' : 'value'}`,
    );
  const field = FIELDS.find((known) => namesOf(known).includes(name));
  if (field) return [field, value];
  if (isAttributeName(name))
    throw new InvalidRequestError(
      `${option} cannot set ${name}, which is computed from the events: remove it`,
    );
  throw new InvalidRequestError(
    `${option} has no field "${name}"; the fields are ${FIELDS.map(titleOf).join(', ')}`,
  );
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Throws `ConfigError` if a column of `mapping` or of a required field is missing. */
export function checkColumns(file: string, names: readonly string[], mapping: Mapping): void {
  const { columns, constants, properties } = mapping;
  const has = `it has ${names.join(', ')}`;
  for (const [field, column] of columns)
    if (!names.includes(column) && !names.includes(splitOnce(column, '.')[0]))
      throw new ConfigError(`${file} has no column "${column}" for ${titleOf(field)}; ${has}`);
  const usable = names.filter((name) => !properties.has(name));
  for (const field of REQUIRED)
    if (!constants.has(field) && !columns.has(field) && !namesOf(field).some((name) => usable.includes(name)))
      throw new ConfigError(`${file} has no column ${field}: name it with --map ${field}=COLUMN; ${has}`);
}
