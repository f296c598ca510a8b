import type { DemoReport } from '../../local/data/demo/demo-app.ts';
import type { Incident } from '../../local/data/demo/incidents.ts';
import type { ImportReport } from '../../local/data/import/import-events.ts';
import type { PublishReport } from '../../local/data/publish/publish.ts';
import type { AppSettings } from '../../shared/access/app-settings.ts';
import type { Millis } from '../../shared/runtime/clock.ts';

// What the `data` commands print with `--json`. Times are ISO 8601 in UTC.

/** `data generate`. */
export interface GeneratedData {
  app: string;
  folder: string;
  seed: number;
  days: number;
  until: string;
  events: number;
  sessions: number;
  users: number;
  newUsers: number;
  /** With the keys of its kind, such as `country`. */
  incidents: { kind: Incident['kind']; startsAt: string; endsAt: string; factor: number }[];
}

/** `data import`. */
export interface ImportedData {
  app: string;
  folder: string;
  /** Events of this file. */
  imported: number;
  /** Lines that `--skip-bad` left out, and the first of them. */
  bad: number;
  badLines: { line: number; problem: string }[];
  /** Columns that became properties. */
  properties: string[];
  /** Imported events whose time is in the future; `lastAt` is `null` if there are none. */
  future: { events: number; lastAt: string | null };
  /** Everything the app has now. */
  total: { events: number; sessions: number; users: number; firstAt: string; lastAt: string };
  published: PublishedData;
}

/** `data publish`; `null` stands for what was not asked for. */
export interface PublishedData {
  /** `firstDay` and `lastDay` are UTC days. */
  files: ({ to: string } & PublishReport) | null;
  /** `kept`: the table has settings of the app, and `data import` leaves them. */
  settings: { table: string; outcome: 'saved' | 'kept' } | null;
}

/** `data settings`. */
export interface PrintedSettings {
  app: string;
  name: string;
  zone: string;
  dashboardUrl: string | null;
  rateLimit: AppSettings['rateLimit'];
  /** The table that has these settings too; `null` without `--table`. */
  table: string | null;
}

export function generatedData(
  { lastUploadedAt: _, incidents, ...counts }: DemoReport,
  of: { app: string; folder: string; seed: number; days: number; until: Millis },
): GeneratedData {
  const times = ({ startsAt, endsAt }: Incident) => ({ startsAt: iso(startsAt), endsAt: iso(endsAt) });
  return {
    ...of,
    until: iso(of.until),
    ...counts,
    incidents: incidents.map((incident) => ({ ...incident, ...times(incident) })),
  };
}

export function importedData(
  { records, bad, shown, properties, future, app: total }: ImportReport,
  of: { app: string; folder: string },
  published: PublishedData,
): ImportedData {
  return {
    ...of,
    imported: records - bad,
    bad,
    badLines: shown.map(({ line, problem }) => ({ line, problem })),
    properties: [...properties],
    future: { events: future.count, lastAt: future.count > 0 ? iso(future.lastAt) : null },
    total: { ...total, firstAt: iso(total.firstAt), lastAt: iso(total.lastAt) },
    published,
  };
}

export function printedSettings(
  { id, name, zone, dashboardUrl, rateLimit }: AppSettings,
  table: string | undefined,
): PrintedSettings {
  return { app: id, name, zone, dashboardUrl: dashboardUrl ?? null, rateLimit, table: table ?? null };
}

function iso(at: Millis): string {
  return new Date(at).toISOString();
}
