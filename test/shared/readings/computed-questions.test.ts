import { describe, expect, test } from 'vitest';
import { questionsFor, withComputedQuestions } from '../../../shared/readings/computed-questions.ts';
import { History } from '../../../shared/readings/history.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import type { ReadingRow } from '../../../shared/readings/reading.ts';
import {
  questionFor,
  rangeQuestionFor,
  rowKeysOf,
  seriesKeyOf,
  seriesOf,
} from '../../../shared/readings/series.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { WINDOW } from '../../fixtures/questions.ts';

const PER_SESSION = ruleNamed('per-session', {
  filters: [],
  ratio: { of: 'purchase', to: { metric: 'sessions' } },
  group_by: 'device_country',
});

/** Without the metric and the filter of the fixture. */
const OWN = { metric: undefined, filters: [] };

const named = (value: string) => [{ attribute: 'event_name', operator: 'equal', value }] as const;

test('parts with the same endpoint and filters share a question, with all of their events', () => {
  const rule = ruleNamed('failures', {
    ...OWN,
    formula: 'failed / (failed + paid) * sessions',
    figures: {
      failed: { metric: 'event_count', filters: [...named('failed')] },
      paid: { metric: 'event_count', filters: [...named('paid')] },
      sessions: { metric: 'sessions' },
    },
  });
  const asked = questionsFor(questionFor([rule], WINDOW)).map(({ endpoint, eventNames, aggregations }) => ({
    endpoint,
    eventNames,
    aggregations,
  }));
  expect(asked).toEqual([
    { endpoint: 'event', eventNames: ['failed', 'paid'], aggregations: [{ attribute: 'event_count' }] },
    { endpoint: 'session', eventNames: undefined, aggregations: [{ attribute: 'session_count' }] },
  ]);
});

describe('the figures of a segment', () => {
  const events: ReadingRow[] = [
    { eventName: 'purchase', segment: 'DE', current: { event_count: 30 }, previous: { event_count: 20 } },
    { eventName: 'purchase', segment: 'FR', current: { event_count: 5 }, previous: { event_count: 5 } },
  ];
  const sessions: ReadingRow[] = [
    { segment: 'DE', current: { session_count: 100 }, previous: { session_count: 80 } },
    { segment: 'FR', current: { session_count: 0 }, previous: { session_count: 9 } },
    { segment: 'IT', current: { session_count: 50 }, previous: { session_count: 50 } },
  ];

  test('are divided, without a value where the divisor is zero, and zero where nothing was counted', async () => {
    const history = await read(events, sessions);
    const ratioOf = (segment: string) => reading(history, segment);
    expect(ratioOf('DE')).toEqual({ value: 0.3, weight: 100 });
    expect(ratioOf('FR')).toEqual({ value: null, weight: 0 });
    expect(ratioOf('IT')).toEqual({ value: 0, weight: 50 });
  });

  test('are unknown if one side folds the segment, and then belong to the rest', async () => {
    const rest: ReadingRow = {
      isRest: true,
      segment: 'others',
      current: { session_count: 40 },
      previous: { session_count: 40 },
    };
    const [german, french, italian] = sessions;
    const spanish: ReadingRow = { eventName: 'purchase', segment: 'ES', current: { event_count: 8 } };
    const history = await read(
      [...events, spanish],
      [german, french, italian, rest].flatMap((row) => row ?? []),
    );
    expect(reading(history, 'ES')).toBeUndefined();
    const watched = new Set(['DE', 'FR', 'IT']);
    const others = seriesKeyOf(PER_SESSION, 'others', watched);
    expect(history.reading(WINDOW, others, metricOf(PER_SESSION))).toEqual({ value: 0.2, weight: 40 });
  });

  test('are unknown in the period in which one side folds the segment', async () => {
    const folding: ReadingRow[] = [
      ...events,
      { eventName: 'purchase', segment: 'MT', previous: { event_count: 50 } },
      { eventName: 'purchase', segment: 'others', isRest: true, current: { event_count: 7 } },
    ];
    const maltese: ReadingRow = {
      segment: 'MT',
      current: { session_count: 100 },
      previous: { session_count: 100 },
    };
    const history = await read(folding, [...sessions, maltese]);
    expect(reading(history, 'MT')).toBeUndefined();
    expect(reading(history, 'DE')).toEqual({ value: 0.3, weight: 100 });
  });
});

test('parts are asked in one answer if the whole is', async () => {
  const asked: unknown[] = [];
  const source = withComputedQuestions({
    ...sourceOf(async () => ({ kind: 'read', value: [] })),
    readRange: async ({ inOneAnswer }) => {
      asked.push(inOneAnswer);
      return { kind: 'read', value: [] };
    },
  });
  await source.readRange({ ...rangeQuestionFor([PER_SESSION], [WINDOW]), inOneAnswer: true });
  expect(asked).toEqual([true, true]);
});

test('a question does not depend on the order of rules', () => {
  const rules = ['event_users', 'event_count', 'event_sessions'].map((metric) =>
    ruleNamed('a', { ...OWN, metric }),
  );
  expect(questionFor(rules.toReversed(), WINDOW)).toEqual(questionFor(rules, WINDOW));
});

test('formulas of the same figures have their own values', async () => {
  const figures = {
    a: { metric: 'event_count' as const, filters: [...named('a')] },
    b: { metric: 'event_count' as const, filters: [...named('b')] },
  };
  const rows: ReadingRow[] = [
    { eventName: 'a', current: { event_count: 6 }, previous: { event_count: 6 } },
    { eventName: 'b', current: { event_count: 2 }, previous: { event_count: 2 } },
  ];
  const [sum, ...others] = ['a + b', 'a - b', 'a / b'].map((formula) =>
    ruleNamed('formula', { ...OWN, formula, figures }),
  );
  if (!sum) throw new Error('three rules');
  for (const other of others) expect(seriesOf(other).family).toBe(seriesOf(sum).family);
  const history = await historyOf(sum, async () => rows);
  const readings = [sum, ...others].map((rule) =>
    history.reading(WINDOW, seriesKeyOf(rule, null), metricOf(rule)),
  );
  expect(readings).toEqual([
    { value: 8, weight: null },
    { value: 4, weight: null },
    { value: 3, weight: 2 },
  ]);
});

function reading(history: History, segment: string) {
  return history.reading(WINDOW, seriesKeyOf(PER_SESSION, segment), metricOf(PER_SESSION));
}

function read(events: ReadingRow[], sessions: ReadingRow[]): Promise<History> {
  return historyOf(PER_SESSION, async (endpoint) => (endpoint === 'event' ? events : sessions));
}

async function historyOf(
  rule: FigureRule,
  rowsOf: (endpoint: string) => Promise<ReadingRow[]>,
): Promise<History> {
  const source = withComputedQuestions(
    sourceOf(async ({ endpoint }) => ({ kind: 'read', value: await rowsOf(endpoint) })),
  );
  const answer = await source.read(questionFor([rule], WINDOW));
  if (answer.kind !== 'read') throw new Error(answer.reason);
  const { family } = seriesOf(rule);
  return new History([{ family, window: WINDOW, readAt: 0, keys: rowKeysOf([rule]), rows: answer.value }]);
}

function sourceOf(read: MetricSource['read']): MetricSource {
  const never = async () => {
    throw new Error('not asked');
  };
  return { read, readRange: never, readNewestEventAt: never };
}
