import { afterAll, beforeAll, expect, test } from 'vitest';
import { answeredMetricsText } from '../../../cli/rules/answered-metrics-text.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { METRICS } from '../../../shared/rules/metric-table.ts';
import { createHttpMetricSource } from '../../../shared/source/metric-source.ts';
import {
  type AnsweredMetric,
  answeredMetrics,
  unansweredRules,
} from '../../../workbench/live-check/answered-metrics.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { type DocumentedService, documentedService } from '../../fixtures/documented-interface.ts';
import { event, KEY, NOW, type Sample, sample, session } from '../../functions/data-access/sample-app.ts';

let shop: Sample;
let service: DocumentedService;
beforeAll(async () => {
  const yesterday = session({ recorded_at: '2026-04-09T10:00:00Z', duration_sec: 10 / 7 });
  shop = await sample({ sessions: [yesterday], events: [event(yesterday)] });
  service = await documentedService(shop);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await shop.close();
});

const rules = [
  ruleNamed('new', { app: 'shop', metric: 'new_users', filters: [] }),
  ruleNamed('new-on-ios', {
    ...{ app: 'shop', metric: 'new_users' },
    filters: [{ attribute: 'device_platform', operator: 'equal', value: 'ios' }],
  }),
  ruleNamed('pressed', { app: 'shop', metric: 'unresponsive_gestures', filters: [] }),
  ruleNamed('visits', { app: 'shop', metric: 'sessions', filters: [] }),
];

function sourceAt(baseUrl: string): MetricSource {
  return createHttpMetricSource({
    baseUrl,
    apiKey: KEY,
    clock: shop.clock,
    budget: { takeCalls: () => true },
  });
}

async function checked(source: MetricSource) {
  const asked = { sourceFor: () => source, now: NOW };
  const metrics = await answeredMetrics(rules, asked);
  return { metrics, findings: await unansweredRules(rules, metrics, asked) };
}

const of = (metrics: AnsweredMetric[], kind: AnsweredMetric['answer']) =>
  metrics.filter(({ answer }) => answer === kind).map(({ metric }) => metric);

test('reports which metrics the documented interface supports, derives and refuses', async () => {
  const { metrics, findings } = await checked(sourceAt(service.url));
  expect(metrics).toHaveLength(Object.keys(METRICS).length);
  expect(of(metrics, 'derived')).toEqual([
    'new_users',
    'rage_gestures',
    'gestures',
    'rage_gestures_per_session',
  ]);
  expect(of(metrics, 'refused')).toEqual([
    'unresponsive_gestures',
    'responsive_gestures_per_session',
    'unresponsive_gestures_per_session',
    'unique_screens_per_session',
  ]);
  expect(findings.map((each) => ({ ...each, message: '' }))).toEqual(
    ['new-on-ios', 'pressed'].map((ruleId) => ({
      ...{ of: 'rule', ruleId, code: 'live-unread', path: ['metric'], message: '' },
    })),
  );
  expect(findings[0]?.message).toMatch(/latest session.*group the rule by device_platform/);

  expect(findings[1]?.message).toMatch(
    /^unresponsive_gestures of shop cannot be read: the data access service refused .*\(400/,
  );

  expect(answeredMetricsText(metrics).join('\n')).toBe(`shop: the service supports 13 of 21 metrics directly
  new_users is computed from session_new_users_count of user analytics
  rage_gestures is computed from user_count × avg_user_rage_gesture_count of
    user analytics
  gestures is computed from session_count × avg_session_gesture_count of session
    analytics
  rage_gestures_per_session is computed from user_count ×
    avg_user_rage_gesture_count of user analytics ÷ session_count
  it does not support unresponsive_gestures, responsive_gestures_per_session,
    unresponsive_gestures_per_session, unique_screens_per_session`);
});

test('reports a service that supports every metric', async () => {
  const source = createHttpMetricSource({
    ...{ baseUrl: 'http://whole.test', apiKey: KEY, clock: shop.clock, budget: { takeCalls: () => true } },
    fetch: (url, init) => shop.app.request(url, init),
  });
  const { metrics, findings } = await checked(source);
  expect(findings).toEqual([]);
  expect(answeredMetricsText(metrics)).toEqual(['shop: the service supports all 21 metrics directly']);
});

test('reports nothing about a service that does not answer', async () => {
  const failed = async () => ({ kind: 'failed', reason: 'down', retryable: true }) as const;
  const down: MetricSource = { read: failed, readRange: failed, readNewestEventAt: failed };
  expect(await checked(down)).toEqual({ metrics: [], findings: [] });
});
