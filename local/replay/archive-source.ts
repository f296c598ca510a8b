import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { ReadingRow, Subject } from '../../shared/readings/reading.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Archive } from './archive.ts';

const BEYOND = {
  kind: 'failed',
  reason: 'history this old was not read',
  retryable: false,
} as const;

/** A source that answers from the archive, as the service would have at the clock's time. */
export function archiveSource(archive: Archive, clock: Pick<Clock, 'now'>): MetricSource {
  const rowsOf = (subject: Subject, window: Window) => {
    const rows = archive.rowsOf(subject, window);
    const { eventNames } = subject;
    return eventNames ? rows?.filter(({ eventName = '' }) => eventNames.includes(eventName)) : rows;
  };
  return {
    async read(question) {
      const current = rowsOf(question, question.window);
      const previous = rowsOf(question, question.previous);
      return current && previous ? { kind: 'read', value: sideBySide(current, previous) } : BEYOND;
    },
    async readRange(question) {
      const rows = question.windows.map((window) => rowsOf(question, window));
      const known = rows.flatMap((each) => (each ? [each] : []));
      return known.length === rows.length ? { kind: 'read', value: known } : BEYOND;
    },
    async readNewestEventAt(app, since) {
      const at = archive.newestDataAt(app, clock.now());
      return { kind: 'read', value: at !== null && at >= since ? at : null };
    },
  };
}

/** The rows of both windows in one answer, by group. */
function sideBySide(current: ReadingRow[], previous: ReadingRow[]): ReadingRow[] {
  const joined = new Map(current.map((row) => [keyOf(row), row]));
  for (const { current: figures, ...group } of previous)
    joined.set(keyOf(group), {
      ...group,
      ...joined.get(keyOf(group)),
      ...(figures && { previous: figures }),
    });
  return [...joined.values()];
}

function keyOf({ eventName, segment }: ReadingRow): string {
  return JSON.stringify([eventName ?? null, segment ?? null]);
}
