import { History } from '../../shared/readings/history.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { Window } from '../../shared/time/window.ts';
import type { RawReading } from './explanation.ts';
import { type SeriesPast, seriesIn } from './series-past.ts';

/** What each stored call returned for the window and its baseline, oldest call first. */
export function rawReadings(past: SeriesPast, segment: string | null, baselines: Window[]): RawReading[] {
  const metric = metricOf(past.rule);
  const series = seriesIn(past, segment);
  const of = (kind: RawReading['of'], window: Window): RawReading[] =>
    past.snapshots
      .filter((snapshot) => snapshot.window.endAt === window.endAt)
      .toSorted((a, b) => a.readAt - b.readAt)
      .flatMap((snapshot) => {
        // Decoded alone, so that later readings do not replace it.
        const reading = new History([snapshot]).reading(window, series, metric);
        if (!reading) return [];
        const isReread = snapshot.rereadAt !== undefined;
        return [{ of: kind, window, readAt: snapshot.readAt, isReread, ...reading }];
      });
  return [...of('window', past.window), ...baselines.flatMap((window) => of('baseline', window))];
}
