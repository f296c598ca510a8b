import { describe, expect, test } from 'vitest';
import { spellingOfZone } from '../../../shared/analytics/zone.ts';

describe('the spelling of a zone', () => {
  test.each(Intl.supportedValuesOf('timeZone'))('%s is right as the machine lists it', (name) => {
    expect(spellingOfZone(name)).toBe(name);
  });

  const links = ['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires'];
  test.each([...links, 'UTC', 'Etc/UTC', 'GMT', 'US/Pacific', 'EST5EDT', 'Australia/ACT', 'NZ-CHAT'])(
    '%s is right, whichever name of the two the machine prefers',
    (name) => {
      expect(spellingOfZone(name)).toBe(name);
    },
  );

  test.each([
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['america/Port-Au-Prince', 'America/Port-au-Prince'],
  ])('%s is %s', (name, spelling) => {
    expect(spellingOfZone(name)).toBe(spelling);
  });

  test.each(['asia/kolkata', 'ASIA/KOLKATA', 'us/pacific', 'Us/pacific'])('%s is none', (name) => {
    expect(spellingOfZone(name)).not.toBe(name);
  });

  test.each(['+02:00', 'Etc/Unknown', 'Berlin', ''])('"%s" has none', (name) => {
    expect(spellingOfZone(name)).toBeUndefined();
  });
});
