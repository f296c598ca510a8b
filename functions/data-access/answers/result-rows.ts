import type { Resource } from '../../../shared/contract/attributes.ts';
import { groupKey, isTimeBucket, MAX_ROWS } from '../../../shared/contract/grouping.ts';
import {
  type AnalyticsRow,
  pctChange,
  pctChangeKey,
  previousKey,
} from '../../../shared/contract/responses.ts';
import type { Cell, Row } from '../engines/engine.ts';
import type { Question } from '../queries/question.ts';
import { RequestError } from '../requests/request-error.ts';
import { type Tick, tickKey } from '../time/buckets.ts';

/** The rows of one span from the engine, and the steps of its time axis. */
export interface PeriodAnswer {
  readonly rows: readonly Row[];
  readonly axis: readonly Tick[];
}

type Keys = readonly (string | null)[];
type Values = readonly (number | null)[];

/** A span's values by group and by position on its axis. */
interface Period {
  readonly groups: ReadonlyMap<string, Keys>;
  readonly steps: number;
  readonly valuesAt: (group: string, step: number) => Values | undefined;
}

type Shape = Pick<Question<Resource>, 'groups' | 'metrics'>;

/**
 * The rows of a response, sorted by time, then by the first metric in descending order, then by key. Every group of
 * either period has a row for each step, with zeros if it has no data. Steps are compared by position.
 * @throws RequestError INVALID_GROUP_BY for more than 10,000 rows.
 */
export function answerRows(shape: Shape, answers: readonly PeriodAnswer[]): AnalyticsRow[] {
  const [current, previous] = answers.map((answer) => periodOf(shape, answer));
  const axis = answers[0]?.axis ?? [];
  const single: [string, Keys][] = shape.groups.every(isTimeBucket) ? [[JSON.stringify([]), []]] : [];
  const groups = new Map([...single, ...(previous?.groups ?? []), ...(current?.groups ?? [])]);
  // Checked first, because a few rows on a long axis can fill up to millions.
  if (axis.length * groups.size > MAX_ROWS) throw tooManyRows(axis.length * groups.size);
  const zeros = shape.metrics.map(() => 0);
  return axis.flatMap((tick, step) =>
    [...groups]
      .map(([group, keys]) => ({ group, keys, values: current?.valuesAt(group, step) ?? zeros }))
      .sort((a, b) => descending(a.values[0], b.values[0]) || ascending(a.keys, b.keys))
      .map(({ group, keys, values }) => {
        if (previous === undefined) return rowOf(shape, { keys, labels: tick.labels, values });
        const before = step < previous.steps ? (previous.valuesAt(group, step) ?? zeros) : [];
        return rowOf(shape, { keys, labels: tick.labels, values, before });
      }),
  );
}

export function tooManyRows(count: number): RequestError {
  const number = count.toLocaleString('en');
  return new RequestError('INVALID_GROUP_BY', `group_by produces ${number} rows; the maximum is 10,000`, [
    {
      path: 'group_by',
      message: `${number} rows; use a shorter window, fewer groups or a lower max_group_number`,
    },
  ]);
}

function periodOf({ groups, metrics }: Shape, { rows, axis }: PeriodAnswer): Period {
  const steps = new Map(axis.map((tick, step) => [tickKey(tick.starts), step]));
  const found = new Map<string, Keys>();
  const values = new Map<string, Values>();
  const cells = (row: Row, inTime: boolean): Cell[] =>
    groups.flatMap((group, at) => (isTimeBucket(group) === inTime ? (row[`g${at}`] ?? null) : []));
  for (const row of rows) {
    const keys = cells(row, false).map((key) => (key === null ? null : String(key)));
    const group = JSON.stringify(keys);
    const step = steps.get(tickKey(cells(row, true).map(Number)));
    if (step === undefined) throw new TypeError('a row outside the time axis');
    found.set(group, keys);
    values.set(
      `${step} ${group}`,
      metrics.map((_, at) => numberOrNull(row[`m${at}`])),
    );
  }
  return { groups: found, steps: axis.length, valuesAt: (group, step) => values.get(`${step} ${group}`) };
}

const numberOrNull = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null);

interface RowParts {
  readonly keys: Keys;
  readonly labels: readonly string[];
  readonly values: Values;
  /** Present when periods are compared. */
  readonly before?: Values;
}

function rowOf({ groups, metrics }: Shape, { keys, labels, values, before }: RowParts): AnalyticsRow {
  const row: AnalyticsRow = {};
  const [nextKey, nextLabel] = [keys.values(), labels.values()];
  for (const group of groups) {
    row[groupKey(group)] = (isTimeBucket(group) ? nextLabel : nextKey).next().value ?? null;
  }
  for (const [at, { key }] of metrics.entries()) {
    const value = values[at] ?? null;
    row[key] = value;
    if (before === undefined) continue;
    row[pctChangeKey(key)] = pctChange(value, before[at] ?? null);
    row[previousKey(key)] = before[at] ?? null;
  }
  return row;
}

function descending(a: number | null | undefined, b: number | null | undefined): number {
  return (b ?? Number.NEGATIVE_INFINITY) - (a ?? Number.NEGATIVE_INFINITY) || 0;
}

/** By key; groups without one come last. */
function ascending(a: Keys, b: Keys): number {
  const at = a.findIndex((key, place) => key !== b[place]);
  return at < 0 ? 0 : compareKeys(a[at] ?? null, b[at] ?? null);
}

/** Ascending; null comes last. */
export function compareKeys(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return isBefore(String(a), String(b)) ? -1 : 1;
}

/** Compares by code point, like the engines. JavaScript compares UTF-16 units, which differs for surrogates. */
function isBefore(a: string, b: string): boolean {
  const isPlain = !SURROGATE.test(a) && !SURROGATE.test(b);
  return isPlain ? a < b : Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}

const SURROGATE = /[\ud800-\udfff]/;
