/** Properties that PostHog adds to events. */
const PROPERTIES = {
  os_name: '$os',
  device_id: '$device_id',
  device_type: '$device_type',
  device_model: '$device_model',
  device_manufacturer: '$device_manufacturer',
  browser_name: '$browser',
  browser_version: '$browser_version',
  country: '$geoip_country_name',
  country_code: '$geoip_country_code',
  city: '$geoip_city_name',
  utm: 'utm_campaign',
  language: '$browser_language',
  referer: '$referrer',
  referer_domain: '$referring_domain',
};
/** Always text: PostHog may take 5.2 for a number. */
const VERSIONS = { app_version: '$app_version', sdk_version: '$lib_version', os_version: '$os_version' };

const mapped = (properties: Readonly<Record<string, string>>, sqlOf: (property: string) => string) =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, { sql: sqlOf(property) }]));

/** The columns of an event in the table `events` of a project (https://posthog.com/docs/sql). */
export const POSTHOG_COLUMNS = {
  event_id: 'uuid',
  event_name: 'event',
  recorded_at: 'timestamp',
  uploaded_at: 'created_at',
  user_id: { sql: 'events.person_id' },
  session_id: '$session_id',
  properties: 'properties',
  screen_name: { sql: 'coalesce(events.properties.$screen_name, events.properties.$pathname)' },
  // Never NULL: then no other column is read to find the event that describes a session.
  platform: { sql: "if(events.properties.$lib = 'web', 'web', coalesce(events.properties.$os, 'web'))" },
  ...mapped(PROPERTIES, (property) => `events.properties.${property}`),
  ...mapped(VERSIONS, (property) => `JSONExtractString(events.properties, '${property}')`),
  crashed: { sql: 'false' },
  has_video: { sql: 'false' },
  offline: { sql: 'false' },
};
