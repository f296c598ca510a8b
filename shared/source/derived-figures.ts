import { aggregationKey } from '../contract/grouping.ts';
import type { Figures, ReadingRow, Subject } from '../readings/reading.ts';
import type { Plan, Total } from './metric-substitutes.ts';
import { QuestionRefusedError } from './refusals.ts';

/** The rows that answer one question of a plan. */
export interface Answered {
  question: Subject;
  rows: ReadingRow[];
}

/**
 * The rows of `question` for each window, from the answers to the questions of its plan. Throws `QuestionRefusedError`
 * if groups cannot be combined or totals would be too inaccurate; other metrics may still be answered.
 */
export function derivedRows(
  question: Subject,
  { substitutes }: Plan<Subject>,
  windows: Answered[][],
): ReadingRow[][] {
  if (substitutes.size === 0) return windows.map((answers) => answers.flatMap(({ rows }) => rows));
  const merged = windows.map(mergedRows);
  const keys = question.aggregations.map(aggregationKey);
  const totals = new Map(
    [...substitutes].map(([key, { total }]) => [key, total && totalsOf(total, merged.flat())]),
  );
  const derived = (figures: Figures): Figures =>
    Object.fromEntries(
      keys.map((key) => {
        const substitute = substitutes.get(key);
        if (!substitute) return [key, figures[key] ?? null];
        return [key, substitute.figure(figures, totals.get(key)?.(figures) ?? null)];
      }),
    );
  return merged.map((rows) =>
    rows.map(({ current, previous, ...group }) => ({
      ...group,
      ...(current && { current: derived(current) }),
      ...(previous && { previous: derived(previous) }),
    })),
  );
}

/** Merges the rows of all answers by group. In answers without a group, its figures count as 0. */
function mergedRows(answers: Answered[]): ReadingRow[] {
  const merged = new Map<string, ReadingRow>();
  for (const row of answers.flatMap(({ rows }) => rows)) {
    const { eventName, segment, groups, current, previous } = row;
    const key = JSON.stringify([eventName, segment, groups]);
    const known = merged.get(key);
    merged.set(key, {
      ...known,
      ...row,
      ...(current || known?.current ? { current: { ...known?.current, ...current } } : {}),
      ...(previous || known?.previous ? { previous: { ...known?.previous, ...previous } } : {}),
    });
  }
  const isFolded = answers.some(({ rows }) => rows.some(({ isRest }) => isRest));
  if (isFolded && answers.some(({ rows }) => rows.length < merged.size))
    throw new QuestionRefusedError('the data access service returns more groups than can be combined');
  const counts = answers.flatMap(({ question }) => question.aggregations.filter(isCount).map(aggregationKey));
  const nothing = Object.fromEntries(counts.map((key) => [key, 0]));
  return [...merged.values()].map((row) => ({
    ...row,
    ...(row.current && { current: { ...nothing, ...row.current } }),
    ...(row.previous && { previous: { ...nothing, ...row.previous } }),
  }));
}

const isCount = (asked: Parameters<typeof aggregationKey>[0]) =>
  !/^(avg|min|max|p\d\d)_/.test(aggregationKey(asked));

/** The largest rounding error of a total, as a share of it. */
const MOST_OFF = 0.05;
/** An average with this many decimals is not rounded. */
const DECIMALS_OF_EXACT = 7;

/**
 * A function that computes the total of a row from count and average. If the service rounds averages, the decimals of
 * `rows` limit how exact a total is.
 */
function totalsOf({ count, mean, precise }: Total, rows: ReadingRow[]): (figures: Figures) => number | null {
  const all = rows
    .flatMap(({ current, previous }) => [current, previous])
    .filter((each) => each !== undefined);
  const averages = all.flatMap((figures) => [figures[mean] ?? 0, figures[precise] ?? 0]);
  const decimals = Math.max(0, ...averages.map(decimalsOf));
  const step = decimals < DECIMALS_OF_EXACT ? 10 ** -decimals : 0;
  return (figures) => {
    const counted = figures[count] ?? 0;
    if (counted === 0) return 0;
    const average = figures[mean] ?? null;
    if (average === null) return null;
    const total = counted * average;
    const off = (counted * step) / 2;
    if (off > Math.max(1, MOST_OFF * total))
      throw new QuestionRefusedError(
        `the data access service rounds averages to ${decimals} decimals, which is too inaccurate: a total of ${Math.round(total)}, computed from ${mean} and ${count}, may be off by ${Math.ceil(off)}`,
      );
    return Math.round(total);
  };
}

function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}
