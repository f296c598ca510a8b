import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Question, ReadingRow } from '../../shared/readings/reading.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';

interface Figures {
  clock: Clock;
  /** The events of one series in a window. */
  count: (eventName: string, window: Window, segment?: string) => number;
  segments?: (window: Window) => string[];
}

/** A service whose figures are computed and which always answers at once. It knows no drivers. */
export function steadySource({ clock, count, segments = () => [] }: Figures): MetricSource {
  const rowsOf = (asked: Asked, window: Window): { named: Named; current: Record<string, number> }[] =>
    (asked.eventNames ?? []).flatMap((eventName) =>
      (asked.segmentBy ? segments(window) : [undefined]).map((segment) => {
        const named = { eventName, ...(segment !== undefined && { segment }) };
        const figure = count(eventName, window, segment);
        const current = Object.fromEntries(asked.aggregations.map(({ attribute }) => [attribute, figure]));
        return { named, current };
      }),
    );
  return {
    async read(question) {
      if (question.groupBy) return { kind: 'read', value: [] };
      const now = rowsOf(question, question.window).map(({ named, current }) => ({ ...named, current }));
      const before = rowsOf(question, question.previous).map(({ named, current }) => ({
        ...named,
        previous: current,
      }));
      return { kind: 'read', value: merged([...now, ...before]) };
    },
    async readRange({ windows, ...subject }) {
      const value = windows.map((window) =>
        rowsOf(subject, window).map(({ named, current }): ReadingRow => ({ ...named, current })),
      );
      return { kind: 'read', value };
    },
    readNewestEventAt: async () => ({ kind: 'read', value: clock.now() }),
  };
}

type Asked = Pick<Question, 'eventNames' | 'segmentBy' | 'aggregations'>;
type Named = Pick<ReadingRow, 'eventName' | 'segment'>;

/** One row of each series, with the figures of both windows. */
function merged(rows: ReadingRow[]): ReadingRow[] {
  const bySeries = Map.groupBy(rows, ({ eventName, segment }) => JSON.stringify([eventName, segment]));
  return [...bySeries.values()].map((same) => Object.assign({}, ...same));
}
