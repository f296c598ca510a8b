import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANALYTICS } from '../../bench/data-access/analytics-questions.ts';
import { prepareApps } from '../../bench/data-access/apps.ts';
import { bodyOf, type Client, openClient } from '../../bench/data-access/client.ts';
import { LISTS } from '../../bench/data-access/list-questions.ts';
import { timePeers } from '../../bench/data-access/peers.ts';
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

  test.each([...ANALYTICS, ...LISTS])(
    '$name: the service returns the same values as the reference SQL',
    async (question) => {
      const answered = question.figures(bodyOf(await client.ask(question)));
      expect(answered.length).toBeGreaterThan(0);
      sameFigures(question.name, answered, await question.duckdb(raw.asking(question.app)));
    },
  );
});

test('a peer that is missing or fails does not stop the others', async () => {
  const [question] = ANALYTICS;
  if (question === undefined) throw new TypeError('no question');
  const answering = (figures: number[][]) => ({
    time: async () => ({ ms: [3, 1, 2], figures }),
    stop: async () => {},
  });
  const missing = { failed: 'PostgreSQL 15 is not installed' };
  const first = { postgres: missing, clickhouse: answering([[7]]) };
  expect(await timePeers(first, question, [[7]])).toEqual({ postgres: missing, clickhouse: { ms: 2 } });
  const broken = { time: () => Promise.reject(new Error('no column country')), stop: async () => {} };
  const second = { postgres: broken, clickhouse: answering([[8]]) };
  expect(await timePeers(second, question, [[7]])).toEqual({
    postgres: { failed: 'no column country' },
    clickhouse: { failed: expect.stringMatching(/in clickhouse: .*expected 8/) },
  });
});

describe('sameFigures', () => {
  test('accepts numbers as text, rows in any order and extra fields', () => {
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
    ['a different value', [[1]], [[2]]],
    ['an additional row', [[1], [2]], [[1]]],
    ['a missing row', [[1]], [[1], [2]]],
    ['an empty text for a number', [[0]], [['']]],
  ])('refuses %s', (_, answered, expected) => {
    expect(() => sameFigures('q', answered, expected)).toThrow('q: ');
  });
});

test.each([
  [0.5, 2],
  [0.99, 3],
  [0, 1],
])('the quantile %d of three values is value %d', (share, expected) => {
  expect(quantile([3, 1, 2], share)).toBe(expected);
});
