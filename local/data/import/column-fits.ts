import { EXACT, RANKS, type Rank, rankOf } from './column-names.ts';
import { eventSchema } from './event-row.ts';
import { FIELDS, type Field, type Mapping, REQUIRED } from './fields.ts';
import type { Sample, SampledColumn } from './sample.ts';
import { bestTimeFormat, type TimeFormat } from './times.ts';

/** A column whose name matches a field. `rank` rates the match: lower is surer. */
export interface Fit {
  field: Field;
  column: SampledColumn;
  rank: Rank;
}

/** A column whose name matches a field but whose values do not. */
export interface Misfit extends Fit {
  problem: string;
}

/** Matches columns to unmapped fields by name. Returns the matches with valid values and those without. */
export function fitsOf({ columns }: Sample, given: Mapping, formats: readonly TimeFormat[]) {
  const mapped = new Set(given.columns.values());
  const open = FIELDS.filter((field) => !given.columns.has(field) && !given.constants.has(field));
  const readable: Fit[] = [];
  const unfit: Misfit[] = [];
  for (const column of columns) {
    if (mapped.has(column.name) || given.properties.has(column.name)) continue;
    for (const field of open) {
      const rank = rankOf(field, column.name);
      if (rank === undefined || (rank !== EXACT && column.values.length === 0)) continue;
      const problem = problemOf({ field, column, rank }, formats);
      if (problem === undefined) readable.push({ field, column, rank });
      else unfit.push({ field, column, rank, problem });
    }
  }
  return { readable, unfit };
}

/**
 * Why the values do not fit the field; `undefined` if they fit. A column with the exact name needs only one valid
 * value, or none if the field is required.
 */
function problemOf({ field, column, rank }: Fit, formats: readonly TimeFormat[]): string | undefined {
  const { values } = column;
  if (field === 'event_id' && new Set(values).size < values.length * DISTINCT_IDS) return 'its values repeat';
  if (field === 'device_type' && rank !== EXACT && !values.every(isKindOfDevice))
    return 'some of its values are not device types';
  const schema = eventSchema(bestTimeFormat(values, formats) ?? 'iso').shape[field];
  const bad = values.flatMap((value) => {
    const problem = schema.safeParse(value).error?.issues[0]?.message;
    return problem === undefined ? [] : [problem];
  });
  const good = values.length - bad.length;
  const isLeftToIt = rank === EXACT && (isRequired(field) || values.length === 0 || good > 0);
  const isEnough = isRequired(field) ? good > bad.length : bad.length === 0;
  return isLeftToIt || isEnough ? undefined : bad[0];
}

/** Least share of distinct values in an id column. Exports can repeat events, but counters repeat far more. */
const DISTINCT_IDS = 0.9;

const KINDS = /^(smart ?|mobile ?)?(phone|mobile|tablet|desktop|tv|watch|console|wearable|other)$/i;
const isKindOfDevice = (value: unknown): boolean => KINDS.test(String(value));

export const isRequired = (field: Field): boolean => REQUIRED.some((each) => each === field);

/** Picks the best fit of each field and uses each column once. Equally good fits are returned as `several`. */
export function choose(fits: readonly Fit[]): { taken: Fit[]; several: Fit[][] } {
  const taken: Fit[] = [];
  const several: Fit[][] = [];
  for (const rank of RANKS)
    for (const field of FIELDS) {
      if ([...taken, ...several.flat()].some((fit) => fit.field === field)) continue;
      const free = fits.filter(
        (fit) => fit.field === field && !taken.some(({ column }) => column === fit.column),
      );
      const surest = free.filter((fit) => fit.rank === rank);
      const equals = [...surest, ...fullerThan(surest, free)];
      if (equals.length > 1) several.push(equals);
      else taken.push(...equals);
    }
  return { taken, several };
}

/** Fits with more values than an exact name: `user_id` may be empty until sign-in, beside an id that is always set. */
function fullerThan([exact]: readonly Fit[], free: readonly Fit[]): Fit[] {
  if (exact?.rank !== EXACT || !isRequired(exact.field)) return [];
  return free.filter(
    ({ rank, column }) => rank > EXACT && rank < 2 && column.values.length > exact.column.values.length,
  );
}

/** Also reads the platform from `os_name` if all its values are Android or iOS. The default is `web`. */
export function platformBesides(taken: readonly Fit[], formats: readonly TimeFormat[]): Fit[] {
  const column = taken.find(({ field }) => field === 'os_name')?.column;
  const fit = column && { field: 'platform' as const, column, rank: 1 as const };
  return fit && column.values.length > 0 && problemOf(fit, formats) === undefined ? [fit] : [];
}
