import type { DuckDBConnection } from '@duckdb/node-api';
import { EXACT, RANKS, type Rank, rankOf } from './column-names.ts';
import { conversionOf, isPlain, problemSql, type TimeFormat, trimmed } from './conversions.ts';
import { FIELDS, type Field, isRequired, type Mapping } from './fields.ts';
import type { Sample, SampledColumn } from './sample.ts';

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

/** Checks the values of columns in DuckDB, as the import does. */
export interface Checks {
  connection: DuckDBConnection;
  formats: readonly TimeFormat[];
}

/** Matches columns to unmapped fields by name. Returns the matches with valid values and those without. */
export async function fitsOf({ columns }: Sample, given: Mapping, checks: Checks) {
  const mapped = new Set(given.columns.values());
  const open = FIELDS.filter((field) => !given.columns.has(field) && !given.constants.has(field));
  const readable: Fit[] = [];
  const unfit: Misfit[] = [];
  for (const column of columns) {
    if (mapped.has(column.name) || given.properties.has(column.name)) continue;
    for (const field of open) {
      const rank = rankOf(field, column.name);
      if (rank === undefined || (rank !== EXACT && column.values.length === 0)) continue;
      const problem = await problemOf({ field, column, rank }, checks);
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
async function problemOf({ field, column, rank }: Fit, checks: Checks): Promise<string | undefined> {
  const { values } = column;
  if (field === 'event_id' && new Set(values).size < values.length * DISTINCT_IDS) return 'its values repeat';
  if (field === 'device_type' && rank !== EXACT && !values.every(isKindOfDevice))
    return 'some of its values are not device types';
  const isTime = field === 'recorded_at' || field === 'uploaded_at';
  const format = isTime ? await bestTimeFormat(values, checks) : undefined;
  const bad = await problemsIn(values, { field, format: format ?? 'iso' }, checks);
  const good = values.length - bad.length;
  const isLeftToIt = rank === EXACT && (isRequired(field) || values.length === 0 || good > 0);
  const isEnough = isRequired(field) ? good > bad.length : bad.length === 0;
  return isLeftToIt || isEnough ? undefined : bad[0];
}

async function problemsIn(
  values: readonly unknown[],
  { field, format }: { field: Field; format: TimeFormat },
  { connection }: Checks,
): Promise<string[]> {
  const { sqlOf, says } = conversionOf(field, format);
  const value = isPlain(field) ? `if(json[1] IN ('{', '['), NULL, ${sqlOf('text')})` : sqlOf('text');
  const found = await connection.runAndReadAll(
    `WITH given AS (SELECT unnest(json_extract($values, '$[*]'))::VARCHAR AS json),
      texts AS (FROM given SELECT json, ${trimmed("(json ->> '$')")} AS text)
    FROM texts SELECT ${problemSql(value, says, 'json')} AS problem WHERE problem IS NOT NULL`,
    { values: JSON.stringify(values) },
  );
  return found.getRowsJS().map(([problem]) => String(problem));
}

/** The format that reads the most values; `undefined` if none reads any. */
export async function bestTimeFormat(
  values: readonly unknown[],
  checks: Checks,
): Promise<TimeFormat | undefined> {
  let best: { format?: TimeFormat; bad: number } = { bad: values.length };
  for (const format of checks.formats) {
    const { length: bad } = await problemsIn(values, { field: 'recorded_at', format }, checks);
    if (bad < best.bad) best = { format, bad };
  }
  return best.format;
}

/** Least share of distinct values in an id column. Exports can repeat events, but counters repeat far more. */
const DISTINCT_IDS = 0.9;

const KINDS = /^(smart ?|mobile ?)?(phone|mobile|tablet|desktop|tv|watch|console|wearable|other)$/i;
const isKindOfDevice = (value: unknown): boolean => KINDS.test(String(value));

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
export async function platformBesides(taken: readonly Fit[], checks: Checks): Promise<Fit[]> {
  const column = taken.find(({ field }) => field === 'os_name')?.column;
  const fit = column && { field: 'platform' as const, column, rank: 1 as const };
  return fit && column.values.length > 0 && (await problemOf(fit, checks)) === undefined ? [fit] : [];
}
