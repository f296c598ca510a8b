import {
  bestTimeFormat,
  type Checks,
  choose,
  type Fit,
  fitsOf,
  type Misfit,
  platformBesides,
} from './column-fits.ts';
import { EXACT } from './column-names.ts';
import type { TimeFormat } from './conversions.ts';
import { inDuckDb } from './event-file.ts';
import { FIELDS, type Field, isRequired, type Mapping, namesOf, REQUIRED } from './fields.ts';
import { isObject, type Sample } from './sample.ts';

export interface Proposal {
  /** The given mapping, completed with guesses by column name. */
  mapping: Mapping;
  timeFormat: TimeFormat;
  columns: readonly ProposedColumn[];
  doubts: readonly Doubt[];
  /** Required fields without a source. */
  missing: readonly Field[];
  /** Whether any part of `mapping` was guessed. */
  isGuessed: boolean;
}

/** A column and the fields read from it. Without fields it becomes a property. */
export interface ProposedColumn {
  name: string;
  fields: readonly Field[];
}

/** An open decision: several columns fit one field, or the values of a column do not fit its name. */
export type Doubt =
  | { kind: 'several'; field: Field; columns: readonly { name: string; filled: number }[] }
  | { kind: 'unfit'; field: Field; column: string; problem: string };

/** Completes a mapping by the names and values of the columns. Times have one of `formats`. */
export async function proposeMapping(
  sample: Sample,
  given: Mapping,
  formats: readonly TimeFormat[],
): Promise<Proposal> {
  return await inDuckDb((connection) => proposed(sample, given, { connection, formats }));
}

async function proposed(sample: Sample, given: Mapping, checks: Checks): Promise<Proposal> {
  const { readable, unfit } = await fitsOf(sample, given, checks);
  const { taken, several } = choose(readable);
  const isGiven = (field: Field): boolean => given.columns.has(field) || given.constants.has(field);
  const has = (field: Field): boolean => isGiven(field) || taken.some((fit) => fit.field === field);
  const byExactName = new Set(taken.filter(({ rank }) => rank === EXACT).map(({ field }) => field));
  const isComplete =
    sample.records === 0 ||
    (given.columns.size + given.constants.size > 0 &&
      REQUIRED.every((field) => isGiven(field) || byExactName.has(field)));
  if (isComplete)
    return {
      ...{ mapping: given, doubts: [], missing: [], isGuessed: false },
      ...(await readBy(given, sample, checks)),
    };

  // A file with exact field names is imported without confirmation, so nothing is guessed.
  const isPlain = taken.every(({ rank }) => rank === EXACT);
  if (!isPlain && !has('platform') && !several.flat().some(({ field }) => field === 'platform'))
    taken.push(...(await platformBesides(taken, checks)));
  const found = new Map(
    taken.filter(({ rank }) => rank !== EXACT).map(({ field, column }) => [field, column.name]),
  );
  const used = new Set(taken.map(({ column }) => column));
  const strays = [...readable, ...unfit].filter(({ rank, column }) => rank === EXACT && !used.has(column));
  const mapping = {
    columns: new Map([...given.columns, ...found]),
    constants: given.constants,
    properties: new Set([...given.properties, ...strays.map(({ column }) => column.name)]),
  };
  return {
    ...{ mapping, ...(await readBy(mapping, sample, checks)) },
    doubts: [...several.map(severalOf), ...misfits(unfit, taken)],
    missing: REQUIRED.filter((field) => !has(field)),
    isGuessed: found.size > 0 || strays.length > 0,
  };
}

async function readBy(mapping: Mapping, { columns }: Sample, checks: Checks) {
  const fieldsOf = (name: string): Field[] =>
    FIELDS.filter((field) => {
      const column = mapping.columns.get(field);
      const isNamed = namesOf(field).includes(name) && !mapping.properties.has(name);
      return column === undefined ? isNamed && !mapping.constants.has(field) : column === name;
    });
  const timed = columns.find(({ name }) => fieldsOf(name).includes('recorded_at'));
  return {
    timeFormat: (await bestTimeFormat(timed?.values ?? [], checks)) ?? checks.formats[0] ?? 'iso',
    columns: columns
      .map(({ name, isNested }) => ({ name, isNested, fields: fieldsOf(name) }))
      .filter(({ isNested, fields }) => !isNested || fields.length > 0),
  };
}

function severalOf(fits: readonly Fit[]): Doubt {
  const [{ field } = { field: 'event_name' as const }] = fits;
  const columns = fits.map(({ column }) => ({ name: column.name, filled: column.values.length }));
  return { kind: 'several', field, columns };
}

/** Unused columns whose field has no better column. */
function misfits(unfit: readonly Misfit[], taken: readonly Fit[]): Doubt[] {
  const isInstead = (fit: Fit, { field, column, rank }: Fit): boolean =>
    fit.column === column || (fit.field === field && fit.rank <= rank);
  return unfit
    .filter((misfit) => isWorthSaying(misfit) && !taken.some((fit) => isInstead(fit, misfit)))
    .map(({ field, column, problem }) => ({ kind: 'unfit', field, column: column.name, problem }));
}

/** Leaves out ambiguous names, nested values and containers: they rarely are the field. */
function isWorthSaying({ field, rank, column }: Fit): boolean {
  const isContainer = isObject(column.values[0]) && field !== 'properties' && field !== 'user_properties';
  return !isContainer && (rank <= 1 || (rank === 2 && isRequired(field)));
}
