import { describe, expect, test } from 'vitest';
import type { MetricSource, ReadResult } from '../../../shared/readings/metric-source.ts';
import type { Question, ReadingRow } from '../../../shared/readings/reading.ts';
import { rowKeysOf, rowMetricOf } from '../../../shared/rules/metric.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { liveFindings } from '../../../workbench/live-check/live-findings.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

/** Counts of 30 days, by attribute and value. */
const COUNTS: Record<string, Record<string, number>> = {
  event_name: { purchase: 300, search: 30_000 },
  device_country: { Germany: 1000, Sweden: 500 },
};

/** A source of `counts` that records its questions. `rest` counts the values beyond its limit of groups. */
function sourceOf(counts = COUNTS, rest = 0) {
  const asked: Question[] = [];
  const read = async (question: Question): Promise<ReadResult<ReadingRow[]>> => {
    asked.push(question);
    const key = question.aggregations[0]?.attribute ?? '';
    const values = Object.entries(counts[question.segmentBy?.attribute ?? ''] ?? {});
    // A question without a segment has one row without a segment.
    const groups = question.segmentBy ? values : [[undefined, 1] as const];
    const rows = (question.eventNames ?? [undefined]).flatMap((eventName) =>
      groups.map(([segment, count]) => ({
        ...(eventName !== undefined && { eventName }),
        ...(segment !== undefined && { segment }),
        current: { [key]: count },
      })),
    );
    return {
      kind: 'read',
      value: rest > 0 ? [...rows, { isRest: true, segment: 'others', current: { [key]: rest } }] : rows,
    };
  };
  return { asked, source: sourceThat(read) };
}

function sourceThat(read: MetricSource['read']): MetricSource {
  const never = () => Promise.reject(new Error('unexpected read'));
  return { read, readRange: never, readNewestEventAt: async () => ({ kind: 'read', value: NOW }) };
}

const found = async (source: MetricSource, ...rules: Parameters<typeof liveFindings>[0]) =>
  (await liveFindings(rules, { sourceFor: () => source, now: NOW })).map(({ code, path, message }) => ({
    code,
    path: path.join('.'),
    message,
  }));

const filter = (attribute: string, value: unknown, operator = 'equal') => ({ attribute, operator, value });

describe('live checks', () => {
  test('find nothing if all names have data', async () => {
    const { source } = sourceOf();
    const rule = ruleNamed('a', {
      filters: [filter('event_name', 'purchase'), filter('device_country', 'Sweden')],
    });
    expect(await found(source, rule)).toEqual([]);
  });

  test('report no missing name if some values are not listed', async () => {
    const { source } = sourceOf(COUNTS, 5);
    expect(await found(source, ruleNamed('a', { filters: [filter('event_name', 'rare')] }))).toEqual([]);
  });

  test('ask once per attribute for all rules, about 30 whole days', async () => {
    const { asked, source } = sourceOf();
    const rules = Array.from({ length: 50 }, (_, i) =>
      ruleNamed(`r${i}`, { group_by: 'device_country', minimum: { baseline: 1 } }),
    );
    await found(source, ...rules);
    expect(asked.map(({ endpoint, segmentBy }) => [endpoint, segmentBy?.attribute])).toEqual([
      ['event', 'event_name'],
      ['event', 'device_country'],
    ]);
    expect(asked[0]?.window).toEqual({
      startAt: Date.parse('2026-10-23T00:00:00Z'),
      endAt: Date.parse('2026-11-22T00:00:00Z'),
    });
  });

  test('ask nothing about an app without data, and report it once', async () => {
    const never = () => Promise.reject(new Error('unexpected read'));
    const readNewestEventAt = async () => ({ kind: 'read' as const, value: null });
    const source = { read: never, readRange: never, readNewestEventAt };
    expect(await found(source, ruleNamed('a'), ruleNamed('b'))).toEqual([
      {
        code: 'live-unread',
        path: 'app',
        message: 'demo has sent nothing since 2026-10-23, so its rules are not checked',
      },
    ]);
  });

  test('stop when no calls are left, and report the unchecked rules', async () => {
    const known = sourceOf();
    const source = sourceThat(async (question) =>
      question.segmentBy
        ? known.source.read(question)
        : { kind: 'budget-spent', reason: 'no calls are left' },
    );
    const plain = (id: string, metric: string) => ruleNamed(id, { metric, filters: [] });
    const onAndroid = { filters: [filter('device_platform', 'android')] };
    const rules = [plain('a', 'sessions'), plain('b', 'new_users'), ruleNamed('c', onAndroid)];
    expect(await found(source, ...rules)).toEqual([
      {
        code: 'live-unread',
        path: 'metric',
        message: 'whether a and 1 more had a value in the last 30 days cannot be read: no calls are left',
      },
    ]);
  });

  test.each([
    [5, []],
    [0, ['has matched nothing since 2026-10-23: its value was 0 or missing']],
  ])('take a sum of 0 over %i events as a value only if there are events', async (events, messages) => {
    const rule = ruleNamed('a', { metric: { sum: 'prize' }, filters: [] });
    const [sum = '', weight = ''] = rowKeysOf(rowMetricOf(metricOf(rule)));
    const source = sourceThat(async () => ({
      kind: 'read',
      value: [{ current: { [sum]: 0, [weight]: events } }],
    }));
    expect((await found(source, rule)).map(({ message }) => message)).toEqual(messages);
  });

  test('report a failed read instead of no findings', async () => {
    const source = sourceThat(async () => ({ kind: 'failed', reason: 'it is down', retryable: true }));
    expect(await found(source, ruleNamed('a'))).toEqual([
      {
        code: 'live-unread',
        path: 'metric',
        message: 'whether a had a value in the last 30 days cannot be read: it is down',
      },
    ]);
  });

  test('name only the rule that the service refuses', async () => {
    const known = sourceOf();
    const source = sourceThat(async (question) =>
      question.aggregations.some(({ attribute }) => attribute === 'event_unique_user_count')
        ? { kind: 'failed', reason: 'no users', retryable: false, isRefusal: true }
        : known.source.read(question),
    );
    const rules = ['event_count', 'event_users'].map((metric) =>
      ruleNamed(metric.replace('_', '-'), { metric }),
    );
    expect((await found(source, ...rules)).map(({ message }) => message)).toEqual([
      'whether event-users had a value in the last 30 days cannot be read: no users',
    ]);
  });
});
