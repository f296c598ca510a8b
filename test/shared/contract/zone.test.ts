import { describe, expect, test } from 'vitest';
import { spellingOfZone } from '../../../shared/contract/zone.ts';

describe('spellingOfZone', () => {
  test.each(Intl.supportedValuesOf('timeZone'))('accepts %s as the runtime lists it', (name) => {
    expect(spellingOfZone(name)).toBe(name);
  });

  const links = ['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires'];
  test.each([...links, 'UTC', 'Etc/UTC', 'GMT', 'US/Pacific', 'EST5EDT', 'Australia/ACT', 'NZ-CHAT'])(
    'accepts %s, whichever of its two names the runtime prefers',
    (name) => {
      expect(spellingOfZone(name)).toBe(name);
    },
  );

  test.each([
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['america/Port-Au-Prince', 'America/Port-au-Prince'],
  ])('corrects %s to %s', (name, spelling) => {
    expect(spellingOfZone(name)).toBe(spelling);
  });

  test.each(['asia/kolkata', 'ASIA/KOLKATA', 'us/pacific', 'Us/pacific'])(
    'does not accept the spelling %s',
    (name) => {
      expect(spellingOfZone(name)).not.toBe(name);
    },
  );

  test.each(['+02:00', 'Etc/Unknown', 'Berlin', ''])('returns undefined for "%s"', (name) => {
    expect(spellingOfZone(name)).toBeUndefined();
  });
});
