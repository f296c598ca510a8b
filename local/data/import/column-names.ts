import { attributeOf, FIELDS, type Field, namesOf, titleOf } from './fields.ts';

/**
 * Names of fields in other tools and tables. Names in the second list are ambiguous: they count only if no
 * column has a name in the first. Fields that rules cannot use are omitted and stay properties. `uploaded_at` is
 * omitted too, because it is often the time at which a table was copied.
 */
const NAMES: Partial<Record<Field, readonly [sure: string, weaker?: string]>> = {
  event_name: ['event event_type event_title event_key event_action action', 'name type activity'],
  user_id: [
    'user uid user_uuid distinct_id customer_id anonymous_id user_pseudo_id visitor_id member_id ' +
      'profile_id amplitude_id',
    'customer client client_id visitor member account_id',
  ],
  recorded_at: [
    'timestamp time ts datetime event_time event_timestamp event_datetime event_at event_ts occurred_at ' +
      'happened_at timestamp_ms time_ms epoch epoch_ms unix_time unix_timestamp utc_time timestamp_utc',
    'at date day created_at sent_at original_timestamp client_event_time event_date',
  ],
  event_id: ['insert_id message_id event_uuid', 'uuid'],
  session_id: ['session session_uuid visit_id ga_session_id'],
  screen_name: ['screen page page_name view_name', 'path page_path'],
  properties: ['props event_properties event_props params attributes', 'data payload metadata'],
  user_properties: ['user_props user_attributes person_properties traits'],
  user_name: ['username'],
  platform: ['os_platform'],
  device_id: ['device_uuid installation_id'],
  device_type: ['device_category'],
  device_model: ['model', 'device'],
  device_manufacturer: ['manufacturer brand device_brand'],
  os_name: ['os operating_system'],
  os_version: ['os_ver system_version operating_system_version'],
  app_version: [
    'version version_name app_ver app_version_string app_info_version client_version',
    'release app_release',
  ],
  sdk_version: ['lib_version library_version'],
  country: ['country_name geoip_country_name', 'country_code mp_country_code geoip_country_code'],
  city: ['city_name geoip_city_name'],
  browser_name: ['browser'],
  referer: ['referrer page_referrer'],
  referer_domain: ['referring_domain referrer_domain'],
  utm: ['utm_campaign', 'campaign'],
  crashed: ['is_crashed'],
};

/** Rates how well a column name matches a field: lower is surer. Nested values rank lower than columns. */
export const EXACT = 0;
export type Rank = 0 | 1 | 1.5 | 2;

const WITHIN = 1.5;

/** Normalizes a name for comparison: "User ID" matches `user_id`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
const plainWords = (names = ''): string[] => names.split(' ').filter(Boolean).map(plain);

const RANKED = new Map(
  (Object.keys(NAMES) as Field[]).map((field) => {
    const [sure, weaker] = NAMES[field] ?? [''];
    return [field, { sure: plainWords(sure), weaker: plainWords(weaker) }] as const;
  }),
);

/** Other accepted column names of a field, besides its title. */
export function usualNamesOf(field: Field): string[] {
  const usual = (NAMES[field] ?? []).flatMap((names) => names?.split(' ') ?? []);
  const isOther = (name: string): boolean => FIELDS.some((other) => other === name);
  return [
    ...namesOf(field).filter((name) => name !== titleOf(field)),
    ...usual.filter((name) => !isOther(name)),
  ];
}

/** The rank of a column name or path for a field; `undefined` if it does not match. */
export function rankOf(field: Field, column: string): Rank | undefined {
  if (namesOf(field).includes(column)) return EXACT;
  const isAsked = attributeOf(field) !== undefined || RANKED.has(field);
  if (!isAsked) return undefined;
  const path = column.split('.');
  const isSure = (name: string): boolean =>
    namesOf(field).map(plain).includes(name) || RANKED.get(field)?.sure.includes(name) === true;
  const isWeaker = (name: string): boolean => RANKED.get(field)?.weaker.includes(name) === true;
  const names = path.length === 1 ? [plain(column)] : namesWithin(path);
  if (names.some(isSure)) return path.length === 1 ? 1 : WITHIN;
  return names.some(isWeaker) && (path.length === 1 || isOfATool(path.at(-1) ?? '')) ? 2 : undefined;
}

/** Containers of custom properties: `name` in them can be the name of anything. */
const PROPERTIES = ['properties', 'eventproperties', 'props', 'params', 'data', 'payload'];
/** Containers that can be left out of a name: `geo.country` is `country`. */
const NEUTRAL = ['context', 'geo', 'geoip', 'location', 'device', 'meta', 'metadata'];

/** Normalized names of a nested value: `context.os.name` is "osname". */
function namesWithin(path: readonly string[]): string[] {
  const [outer = '', ...inner] = path;
  if (PROPERTIES.includes(plain(outer)))
    return inner.length === 1 && isOfATool(inner[0] ?? '') ? [plain(inner[0] ?? '')] : [];
  const names = [plain(path.join(''))];
  return NEUTRAL.includes(plain(outer)) && inner.length > 0 ? [...names, ...namesWithin(inner)] : names;
}

/** Analytics tools mark the properties that they add themselves. */
function isOfATool(name: string): boolean {
  return (
    name.startsWith('$') || name.startsWith('mp_') || ['distinct_id', 'time', 'insert_id'].includes(name)
  );
}
