import { VERSION_HOURS, versionQuestion } from '../../shared/alerts/new-versions.ts';
import { inBatchesOf } from '../../shared/aws/requests.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { ReadingRow } from '../../shared/readings/reading.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Millis } from '../../shared/runtime/clock.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';

const HOURS_OF_A_WEEK = 7 * 24;

interface VersionsRequest {
  rules: readonly Rule[];
  /** Runs in `(from, to]` are replayed. */
  from: Millis;
  to: Millis;
  sourceFor: (app: string) => MetricSource;
  signal: AbortSignal;
}

/**
 * Answers the questions of a replay about versions. Reads all hours in advance, a week per call. Hours that the service
 * does not answer have no answer here either, so that nothing is noted about them.
 */
export async function archivedVersions(request: VersionsRequest): Promise<MetricSource['readRange']> {
  const { rules, sourceFor, signal } = request;
  const known = new Map<string, ReadingRow[]>();
  for (const [app, [rule]] of Map.groupBy(rules, (each) => each.app)) {
    if (!rule) continue;
    for (const windows of inBatchesOf(HOURS_OF_A_WEEK, hoursOf(rule, request))) {
      signal.throwIfAborted();
      const answer = await sourceFor(app).readRange(versionQuestion(app, rule.zone, windows), 'spare');
      if (answer.kind !== 'read') break;
      for (const [i, window] of windows.entries()) known.set(keyOf(app, window), answer.value[i] ?? []);
    }
  }
  return async ({ app, windows }) => {
    const rows = windows.flatMap((window) => {
      const found = known.get(keyOf(app, window));
      return found ? [found] : [];
    });
    return rows.length === windows.length
      ? { kind: 'read', value: rows }
      : { kind: 'unsupported', reason: 'these hours were not read' };
  };
}

function hoursOf({ zone }: Rule, { from, to }: VersionsRequest): Window[] {
  const hours = new CalendarWindows({ grain: 'hour', zone });
  const last = lastClosedWindow(to, hours.calendar);
  const count = Math.ceil((last.endAt - from) / HOUR_MS) + VERSION_HOURS;
  return [...hours.through(last, count)];
}

function keyOf(app: string, { startAt }: Window): string {
  return `${startAt} ${app}`;
}
