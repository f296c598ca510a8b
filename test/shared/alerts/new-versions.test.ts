import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newVersions, type VersionHour, versionNotes } from '../../../shared/alerts/new-versions.ts';
import { segmentName } from '../../../shared/text/segment-name.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY } from '../../fixtures/builders.ts';

/** Sessions of one hour: "platform version" or "platform" alone for those without a version. */
type Sessions = Record<string, number>;

function hoursOf(...sessions: Sessions[]): VersionHour[] {
  return sessions.map((counts, i) => ({
    window: { startAt: MONDAY + i * HOUR_MS, endAt: MONDAY + (i + 1) * HOUR_MS },
    rows: Object.entries(counts).map(([name, session_count]) => {
      const [platform = '', version = ''] = name.split(' ');
      const segment = segmentName([platform, version]);
      return { segment, current: { session_count }, ...(version === 'others' && { isRest: true as const }) };
    }),
  }));
}

const times = (count: number, sessions: Sessions) => Array.from({ length: count }, () => sessions);
const KNOWN = ['android, 7.21', 'ios, 7.21'];
const before = { 'android 7.21': 1000, 'ios 7.21': 1000 };

/** "segment at hour" of each version that reached its share. */
function reachedIn(hours: Sessions[], known: string[] | null = KNOWN): string[] {
  return newVersions(known, hoursOf(...hours)).reached.map(
    ({ segment, at }) => `${segment} at ${(at - MONDAY) / HOUR_MS}`,
  );
}

describe('newVersions', () => {
  const release = { 'android 7.22': 300 };
  const staged = [10, 30, 50, 60].map((sessions) => ({ ...before, 'android 7.22': sessions }));
  const tester = { 'ios 7.21': 30, 'ios 8.0-beta': 1 };
  const night = { 'ios 7.21': 2, 'ios 8.0-beta': 25 };
  const rollback = { 'ios 7.21': 1000, 'ios 7.20': 900 };
  const BOTH = ['ios, 7.21', 'ios, 7.20'];

  it.each<[says: string, hours: Sessions[], expected?: string | undefined, known?: string[] | null]>([
    [
      'a release, in the hour of its share',
      [before, before, { ...before, 'android 7.22': 60 }, { ...before, ...release }],
      'android, 7.22 at 2',
    ],
    ['a staged release, in the hour in which its share is reached', staged, 'android, 7.22 at 3'],
    [
      'a release on each platform for itself, by the share of its platform',
      [{ 'android 7.21': 100_000, 'android 7.22': 60, 'ios 7.21': 500, 'ios 7.22': 60 }],
      'ios, 7.22 at 0',
    ],
    [
      'the release of a small app, over several hours',
      [...times(6, { 'ios 7.21': 40 }), ...times(10, { 'ios 7.21': 32, 'ios 7.22': 8 })],
      'ios, 7.22 at 6',
    ],
    ["nothing for a tester's build", [...times(40, { 'ios 7.21': 30 }), ...times(8, tester)]],
    [
      'nothing for a tester at night, who has most of the sessions of an hour',
      [...times(20, before), night, ...times(20, before)],
    ],
    [
      'nothing for a version that needs two days for 20 sessions',
      times(24, {}).flatMap((hour) => [hour, { 'ios 7.22': 1 }]),
    ],
    ['nothing for ten sessions of ten', [{ 'ios 7.22': 10 }]],
    ['nothing for a rollback to a known version', [rollback], undefined, BOTH],
    ['nothing in the first answer', [before], undefined, null],
    ['nothing for web without a version', [{ web: 1000, 'web ""': 1000, 'web others': 1000 }]],
    ['nothing for a text that is no version', [{ [`web ${'x'.repeat(41)}`]: 1000 }]],
  ])('finds %s', (_, hours, expected, known) => {
    expect(reachedIn(hours, known)).toEqual(expected ? [expected] : []);
  });

  it('takes the first versions of an app that had none as known', () => {
    const { known } = newVersions(null, hoursOf({ web: 1000, 'ios 7.22': 0 }));
    expect(reachedIn([{ web: 1000, 'web 3': 1000 }], known)).toEqual([]);
  });

  it('does not find a version again that returns after a pause', () => {
    const { known } = newVersions(KNOWN, hoursOf({ 'ios 7.22': 500 }));
    const paused = newVersions(known, hoursOf(...times(48, before)));
    expect(newVersions(paused.known, hoursOf({ 'ios 7.22': 500 })).reached).toEqual([]);
  });

  it('finds a version that was too small for a note when it was first seen', () => {
    const { known, reached } = newVersions(KNOWN, hoursOf({ ...before, 'ios 7.22': 5 }));
    expect(reached).toEqual([]);
    expect(reachedIn([{ ...before, 'ios 7.22': 500 }], known)).toEqual(['ios, 7.22 at 0']);
  });

  it('keeps 300 known versions, and forgets those that were not seen for the longest time', () => {
    const old = Array.from({ length: 300 }, (_, i) => `ios, 1.${i}`);
    const { known } = newVersions(old, hoursOf({ 'ios 1.299': 500, 'ios 2.0': 500 }));
    expect(known).toHaveLength(300);
    expect(known?.slice(0, 3)).toEqual(['ios, 2.0', 'ios, 1.299', 'ios, 1.0']);
  });

  it('finds a version once in any order of answers, also repeated ones', () => {
    const names = ['ios 1', 'ios 2', 'ios 3', 'android 1', 'web 1', 'web'];
    const hour = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 0, max: 600 }));
    const answers = fc.array(fc.array(hour, { minLength: 1, maxLength: 5 }), { maxLength: 12 });
    fc.assert(
      fc.property(answers, (all) => {
        let known: string[] | null = null;
        const found = [...all, ...all].flatMap((hours) => {
          const next = newVersions(known, hoursOf(...hours));
          known = next.known;
          return next.reached.map(({ segment }) => segment);
        });
        expect(found).toEqual([...new Set(found)]);
      }),
    );
  });
});

describe('versionNotes', () => {
  const at = MONDAY;
  it.each([
    [['ios, 7.22.0'], 'iOS 7.22.0 reached 5% of sessions'],
    [['android, 7.22 (881)'], 'Android 7.22 (881) reached 5% of sessions'],
    [['web, 3', 'ios, 3', 'android, 3'], 'Android, iOS and Web 3 reached 5% of sessions'],
    [['(none), 3'], '3 reached 5% of sessions'],
    [['ios, 7\n22'], 'iOS 7 22 reached 5% of sessions'],
  ])('of %j say %j, and that they come from the data', (segments, text) => {
    const reached = segments.map((segment) => ({ segment, at }));
    expect(versionNotes('shop', reached)).toMatchObject([{ text, app: 'shop', at, by: 'data' }]);
  });

  it('have the same ids in a repeat, and others for another app', () => {
    const reached = [
      { segment: 'ios, 7.22', at },
      { segment: 'web, 7.22', at },
    ];
    const idsOf = (...args: Parameters<typeof versionNotes>) => versionNotes(...args).map(({ id }) => id);
    expect(idsOf('shop', reached.toReversed())).toEqual(idsOf('shop', reached));
    expect(idsOf('bank', reached)).not.toEqual(idsOf('shop', reached));
  });
});
