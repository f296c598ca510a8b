import type { Row } from '../engines/engine.ts';
import type { Links } from './links.ts';
import { textOf, timeOf, userProperties } from './records.ts';

/** A session; `deviceLocalDateTime` is when it began, on the app's clocks at `localTime`. */
export function sessionRecord(row: Row, links: Links, localTime: (millis: number) => string) {
  const sessionId = textOf(row.session_id);
  return {
    sessionId,
    url: links.session(sessionId),
    property: {
      uploadedServerTime: timeOf(row.uploaded_at),
      deviceLocalDateTime: localTime(Number(row.recorded_at)),
      offlineRecorded: row.offline === true,
      hasVideo: row.has_video === true,
      isCrashed: row.crashed === true,
      durationSec: Number(row.duration_sec),
      totalGesture: Number(row.gesture_count),
      totalScreen: Number(row.screen_count),
      uniqueScreensCount: Number(row.unique_screen_count),
      rageGestureCount: Number(row.rage_gesture_count),
      responsiveGestureCount: Number(row.responsive_gesture_count),
      unresponsiveGestureCount: Number(row.unresponsive_gesture_count),
      networkType: textOf(row.network_type),
    },
    user: { userProperty: userProperties(row), sessionNumber: Number(row.session_number) },
    device: {
      deviceId: textOf(row.device_id),
      model: textOf(row.device_model),
      producer: textOf(row.device_manufacturer),
      class: textOf(row.device_class),
      platform: textOf(row.platform),
      osName: textOf(row.os_name),
      osVersion: textOf(row.os_version),
      appVersion: textOf(row.app_version),
      sdkVersion: textOf(row.sdk_version),
      language: textOf(row.language),
    },
    location: {
      countryCode: textOf(row.country_code),
      country: textOf(row.country),
      city: textOf(row.city),
    },
  };
}
