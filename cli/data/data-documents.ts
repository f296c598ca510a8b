import type { DemoReport } from '../../local/data/demo/demo-app.ts';
import { writtenIncident } from '../../local/data/demo/incidents.ts';
import type { ImportReport } from '../../local/data/import/import-events.ts';
import type { PublishReport } from '../../local/data/publish/publish.ts';
import type { Millis } from '../../shared/runtime/clock.ts';

// What the `data` commands print with `--json`. Times are ISO 8601 in UTC.

const iso = (at: Millis): string => new Date(at).toISOString();

/** `data generate`. Incidents have the keys of their kind, such as `country`. */
export function generatedData(
  { incidents, ...counts }: DemoReport,
  { until, ...of }: { app: string; folder: string; seed: number; days: number; until: Millis },
) {
  return {
    ...of,
    until: iso(until),
    ...counts,
    incidents: incidents.map(writtenIncident),
  };
}

/** `data publish`; `null` stands for what was not asked for. */
export interface PublishedData {
  /** `firstDay` and `lastDay` are UTC days. */
  files: ({ to: string } & PublishReport) | null;
  /** `kept`: the table has settings of the app, and `data import` leaves them. */
  settings: { table: string; outcome: 'saved' | 'kept' } | null;
}

/** `data import`: the events of this file, the lines that were left out, and everything the app has now. */
export function importedData(
  { records, bad, shown, properties, future, repeated, app: total }: ImportReport,
  of: { app: string; folder: string },
  published: PublishedData,
) {
  return {
    ...of,
    imported: records - bad,
    bad,
    badLines: shown.map(({ line, problem }) => ({ line, problem })),
    properties,
    repeated: repeated.count,
    future: { events: future.count, lastAt: future.count > 0 ? iso(future.lastAt) : null },
    total: { ...total, firstAt: iso(total.firstAt), lastAt: iso(total.lastAt) },
    published,
  };
}
