import { expect, test } from 'vitest';
import { bytesOverBudget, scannedBytes, scannedText } from '../../local/scanned-bytes.ts';
import { configSchema } from '../../shared/config/config.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { ruleNamed } from '../fixtures/builders.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

/** A source whose engine reads `bytes` for a question about an hour and 24 times as much for a day, if it tells them. */
function figuresOf(bytes: number | undefined, { failing = false } = {}) {
  let read: number | undefined;
  let asked = 0;
  const scan = (hours: number) => {
    asked += 1;
    if (bytes !== undefined) read = (read ?? 0) + bytes * hours;
  };
  const source: MetricSource = {
    async read({ window }) {
      scan((window.endAt - window.startAt) / 3_600_000);
      return failing ? { kind: 'failed', reason: 'gone', retryable: false } : { kind: 'read', value: [] };
    },
    readRange: () => Promise.reject(new Error('unexpected read')),
    async readNewestEventAt() {
      scan(1);
      return { kind: 'read', value: NOW };
    },
  };
  return { sourceFor: () => source, bytesScanned: () => read, asked: () => asked };
}

const hourly = ruleNamed('hourly', { every: 'hour at :05', window: 'hour' });
const daily = ruleNamed('daily', { every: 'day at 07:00', window: 'day' });

test('the questions of an hourly and a daily rule are counted at their cadences', async () => {
  const scanned = await scannedBytes([hourly, daily], figuresOf(1e6), NOW);
  // Each is read again once it cannot change any more. The newest event is read before each of the 25 runs.
  expect(scanned).toMatchObject({
    ...{ questions: 3, unanswered: 0, bytes: 26e6, mostBy: 'hourly' },
    bytesPerDay: 2 * 24e6 + 2 * 24e6 + 25e6,
  });
  expect(scanned && scannedText(scanned)).toBe(
    'one run of all rules: 3 questions, 26 MB; 120 MB a day at their cadences',
  );
});

test('rules that share questions read once', async () => {
  const other = ruleNamed('other', { every: 'hour at :05', window: 'hour' });
  const figures = figuresOf(1e6);
  expect(await scannedBytes([hourly, other], figures, NOW)).toMatchObject({ bytesPerDay: 72e6 });
  expect(figures.asked()).toBe(2);
});

test('an engine that tells no bytes is asked once, and no figure is made up', async () => {
  const figures = figuresOf(undefined);
  expect(await scannedBytes([hourly, daily], figures, NOW)).toBeUndefined();
  expect(figures.asked()).toBe(1);
  expect(await scannedBytes([hourly], figuresOf(0), NOW)).toBeUndefined();
});

test('questions without an answer are named', async () => {
  const scanned = await scannedBytes([hourly], figuresOf(1e9, { failing: true }), NOW);
  expect(scanned && scannedText(scanned)).toBe(
    'one run of all rules: 2 questions, 2 GB; 72 GB a day at their cadences, without 1 that had no answer',
  );
});

test.each([
  { gigabytesPerDay: 73, says: [] },
  { gigabytesPerDay: undefined, says: [] },
  {
    gigabytesPerDay: 40,
    says: [
      expect.stringMatching(
        /^the rules read about 72 GB a day, and gigabytesPerDay of figures.sql is 40; run some/,
      ),
    ],
  },
])('a budget of $gigabytesPerDay GB a day', async ({ gigabytesPerDay, says }) => {
  const columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
  const sql = {
    engine: 'trino',
    urlSecret: 'url',
    gigabytesPerDay,
    apps: { shop: { events: { table: 'log', columns } } },
  };
  const { figures } = configSchema.parse({ figures: { sql } });
  const scanned = await scannedBytes([hourly], figuresOf(1e9), NOW);
  if (!scanned) throw new Error('no bytes');
  const found = bytesOverBudget(scanned, figures);
  expect(found.map(({ message }) => message)).toEqual(says);
  for (const each of found) expect(each).toMatchObject({ code: 'bytes-over-budget', ruleId: 'hourly' });
});
