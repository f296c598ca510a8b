import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { ReadingRow, Subject } from '../../shared/readings/reading.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { ArchiveReader } from './archive-reader.ts';
import { questionsFor, type Stretch, stretchesOf } from './range-questions.ts';

/** The past as rules need it, read once, with late data included. In memory and immutable. */
export interface Archive {
  /** The rows of a window with `current` alone, also of other events and figures; `undefined` where nothing was read. */
  rowsOf(subject: Subject, window: Window): ReadingRow[] | undefined;
  /** The events of an app in the hour that starts then; 0 where none are known. */
  eventsIn(app: string, startAt: number): number;
  /** When the newest event that was recorded by `at` was recorded; `null` where none is known of. */
  newestDataAt(app: string, at: number): number | null;
  /** When an app's data begins, if within the replayed days; `undefined` where that is unknown. */
  beginsAt(app: string): number | undefined;
  /** What people should know of how it was read, a sentence each. */
  notes: string[];
}

export interface ArchiveRequest {
  /** Every rule that will be replayed over it, of one rule set or of several. */
  rules: Rule[];
  /** Epoch milliseconds; runs in `(from, to]` are replayed. */
  from: number;
  to: number;
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Reads what `rules` and their baselines need, with the fewest calls. Throws `UpstreamError`: no partial past. */
export async function readArchive(request: ArchiveRequest): Promise<Archive> {
  const { rules, from, sourceFor, clock, onProgress, signal } = request;
  const to = Math.min(request.to, clock.now());
  const apps = [...new Set(rules.map(({ app }) => app))];
  const stretches = stretchesOf(rules, from, to);
  const calls = apps.length + stretches.flatMap(questionsFor).length;
  const reader = new ArchiveReader({ sourceFor, calls, onProgress, signal });
  for (const app of apps) await reader.readHours(app, { startAt: from, endAt: to });
  const left: Stretch[] = [];
  for (const stretch of stretches) if (!(await reader.readStretch(stretch))) left.push(stretch);
  // Another stretch may have shown that the service supports these buckets.
  const unparted: Stretch[] = [];
  for (const stretch of left) if (!(await reader.readStretch(stretch))) unparted.push(stretch);
  await reader.readOneByOne(unparted);
  return {
    rowsOf: (subject, window) => reader.rows.find(subject, window),
    eventsIn: (app, startAt) => reader.eventsIn(app, startAt),
    newestDataAt: (app, at) => reader.newestDataAt(app, at),
    beginsAt: (app) => reader.beginsAt(app, from),
    notes: reader.notes,
  };
}
