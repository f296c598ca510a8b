import { writeFile } from 'node:fs/promises';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { importEvents } from '../../../../local/data/import/import-events.ts';
import type { World } from '../../../oracle/rows.ts';

/** The columns of an events table of a team, with the fields that they hold. */
export const COLUMNS = {
  event_id: 'uuid',
  event_name: 'type',
  user_id: 'customer',
  session_id: 'visit',
  screen_name: 'page',
  recorded_at: 'ts',
  properties: 'payload',
  platform: 'os',
  app_version: 'release',
  city: 'town',
  utm: 'campaign',
  landing_page: 'landing',
  user_name: 'login',
  crashed: 'did_crash',
  gesture_count: 'taps',
  rage_gesture_count: 'angry_taps',
} as const;

export type PlainEvent = Readonly<Record<(typeof COLUMNS)[keyof typeof COLUMNS], unknown>>;

/**
 * The events of a world as a table with a row for each, some without a session id, some without a description. Two users
 * may share a session id.
 */
export function plainEvents({ sessions, events }: World): PlainEvent[] {
  const byId = new Map(sessions.map((session) => [session.session_id, session]));
  return events.flatMap((event, nth) => {
    const session = byId.get(event.session_id);
    if (!session) return [];
    const isDescribed = nth % 5 !== 0;
    const isPlaced = nth % 7 !== 0;
    const row = {
      // In the order of the file, as the import breaks ties by line.
      uuid: `e${String(nth).padStart(5, '0')}`,
      type: event.event_name,
      customer: session.user_id,
      visit:
        nth % 7 === 0
          ? null
          : `v${Number(session.session_number) % 40}-${nth % 3 === 0 ? 'x' : session.user_id}`,
      page: event.screen_name,
      ts: new Date(event.recorded_at).toISOString(),
      // `jsonb` writes nested values in another form.
      payload: Object.fromEntries(Object.entries(event.properties).filter(([name]) => name !== 'deep')),
      os: isDescribed ? session.platform : null,
      release: isDescribed ? session.app_version : null,
      town: isDescribed ? session.city : null,
      campaign: isDescribed ? session.utm : null,
      landing: isDescribed ? session.landing_page : null,
      login: isDescribed ? session.user_name || null : null,
      did_crash: nth % 11 === 0 ? session.crashed : null,
      taps: nth % 3 === 0 ? session.gesture_count : null,
      angry_taps: session.rage_gesture_count,
    };
    // Activity without an id continues for less than half an hour, and ends after half an hour.
    const later = (minutes: number) => ({
      ...row,
      uuid: `${row.uuid}-${minutes}`,
      ts: new Date(event.recorded_at + minutes * 60_000).toISOString(),
    });
    return isPlaced ? [row] : [row, later(29), later(59)];
  });
}

/** Imports the events into an app, as `deltawatch data import` does. */
export async function importPlain(
  events: readonly PlainEvent[],
  { dir, zone }: { dir: string; zone: string },
): Promise<void> {
  const file = `${dir}/plain.ndjson`;
  const given = events.map((event) =>
    Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)),
  );
  await writeFile(file, given.map((event) => JSON.stringify(event)).join('\n'));
  const maps = Object.entries(COLUMNS).map(([field, column]) => `${field}=${column}`);
  await importEvents({
    file,
    dir,
    app: 'shop',
    zone,
    mapping: parseMapping(maps, []),
    timeFormat: 'iso',
    existing: 'replace',
    skipBad: false,
  });
}
