import type { Filter } from '../../shared/contract/filters.ts';
import { aggregationKey, type GroupBy } from '../../shared/contract/grouping.ts';
import type { MetricSource, ReadResult } from '../../shared/readings/metric-source.ts';
import type { Figures, Question, RangeQuestion, ReadingRow } from '../../shared/readings/reading.ts';
import { segmentName } from '../../shared/text/segment-name.ts';
import type { Window } from '../../shared/time/window.ts';

/** An event, session or user. Figures are summed, those of `avg_` keys averaged. */
export interface Fact {
  endpoint: Question['endpoint'];
  at: number;
  attributes?: Record<string, string>;
  figures: Record<string, number>;
}

/**
 * A metric source over facts in memory. It records the questions and can fail the next one. It splits figures by the
 * hours of any zone, and by the days of its own zone.
 */
export interface FakeMetricSource extends MetricSource {
  readonly questions: Question[];
  readonly ranges: RangeQuestion[];
  failNext(result: Exclude<ReadResult<never>, { kind: 'read' }>): void;
}

export function createFakeMetricSource(facts: readonly Fact[], zone = 'UTC'): FakeMetricSource {
  const questions: Question[] = [];
  const ranges: RangeQuestion[] = [];
  const failures: Exclude<ReadResult<never>, { kind: 'read' }>[] = [];
  return {
    questions,
    ranges,
    failNext: (result) => void failures.push(result),
    async read(question) {
      questions.push(question);
      return failures.shift() ?? { kind: 'read', value: rowsOf(facts, question) };
    },
    async readRange(question) {
      ranges.push(question);
      if (question.calendar.grain !== 'hour' && question.calendar.zone !== zone)
        return { kind: 'unsupported', reason: `it only has days of ${zone}` };
      return failures.shift() ?? { kind: 'read', value: rowsOfRange(facts, question) };
    },
    async readNewestEventAt(_app, since) {
      const times = facts.flatMap(({ endpoint, at }) => (endpoint === 'event' && at >= since ? [at] : []));
      return failures.shift() ?? { kind: 'read', value: times.length > 0 ? Math.max(...times) : null };
    },
  };
}

function rowsOfRange(facts: readonly Fact[], { windows, ...subject }: RangeQuestion) {
  return windows.map((window) => {
    const previous = { startAt: window.startAt, endAt: window.startAt };
    return rowsOf(facts, { ...subject, window, previous }).flatMap(({ previous: _, ...row }) =>
      Object.values(row.current ?? {}).some(Boolean) ? [row] : [],
    );
  });
}

function segmentOf({ attributes = {} }: Fact, groups: GroupBy[]): string {
  const values = groups.map(({ attribute }) => attributes[attribute] ?? '');
  return values.length > 1 ? segmentName(values) : (values[0] ?? '');
}

function rowsOf(facts: readonly Fact[], question: Question): ReadingRow[] {
  const { endpoint, filters, eventNames, segmentBy, thenBy } = question;
  const asked = facts.filter(
    (fact) =>
      fact.endpoint === endpoint &&
      filters.every((filter) => matches(fact, filter)) &&
      (eventNames?.includes(fact.attributes?.event_name ?? '') ?? true),
  );
  const groupOf = (fact: Fact): ReadingRow => ({
    ...(eventNames && { eventName: fact.attributes?.event_name ?? '' }),
    ...(segmentBy && { segment: segmentOf(fact, [segmentBy, ...(thenBy ? [thenBy] : [])]) }),
  });
  const inWindows = asked.filter(({ at }) => question.previous.startAt <= at && at < question.window.endAt);
  const isGrouped = eventNames || segmentBy;
  const groups = isGrouped
    ? new Map(inWindows.map((fact) => [JSON.stringify(groupOf(fact)), groupOf(fact)]))
    : new Map([['{}', {}]]);
  return [...groups].map(([key, group]) => {
    const members = asked.filter((fact) => JSON.stringify(groupOf(fact)) === key);
    const figures = (window: Window) => figuresOf(members, window, question);
    return { ...group, current: figures(question.window), previous: figures(question.previous) };
  });
}

function figuresOf(facts: readonly Fact[], window: Window, { aggregations }: Question): Figures {
  const members = facts.filter(({ at }) => window.startAt <= at && at < window.endAt);
  return Object.fromEntries(
    aggregations.map(aggregationKey).map((key) => {
      const sum = members.reduce((total, { figures }) => total + (figures[key] ?? 0), 0);
      const mean = members.length > 0 ? sum / members.length : null;
      return [key, key.startsWith('avg_') ? mean : sum];
    }),
  );
}

function matches({ attributes }: Fact, { attribute, operator, value }: Filter): boolean {
  const found = attributes?.[attribute];
  if (operator === 'equal') return found === value;
  if (operator === 'greater_or_equal') return Number(found) >= value;
  if (operator === 'in') return found !== undefined && value.includes(found);
  throw new TypeError(`the fake does not know the operator ${operator}`);
}
