import { type Filter, PLATFORMS } from '../../../shared/analytics/filters.ts';
import type { Span } from '../calendar.ts';
import type { Engine, Row } from '../engines/engine.ts';
import { allOf, sql } from '../engines/sql.ts';
import type { Links } from '../links.ts';
import { propertyMap, textOf, timeOf, userProperties } from '../records.ts';
import { fromTables, inSpan, rowConditions, type Scope, visible } from './question.ts';

interface EventList extends Scope {
  readonly filters: readonly Filter[];
  readonly span: Span;
  readonly page: number;
  readonly pageSize: number;
}

/**
 * One page of events, newest first, and how many there are on all pages. Pages are counted off anew at each request,
 * as the legacy contract knows no cursor: they move when events are uploaded between two of them.
 */
export async function eventList(engine: Engine, asked: EventList, links: Links) {
  const { now, page, pageSize } = asked;
  const conditions = rowConditions('event', asked.filters, asked);
  const source = sql`${fromTables('e', conditions, now)} WHERE ${allOf([inSpan('e', asked), ...conditions])}`;
  // Sessions are joined to the page alone, not to everything that was filtered.
  const shown = sql`SELECT e.* ${source} ORDER BY e.recorded_at DESC, e.event_id
    LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`;
  const [counted, rows] = await Promise.all([
    engine.rows(sql`SELECT count(*) AS total ${source}`),
    engine.rows(sql`SELECT e.event_id, e.event_name, e.screen_name, e.session_id, e.user_id,
        epoch_us(e.recorded_at) AS recorded_at, CAST(e.properties AS VARCHAR) AS properties,
        s.has_video, s.duration_sec, s.user_name, s.device_model, s.platform,
        CAST(s.user_properties AS VARCHAR) AS user_properties
      FROM (${shown}) e LEFT JOIN sessions s ON s.session_id = e.session_id AND ${visible('s', now)}
      ORDER BY e.recorded_at DESC, e.event_id`),
  ]);
  return { records: rows.map((row) => eventRecord(row, links)), total: Number(counted[0]?.total) };
}

/** In the order of their numbers in the event list: 1 android, 2 ios, 3 web. */
const PLATFORM_NAMES: readonly string[] = PLATFORMS;

function eventRecord(row: Row, links: Links) {
  const sessionId = textOf(row.session_id);
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    eventScreen: textOf(row.screen_name),
    eventDate: timeOf(row.recorded_at),
    url: links.session(sessionId),
    sessionProperty: {
      sessionId,
      hasVideo: row.has_video === true,
      durationSec: Number(row.duration_sec ?? 0),
    },
    userProperty: userProperties(row),
    eventProperty: propertyMap(row.properties),
    device: {
      model: textOf(row.device_model),
      platform: PLATFORM_NAMES.indexOf(textOf(row.platform)) + 1,
    },
  };
}
