import type { Alert } from '../../shared/alerts/alert.ts';
import { calendarOf } from '../../shared/alerts/alert-states.ts';
import { NO_MEMORY } from '../../shared/evaluation/baseline.ts';
import { compositionOf } from '../../shared/evaluation/baseline-making.ts';
import { windowText } from '../../shared/messages/figure-text.ts';
import { dueAt, dueWindows } from '../../shared/planning/plan.ts';
import { History } from '../../shared/readings/history.ts';
import { type FigureRule, hasSegments } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { type Window, windowBefore } from '../../shared/time/window.ts';
import { decisiveIn, type ExplainedWindow, type StoredReading } from './explanation.ts';
import { outlookOf } from './firing-limits.ts';
import { evaluatedFrom, loadPast, type SeriesPast, seriesIn } from './series-past.ts';

interface Scene {
  rule: FigureRule;
  /** All alerts of the rule. */
  alerts: Alert[];
  /** The alert of the series. */
  alert: Alert | undefined;
  segment: string | null;
}

interface Asked {
  at?: number | undefined;
  now: number;
}

/**
 * The window last evaluated, or last due by `at`; `null` where there is none. Throws `ConfigError` for a time
 * in the future, and where nothing is stored.
 */
export async function explainWindow(
  scene: Scene,
  { at, now }: Asked,
  { readings, runs }: Pick<Stores, 'readings' | 'runs'>,
): Promise<ExplainedWindow | null> {
  const { rule, alert, segment } = scene;
  const window = at === undefined ? alert?.last?.current.window : windowDueBy(rule, at, now);
  if (!window) return null;
  const kept = alert?.last?.current.window.endAt === window.endAt ? alert.last : undefined;
  const past = await loadPast(rule, window, seriesBeside(scene, window), readings);
  if (!past.memories.has(segment)) past.memories.set(segment, NO_MEMORY);
  const newestDataAt = (await runs.loadNewestEventAt(rule.app)) ?? -Infinity;
  const evaluation = kept ?? evaluatedFrom(past, segment, newestDataAt);
  if (!evaluation) {
    const when = windowText(window, { grain: rule.window, zone: rule.zone });
    throw new ConfigError(
      `nothing is stored for ${when}: hours are kept for 74 days, longer windows for 420`,
    );
  }

  return {
    ...{ window, dueAt: dueAt(rule, window), from: kept ? 'kept' : 'made again', evaluation },
    ...{ decisive: decisiveIn(evaluation), readings: readingsIn(past, segment, window) },
    ...{ baseline: baselineIn(past, segment), outlook: outlookOf(rule, alert, evaluation) },
  };
}

/** The last window that a run by `at` had to evaluate. A closed and settled window may still wait for its run. */
function windowDueBy(rule: FigureRule, at: number, now: number): Window | undefined {
  if (at > now) throw new ConfigError('--at must be in the past: it selects the window that was due by then');
  let [window] = dueWindows(rule, at, undefined);
  while (window && dueAt(rule, window) > at) window = windowBefore(window, calendarOf(rule));
  return window;
}

/** The alerts of all series that were evaluated together. */
function seriesBeside({ rule, alerts, segment }: Scene, window: Window): Alert[] {
  const isSegmented = hasSegments(rule);
  return alerts.filter(
    (each) =>
      (each.segment !== null) === isSegmented &&
      (each.segment === segment || each.evaluatedThroughAt >= window.endAt),
  );
}

function baselineIn(past: SeriesPast, segment: string | null): ExplainedWindow['baseline'] {
  const { rule, window, memories, calendarWindows, snapshots } = past;
  const memory = memories.get(segment) ?? NO_MEMORY;
  const history = new History(snapshots);
  const candidates = compositionOf(rule, window, seriesIn(past, segment), {
    history,
    memory,
    calendarWindows,
  });
  return candidates.map((each) => ({ ...each, readings: readingsIn(past, segment, each.window) }));
}

/** What each stored call returned for the window, oldest call first. */
function readingsIn(past: SeriesPast, segment: string | null, window: Window): StoredReading[] {
  const metric = metricOf(past.rule);
  const series = seriesIn(past, segment);
  return past.snapshots
    .filter((snapshot) => snapshot.window.endAt === window.endAt)
    .toSorted((a, b) => a.readAt - b.readAt)
    .flatMap((snapshot) => {
      // Decoded alone, so that later readings do not replace it.
      const reading = new History([snapshot]).reading(window, series, metric);
      if (!reading) return [];
      return [{ readAt: snapshot.readAt, isReread: snapshot.rereadAt !== undefined, ...reading }];
    });
}
