import { expect, test } from 'vitest';
import { answerRows, type PeriodAnswer } from '../../../../functions/data-access/answers/result-rows.ts';
import type { Tick } from '../../../../functions/data-access/time/buckets.ts';
import type { Metric } from '../../../../shared/contract/aggregations.ts';

const metric: Metric = { kind: 'count', key: 'session_count', count: 'session_count' };
const shape = {
  groups: [{ attribute: 'session_uploadedon_hour' }, { attribute: 'device_city' }],
  metrics: [metric],
} as const;

/** One row for each city, all at the first step. */
const sparse = (axis: readonly Tick[], cities: readonly string[]): PeriodAnswer => ({
  axis,
  rows: cities.map((g1) => ({ g0: 0, g1, m0: 1 })),
});
const cities = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `c${from + at}`);

test.each([
  { name: 'of one period', periods: [cities(0, 101)], rows: '10,100' },
  { name: 'of the groups of either period', periods: [cities(0, 60), cities(50, 120)], rows: '12,000' },
])('too many rows $name are refused before any is built', ({ periods, rows }) => {
  let built = 0;
  const axis = Array.from({ length: 100 }, (_, step) => ({
    starts: [step],
    get labels() {
      built += 1;
      return [String(step)];
    },
  }));
  const answer = () =>
    answerRows(
      shape,
      periods.map((names) => sparse(axis, names)),
    );
  expect(answer).toThrow(
    expect.objectContaining({ code: 'INVALID_GROUP_BY', message: expect.stringContaining(`${rows} rows`) }),
  );
  expect(built).toBe(0);
});
