import { FLAGS, LARGEST } from '../../../shared/contract/tables.ts';
import { EXACT, type Rank, rankOf } from './column-names.ts';
import type { TimeFormat } from './conversions.ts';
import { FIELDS, type Field, isRequired, type Mapping, namesOf, REQUIRED } from './fields.ts';
import type { Sample, SampledColumn } from './sample.ts';

export interface Proposal {
  /** The given mapping, completed with guesses by column name. */
  mapping: Mapping;
  timeFormat: TimeFormat;
  /** The columns and the fields read from each. Without fields it becomes a property. */
  columns: readonly { name: string; fields: readonly Field[] }[];
  /** Required fields without a source. */
  missing: readonly Field[];
  /** Whether any part of `mapping` was guessed. */
  isGuessed: boolean;
}

interface Fit {
  field: Field;
  column: SampledColumn;
  rank: Rank;
}

/** Completes a mapping by the names of the columns, if their values have the form of the field. */
export function proposeMapping(sample: Sample, given: Mapping): Proposal {
  const isGiven = (field: Field): boolean => given.columns.has(field) || given.constants.has(field);
  const named = fitsByName(sample, given);
  const taken = surest(named.filter(isReadable));
  const isExact = (field: Field): boolean => taken.some((fit) => fit.field === field && fit.rank === EXACT);
  const isComplete =
    given.columns.size + given.constants.size > 0 &&
    REQUIRED.every((field) => isGiven(field) || isExact(field));
  if (isComplete) return { mapping: given, missing: [], isGuessed: false, ...readBy(given, sample) };

  const found = taken.filter(({ rank }) => rank !== EXACT);
  const has = (field: Field): boolean => isGiven(field) || taken.some((fit) => fit.field === field);
  const system = taken.find(({ field }) => field === 'os_name');
  // The platform is also read from the name of the system, if all its values are platforms.
  const platform: Fit | undefined = system && { ...system, field: 'platform', rank: 1 };
  // A file with exact field names is imported without confirmation, so nothing is guessed.
  if (platform && found.length > 0 && !has('platform') && isReadable(platform)) found.push(platform);
  const used = new Set(taken.map(({ column }) => column));
  const strays = named.filter(({ rank, column }) => rank === EXACT && !used.has(column));
  const mapping = {
    columns: new Map([...given.columns, ...found.map(({ field, column }) => [field, column.name] as const)]),
    constants: given.constants,
    properties: new Set([...given.properties, ...strays.map(({ column }) => column.name)]),
  };
  return {
    ...{ mapping, ...readBy(mapping, sample) },
    missing: REQUIRED.filter((field) => !has(field)),
    isGuessed: found.length > 0 || strays.length > 0,
  };
}

/** The columns whose name matches a field without a source. */
function fitsByName({ columns }: Sample, given: Mapping): Fit[] {
  const mapped = new Set([...given.columns.values(), ...given.properties]);
  const open = FIELDS.filter((field) => !given.columns.has(field) && !given.constants.has(field));
  return columns
    .filter(({ name }) => !mapped.has(name))
    .flatMap((column) =>
      open.flatMap((field) => {
        const rank = rankOf(field, column.name);
        return rank === undefined ? [] : [{ field, column, rank }];
      }),
    );
}

/** The surest column of each field, the first of equally sure ones. Each column is used once. */
export function surest<F extends Record<'field' | 'column', unknown> & { rank: number }>(
  fits: readonly F[],
): F[] {
  const taken: F[] = [];
  for (const fit of fits.toSorted((a, b) => a.rank - b.rank))
    if (!taken.some(({ field, column }) => field === fit.field || column === fit.column)) taken.push(fit);
  return taken;
}

const TIME = /^(\d{4}-\d\d-\d\d|\d{9,17}(\.\d+)?$)/;
const OBJECT = /^\s*\{/;
const FORMS: Partial<Record<Field, RegExp>> = {
  recorded_at: TIME,
  uploaded_at: TIME,
  properties: OBJECT,
  user_properties: OBJECT,
  platform: /^(android|ios|web)$/i,
  ...Object.fromEntries(FLAGS.map((field) => [field, /^(true|false|yes|no|y|n|on|off|[01])$/i])),
  ...Object.fromEntries(LARGEST.map((field) => [field, /^\d{1,9}$/])),
};
/** Neither an object nor a list. */
const PLAIN = /^(?![{[])/;

/**
 * Whether the values have the form of the field. A column with the exact name needs only one such value, and for a
 * required field none: the import then reports the other lines.
 */
function isReadable({ field, column: { values }, rank }: Fit): boolean {
  if (values.length === 0) return rank === EXACT;
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)).trim());
  if (field === 'event_id' && new Set(texts).size < texts.length * DISTINCT_IDS) return false;
  const good = texts.filter((text) => (FORMS[field] ?? PLAIN).test(text)).length;
  if (rank === EXACT) return isRequired(field) || good > 0;
  return isRequired(field) ? good > texts.length / 2 : good === texts.length;
}

/** Least share of distinct values in an id column. Exports can repeat events, but counters repeat far more. */
const DISTINCT_IDS = 0.9;

function readBy(mapping: Mapping, { columns }: Sample): Pick<Proposal, 'timeFormat' | 'columns'> {
  const fieldsOf = (name: string): Field[] =>
    FIELDS.filter((field) => {
      const column = mapping.columns.get(field);
      const isNamed = namesOf(field).includes(name) && !mapping.properties.has(name);
      return column === undefined ? isNamed && !mapping.constants.has(field) : column === name;
    });
  const timed = columns.find(({ name }) => fieldsOf(name).includes('recorded_at'));
  return {
    timeFormat: timeFormatOf(timed?.values ?? []),
    columns: columns
      .map(({ name, isNested }) => ({ name, isNested, fields: fieldsOf(name) }))
      .filter(({ isNested, fields }) => !isNested || fields.length > 0),
  };
}

/** The format of the first value that is a time. The size of a number gives its unit. */
function timeFormatOf(values: readonly unknown[]): TimeFormat {
  const time = values.map(String).find((text) => TIME.test(text.trim())) ?? '';
  const unit = Number(time);
  if (time === '' || Number.isNaN(unit)) return 'iso';
  if (unit < 1e11) return 'unix';
  return unit < 1e14 ? 'unix-ms' : 'unix-us';
}
