import type { SessionRow } from '../rows.ts';
import { type Draw, logNormal, type Weighted, weighted } from './draws.ts';

// biome-ignore format: a table
const COUNTRY_SHARES = [
  ['DE', 36], ['US', 15], ['GB', 13], ['FR', 9], ['AT', 7], ['NL', 6], ['ES', 5], ['IT', 4], ['CH', 3], ['PL', 2],
] as const;
type CountryCode = (typeof COUNTRY_SHARES)[number][0];

// biome-ignore format: a table
export const COUNTRIES: Record<CountryCode, string> = {
  DE: 'Germany', US: 'United States', GB: 'United Kingdom', FR: 'France', AT: 'Austria', NL: 'Netherlands',
  ES: 'Spain', IT: 'Italy', CH: 'Switzerland', PL: 'Poland',
};

type Platform = SessionRow['platform'];
// biome-ignore format: a table
const PLATFORM_SHARES = [['android', 46], ['ios', 32], ['web', 22]] as const satisfies Weighted<Platform>[];

type Device = Partial<
  Pick<
    SessionRow,
    'device_model' | 'device_manufacturer' | 'device_type' | 'os_name' | 'os_version' | 'browser_name'
  >
>;

const DEVICES: Record<Platform, readonly [Weighted<Device>, ...Weighted<Device>[]]> = {
  android: [
    [android('Galaxy S24', 'Samsung', '15'), 30],
    [android('Galaxy A15', 'Samsung', '14'), 28],
    [android('Pixel 8', 'Google', '15'), 16],
    [android('Redmi Note 13', 'Xiaomi', '14'), 18],
    [android('Moto G54', 'Motorola', '13'), 8],
  ],
  ios: [
    [ios('iPhone 15', '18.1'), 40],
    [ios('iPhone 13', '17.6'), 38],
    [ios('iPhone SE', '16.7'), 14],
    [ios('iPad Air', '18.1'), 8],
  ],
  web: [
    [browser('Chrome', 'Windows', 'desktop'), 44],
    [browser('Safari', 'macOS', 'desktop'), 20],
    [browser('Firefox', 'Linux', 'desktop'), 12],
    [browser('Chrome Mobile', 'Android', 'mobile'), 24],
  ],
};

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
  const plan = weighted(draw, PLANS);
  const updateLagDays = platform === 'web' ? 0 : logNormal(draw, 2, 1);
  return {
    platform,
    countryCode,
    plan,
    updateLagDays,
    columns: {
      platform,
      ...weighted(draw, DEVICES[platform]),
      device_id: `${userId}-device`,
      country_code: countryCode,
      country: COUNTRIES[countryCode],
      user_properties: JSON.stringify({ plan }),
    },
  };
}

function android(model: string, manufacturer: string, osVersion: string): Device {
  return {
    device_model: model,
    device_manufacturer: manufacturer,
    os_name: 'Android',
    os_version: osVersion,
  };
}

function ios(model: string, osVersion: string): Device {
  return { device_model: model, device_manufacturer: 'Apple', os_name: 'iOS', os_version: osVersion };
}

function browser(name: string, osName: string, type: string): Device {
  return { browser_name: name, os_name: osName, device_type: type };
}
