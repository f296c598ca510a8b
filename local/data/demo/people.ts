import type { SessionRow } from '../rows.ts';
import { chance, type Draw, logNormal, oneOf, type Weighted, weighted } from './draws.ts';

// biome-ignore format: a table
const COUNTRY_SHARES = [
  ['DE', 36], ['US', 15], ['GB', 13], ['FR', 9], ['AT', 7], ['NL', 6], ['ES', 5], ['IT', 4], ['CH', 3], ['PL', 2],
] as const;
type CountryCode = (typeof COUNTRY_SHARES)[number][0];

interface Country {
  name: string;
  language: string;
  cities: readonly [string, ...string[]];
}

export const COUNTRIES: Record<CountryCode, Country> = {
  DE: { name: 'Germany', language: 'de', cities: ['Berlin', 'Hamburg', 'Munich', 'Cologne'] },
  US: { name: 'United States', language: 'en', cities: ['New York', 'Chicago', 'Austin'] },
  GB: { name: 'United Kingdom', language: 'en', cities: ['London', 'Manchester', 'Leeds'] },
  FR: { name: 'France', language: 'fr', cities: ['Paris', 'Lyon'] },
  AT: { name: 'Austria', language: 'de', cities: ['Vienna', 'Graz'] },
  NL: { name: 'Netherlands', language: 'nl', cities: ['Amsterdam', 'Utrecht'] },
  ES: { name: 'Spain', language: 'es', cities: ['Madrid', 'Valencia'] },
  IT: { name: 'Italy', language: 'it', cities: ['Milan', 'Rome'] },
  CH: { name: 'Switzerland', language: 'de', cities: ['Zurich', 'Basel'] },
  PL: { name: 'Poland', language: 'pl', cities: ['Warsaw', 'Krakow'] },
};

type Platform = SessionRow['platform'];
// biome-ignore format: a table
const PLATFORM_SHARES = [['android', 46], ['ios', 32], ['web', 22]] as const satisfies Weighted<Platform>[];

/** The device columns of sessions. */
type Device = Partial<
  Pick<
    SessionRow,
    | 'device_model'
    | 'device_manufacturer'
    | 'device_class'
    | 'device_type'
    | 'os_name'
    | 'os_version'
    | 'browser_name'
    | 'browser_version'
  >
>;

const DEVICES: Record<Platform, readonly [Weighted<Device>, ...Weighted<Device>[]]> = {
  android: [
    [android('Galaxy S24', 'Samsung', '15', 'high'), 30],
    [android('Galaxy A15', 'Samsung', '14', 'low'), 28],
    [android('Pixel 8', 'Google', '15', 'high'), 16],
    [android('Redmi Note 13', 'Xiaomi', '14', 'medium'), 18],
    [android('Moto G54', 'Motorola', '13', 'medium'), 8],
  ],
  ios: [
    [ios('iPhone 15', '18.1', 'high'), 40],
    [ios('iPhone 13', '17.6', 'medium'), 38],
    [ios('iPhone SE', '16.7', 'low'), 14],
    [ios('iPad Air', '18.1', 'high'), 8],
  ],
  web: [
    [browser('Chrome', '141', 'Windows', 'desktop'), 44],
    [browser('Safari', '18', 'macOS', 'desktop'), 20],
    [browser('Firefox', '143', 'Linux', 'desktop'), 12],
    [browser('Chrome Mobile', '141', 'Android', 'mobile'), 24],
  ],
};

// biome-ignore format: a table
const FIRST_NAMES = [
  'Anna', 'Ben', 'Clara', 'David', 'Elif', 'Finn', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kaya', 'Lena', 'Milan',
  'Nora', 'Oskar', 'Paula', 'Ravi', 'Sofia', 'Theo', 'Zoe',
] as const;
// biome-ignore format: a table
const LAST_NAMES = [
  'Becker', 'Costa', 'Dubois', 'Evans', 'Fischer', 'Garcia', 'Huber', 'Jansen', 'Kaya', 'Lehmann', 'Moretti',
  'Novak', 'Okafor', 'Patel', 'Rossi', 'Schmidt', 'Taylor', 'Vogel', 'Weber', 'Young',
] as const;

// biome-ignore format: a table
const PLANS = [['free', 78], ['plus', 17], ['pro', 5]] as const satisfies Weighted<string>[];

/** Attributes of a user that are the same in all sessions. */
export interface Person {
  platform: Platform;
  countryCode: CountryCode;
  plan: string;
  /** Days until they install an update; 0 on the web. */
  updateLagDays: number;
  /** Columns of all their sessions. */
  columns: Partial<SessionRow> & Pick<SessionRow, 'platform' | 'user_properties'>;
}

export function personFrom(draw: Draw, userId: string): Person {
  const platform = weighted(draw, PLATFORM_SHARES);
  const countryCode = weighted(draw, COUNTRY_SHARES);
  const { name: country, language, cities } = COUNTRIES[countryCode];
  const plan = weighted(draw, PLANS);
  const updateLagDays = platform === 'web' ? 0 : logNormal(draw, 2, 1);
  const city = oneOf(draw, cities);
  const name = `${oneOf(draw, FIRST_NAMES)} ${oneOf(draw, LAST_NAMES)}`;
  const isRegistered = chance(draw, 0.6);
  const newsletter = chance(draw, 0.35);
  return {
    platform,
    countryCode,
    plan,
    updateLagDays,
    columns: {
      platform,
      ...(isRegistered && { user_name: name }),
      ...weighted(draw, DEVICES[platform]),
      device_id: `${userId}-device`,
      language,
      country_code: countryCode,
      country,
      city,
      user_properties: JSON.stringify({ plan, newsletter }),
    },
  };
}

function android(model: string, manufacturer: string, osVersion: string, deviceClass: string): Device {
  return {
    device_model: model,
    device_manufacturer: manufacturer,
    device_class: deviceClass,
    os_name: 'Android',
    os_version: osVersion,
  };
}

function ios(model: string, osVersion: string, deviceClass: string): Device {
  return {
    device_model: model,
    device_manufacturer: 'Apple',
    device_class: deviceClass,
    os_name: 'iOS',
    os_version: osVersion,
  };
}

function browser(name: string, version: string, osName: string, type: string): Device {
  return { browser_name: name, browser_version: version, os_name: osName, device_type: type };
}
