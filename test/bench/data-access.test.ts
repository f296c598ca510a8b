import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANALYTICS } from '../../bench/data-access/analytics-questions.ts';
import { prepareApps } from '../../bench/data-access/apps.ts';
import { bodyOf, type Client, openClient } from '../../bench/data-access/client.ts';
import { LISTS } from '../../bench/data-access/list-questions.ts';
import { openRawSql, type RawSql } from '../../bench/data-access/raw-sql.ts';
import { sameFigures } from '../../bench/data-access/same-figures.ts';
import { openService, type Service } from '../../bench/data-access/serving.ts';
import { quantile } from '../../bench/data-access/timing.ts';

describe('the questions of the benchmark', () => {
  let service: Service;
  let client: Client;
  let raw: RawSql;

  beforeAll(async () => {
    const directory = await prepareApps(40_000, () => {});
    service = await openService(directory);
    client = openClient(service.port);
    raw = await openRawSql(directory);
  });

  afterAll(() => {
    raw.close();
    client.close();
    service.close();
  });

  test.each([...ANALYTICS, ...LISTS])('$name: HTTP says what the SQL by hand does', async (question) => {
    const answered = question.figures(bodyOf(await client.ask(question)));
    expect(answered.length).toBeGreaterThan(0);
    sameFigures(question.name, answered, await question.duckdb(raw.asking(question.app)));
  });
});

describe('holding answers against each other', () => {
  test('takes texts for numbers, rows in any order and what is after the fields compared', () => {
    sameFigures(
      'q',
      [
        [1, 0.1 + 0.2],
        [2, 4],
      ],
      [
        ['2', 4n, 'more'],
        ['1', '0.3', 'more'],
      ],
    );
  });

  test.each([
    ['another figure', [[1]], [[2]]],
    ['a row more', [[1], [2]], [[1]]],
    ['a row less', [[1]], [[1], [2]]],
    ['a text for a number', [[0]], [['']]],
  ])('refuses %s', (_, answered, expected) => {
    expect(() => sameFigures('q', answered, expected)).toThrow('q: ');
  });
});

test.each([
  [0.5, 2],
  [0.99, 3],
  [0, 1],
])('the quantile %d of three values is the one at its place', (share, expected) => {
  expect(quantile([3, 1, 2], share)).toBe(expected);
});
