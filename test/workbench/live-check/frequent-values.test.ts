import { expect, test } from 'vitest';
import type { MetricSource, ReadResult } from '../../../shared/readings/metric-source.ts';
import type { Question, ReadingRow } from '../../../shared/readings/reading.ts';
import { frequentValues } from '../../../workbench/live-check/known-values.ts';

const ASKED = { app: 'shop', attribute: 'event_name', zone: 'Europe/Berlin' } as const;
const NOW = Date.parse('2026-04-10T09:00Z');

function sourceOf(answer: ReadResult<ReadingRow[]>): { source: MetricSource; asked: Question[] } {
  const asked: Question[] = [];
  const source: MetricSource = {
    read: async (question) => {
      asked.push(question);
      return answer;
    },
    readRange: async () => ({ kind: 'unsupported', reason: '' }),
    readNewestEventAt: async () => ({ kind: 'read', value: null }),
  };
  return { source, asked };
}

const row = (segment: string, count: number): ReadingRow => ({ segment, current: { event_count: count } });

test('returns the most frequent events per day, without the sum of the others', async () => {
  const rows = [row('search', 300), { ...row('others', 9000), isRest: true } as const, row('order', 3000)];
  const before: ReadingRow = { segment: 'gone', previous: { event_count: 50 } };
  const { source } = sourceOf({ kind: 'read', value: [...rows, before] });
  expect(await frequentValues(source, ASKED, NOW)).toEqual([
    { name: 'order', perDay: 100 },
    { name: 'search', perDay: 10 },
  ]);
});

test('asks for the last 30 days in whole days of the zone', async () => {
  const { source, asked } = sourceOf({ kind: 'read', value: [] });
  expect(await frequentValues(source, ASKED, NOW)).toEqual([]);
  // The clocks went forward between them.
  expect(asked.map(({ window }) => [window.startAt, window.endAt])).toEqual([
    [Date.parse('2026-03-10T23:00Z'), Date.parse('2026-04-09T22:00Z')],
  ]);
});
