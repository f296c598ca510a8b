import { MAX_ROWS } from '../../shared/contract/grouping.ts';
import type { RangeQuestion } from '../../shared/readings/reading.ts';
import { rangeQuestionFor, segmentsIn, seriesOf } from '../../shared/readings/series.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Stretch } from './time-spans.ts';

/**
 * The longest range of date buckets. It is shorter than any zone's winter, so a service with different clock
 * changes differs at one end.
 */
const MAX_DATES_MS = 140 * DAY_MS;

/** The fewest queries that cover a stretch, if segments are few. */
export function questionsFor({ rules, windows }: Stretch): RangeQuestion[] {
  const [first] = rules;
  if (!first) return [];
  const { calendar, segmentBy } = seriesOf(first);
  const spans = inSpans(windows, calendar.grain === 'hour' ? Infinity : MAX_DATES_MS);
  return spans.flatMap((span) => {
    const question: RangeQuestion = { ...rangeQuestionFor(rules, span), inOneAnswer: true };
    const { eventNames = [] } = question;
    const namesEach = Math.max(1, Math.floor(MAX_ROWS / span.length));
    if (segmentBy || eventNames.length <= namesEach) return [question];
    return parted(eventNames, namesEach).map((names) => ({ ...question, eventNames: names }));
  });
}

/** Splits a query whose answer may have too many rows; `undefined` where it cannot be split. */
export function halved(question: RangeQuestion): [RangeQuestion, RangeQuestion] | undefined {
  const { eventNames = [], windows } = question;
  const most = windows.length * Math.max(1, eventNames.length) * segmentsIn(question);
  if (most <= MAX_ROWS) return undefined;
  const half = (length: number) => Math.ceil(length / 2);
  const of = <T>(all: T[]): [T[], T[]] => [all.slice(0, half(all.length)), all.slice(half(all.length))];
  if (eventNames.length > 1) {
    const [some, others] = of(eventNames);
    return [
      { ...question, eventNames: some },
      { ...question, eventNames: others },
    ];
  }
  const [older, newer] = of(windows);
  return [
    { ...question, windows: older },
    { ...question, windows: newer },
  ];
}

/** `windows` in equal spans, none longer than `mostMs` or with more rows than an answer holds. */
export function inSpans(windows: readonly Window[], mostMs: number): Window[][] {
  const wholeMs = (windows.at(-1)?.endAt ?? 0) - (windows[0]?.startAt ?? 0);
  const spans = Math.max(1, Math.ceil(wholeMs / mostMs), Math.ceil(windows.length / MAX_ROWS));
  return parted(windows, Math.ceil(windows.length / spans));
}

function parted<T>(all: readonly T[], most: number): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < all.length; i += most) parts.push(all.slice(i, i + most));
  return parts;
}
