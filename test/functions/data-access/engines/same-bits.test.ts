import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { event, KEY, NOW, type Sample, sample, session, visit, writeData } from '../sample-app.ts';

/** More than two row groups of 122,880 rows, so that several threads share the work. */
const ROWS = 300_000;
const TIMES = 5;

let shop: Sample;
beforeAll(async () => {
  shop = await sample({ limits: { threads: 4 } });
  const grown = join(shop.directory, 'grown.duckdb');
  const one = session({ recorded_at: '2026-04-01T10:00:00Z' });
  await writeData(grown, {
    sessions: [one],
    events: [event(one, { properties: { price: 1 } })],
    visits: [visit(one)],
  });
  await multiply(grown);
  await rename(grown, join(shop.directory, 'shop.duckdb'));
});
afterAll(() => shop.close());

/** Adds rows to each table whose fractions use all digits and whose sizes differ by a factor of a million. */
async function multiply(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const fraction = 'abs(sin(i)) * 10 ** (i % 7 - 3)';
  const own = `session_id || i AS session_id, 'u' || i % 9973 AS user_id`;
  await connection.run(`
    INSERT INTO sessions SELECT s.* REPLACE (${own}, ${fraction} AS duration_sec) FROM sessions s, range(${ROWS}) t(i);
    INSERT INTO screen_visits SELECT v.* REPLACE (${own}, ${fraction} AS time_on_screen_sec)
      FROM screen_visits v, range(${ROWS}) t(i);
    INSERT INTO events SELECT e.* REPLACE (${own}, event_id || i AS event_id,
      json_object('price', ${fraction})::VARCHAR AS properties) FROM events e, range(${ROWS}) t(i)`);
  connection.closeSync();
  instance.closeSync();
}

const price = { attribute: 'event_custom_property', property_name: 'price' };
const both = (attribute: string) => ['sum', 'avg'].map((operator) => ({ attribute, operator }));

test.each([
  ['the length of sessions', 'session', { aggregation: both('session_duration') }],
  [
    'the length of sessions by platform',
    'session',
    { aggregation: both('session_duration'), group_by: [{ attribute: 'device_platform' }] },
  ],
  ['the time of users', 'user', { aggregation: both('user_session_duration') }],
  ['the default figures of users', 'user', {}],
  ['the time on screens', 'screen', { aggregation: both('time_on_screen') }],
  [
    'a property of events',
    'event',
    { aggregation: ['sum', 'avg', 'min', 'max'].map((operator) => ({ ...price, operator })) },
  ],
])('%s: repeated queries return identical figures', async (_name, resource, body) => {
  const answers = new Set<string>();
  for (let time = 0; time < TIMES; time += 1) {
    const asked = Array.from({ length: 2 }, () => answerTo(resource, body));
    for (const answer of await Promise.all(asked)) answers.add(answer);
  }
  expect([...answers]).toHaveLength(1);
});

test('repeated queries return identical pages of users', async () => {
  const page = () => answerTo('user', { page_size: 50 }, '');
  const answers = new Set([await page(), await page(), await page()]);
  expect([...answers]).toHaveLength(1);
});

test('sums of seconds match exact arithmetic with microseconds', async () => {
  const answer = JSON.parse(await answerTo('session', { aggregation: both('session_duration') }));
  // The sum of the same numbers in JavaScript, without rounding errors.
  const exact = addedExactly(
    Array.from({ length: ROWS }, (_, i) => Math.round(Math.abs(Math.sin(i)) * 10 ** ((i % 7) + 3)) / 1e6),
  );
  const total = answer.data[0].sum_session_duration;
  expect(Math.abs(total - exact - 60) / exact).toBeLessThan(1e-12);
  expect(answer.data[0].avg_session_duration).toBe(total / (ROWS + 1));
});

/** Neumaier's algorithm, whose error does not grow with the number of terms. */
function addedExactly(numbers: number[]): number {
  let [sum, lost] = [0, 0];
  for (const number of numbers) {
    const next = sum + number;
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
  }
  return sum + lost;
}

async function answerTo(resource: string, body: object, read = '/analytics'): Promise<string> {
  const response = await shop.app.request(`/api/data-access/v1/${resource}${read}`, {
    method: 'POST',
    headers: { 'X-Api-Key': KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ app_id: 'shop', ...body }),
  });
  expect(response.status, `asked at ${new Date(NOW).toISOString()}`).toBe(200);
  return response.text();
}
