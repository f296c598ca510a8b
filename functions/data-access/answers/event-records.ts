import { PLATFORMS } from '../../../shared/contract/filters.ts';
import type { Row } from '../engines/engine.ts';
import type { Links } from './links.ts';
import { propertyMap, textOf, timeOf, userProperties } from './records.ts';

/** In the order of their numbers in the event list: 1 android, 2 ios, 3 web. */
const PLATFORM_NAMES: readonly string[] = PLATFORMS;

export function eventRecord(row: Row, links: Links) {
  const sessionId = textOf(row.session_id);
  return {
    eventId: textOf(row.event_id),
    eventName: textOf(row.event_name),
    eventScreen: textOf(row.screen_name),
    eventDate: timeOf(row.recorded_at),
    url: links.session(sessionId),
    sessionProperty: {
      sessionId,
      hasVideo: row.has_video === true,
      durationSec: Number(row.duration_sec),
    },
    userProperty: userProperties(row),
    eventProperty: propertyMap(row.properties),
    device: {
      model: textOf(row.device_model),
      platform: PLATFORM_NAMES.indexOf(textOf(row.platform)) + 1,
    },
  };
}
