import { aggregationKey } from '../contract/grouping.ts';
import { partKey } from '../rules/figures.ts';
import { canonical } from '../text/content-hash.ts';
import type { MetricSource } from './metric-source.ts';
import {
  type Figures,
  PERIODS,
  type Period,
  type QuestionPart,
  type ReadingRow,
  type Subject,
} from './reading.ts';

/**
 * A source that also answers questions about computed metrics: it asks for their parts, those with the same endpoint and
 * filters together, and joins the rows by segment.
 */
export function withComputedQuestions<Source extends MetricSource>(source: Source): Source {
  return {
    ...source,
    async read(question, budget) {
      if (!question.parts) return source.read(question, budget);
      const { parts: _, ...whole } = question;
      const answers: Answer[] = [];
      for (const { parts, ...asked } of questionsFor(question)) {
        const result = await source.read({ ...whole, ...asked }, budget);
        if (result.kind !== 'read') return result;
        answers.push({ parts, rows: result.value });
      }
      return { kind: 'read', value: joined(answers) };
    },
    async readRange(question, budget) {
      if (!question.parts) return source.readRange(question, budget);
      const { parts: _, ...whole } = question;
      const answers: { parts: QuestionPart[]; rows: ReadingRow[][] }[] = [];
      for (const { parts, ...asked } of questionsFor(question)) {
        const result = await source.readRange({ ...whole, ...asked }, budget);
        if (result.kind !== 'read') return result;
        answers.push({ parts, rows: result.value });
      }
      const rows = question.windows.map((_, i) =>
        joined(answers.map(({ parts, rows }) => ({ parts, rows: rows[i] ?? [] }))),
      );
      return { kind: 'read', value: rows };
    },
  };
}

/** The rows that answer some parts of a question. */
interface Answer {
  parts: QuestionPart[];
  rows: ReadingRow[];
}

/** What to ask for all parts with the same endpoint and filters. */
export function questionsFor({ parts = [] }: Subject) {
  const alike = Map.groupBy(parts, ({ endpoint, filters, eventName }) =>
    canonical([endpoint, filters, eventName !== undefined]),
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { endpoint, filters } = first;
    const names = [...new Set(group.flatMap(({ eventName }) => eventName ?? []))].sort();
    const asked = group.flatMap(({ aggregations }) => aggregations);
    const aggregations = [...new Map(asked.map((each) => [aggregationKey(each), each])).values()];
    return [
      { endpoint, filters, aggregations, parts: group, ...(names.length > 0 && { eventNames: names }) },
    ];
  });
}

/**
 * The rows of all answers by segment. Where an answer folds segments, one that it lacks may be among them: the figures
 * of that period then belong to the rest too.
 */
function joined(answers: Answer[]): ReadingRow[] {
  const rows = new Map<string, ReadingRow>();
  for (const { parts, rows: own } of answers)
    for (const row of own) {
      const key = JSON.stringify([row.isRest ?? false, row.segment ?? null]);
      rows.set(key, withParts(rows.get(key), row, parts));
    }
  return [...rows.values()].flatMap((row) => {
    const folded = PERIODS.filter((period) => row[period] && mayBeFolded(row, period, answers));
    if (folded.length === 0) return [row];
    const kept = PERIODS.filter((period) => row[period] && !folded.includes(period));
    const rest = { ...of(row, folded), isRest: true as const };
    return kept.length > 0 ? [of(row, kept), rest] : [rest];
  });
}

/** Whether an answer names other segments of this period, and has folded the rest. */
function mayBeFolded({ segment, isRest }: ReadingRow, period: Period, answers: Answer[]): boolean {
  if (isRest) return false;
  return answers.some(({ rows }) => {
    const ofPeriod = rows.filter((row) => row[period]);
    return ofPeriod.some((row) => row.isRest) && !ofPeriod.some((row) => row.segment === segment);
  });
}

/** The row with these periods alone. */
function of({ current, previous, ...group }: ReadingRow, periods: Period[]): ReadingRow {
  return {
    ...group,
    ...(current && periods.includes('current') && { current }),
    ...(previous && periods.includes('previous') && { previous }),
  };
}

function withParts(known: ReadingRow | undefined, row: ReadingRow, parts: QuestionPart[]): ReadingRow {
  const { eventName, current: _, previous: __, ...group } = row;
  const joinedRow: ReadingRow = { ...known, ...group };
  for (const period of PERIODS) {
    const figures = row[period];
    if (!figures) continue;
    const own = parts.filter((part) => part.eventName === undefined || part.eventName === eventName);
    joinedRow[period] = {
      ...joinedRow[period],
      ...Object.assign({}, ...own.map((part) => figuresOf(part, figures))),
    };
  }
  return joinedRow;
}

/** The figures of the part with its row keys. */
function figuresOf({ name, aggregations }: QuestionPart, figures: Figures): Figures {
  return Object.fromEntries(
    aggregations.map(aggregationKey).map((key) => [partKey(name, key), figures[key] ?? null]),
  );
}
