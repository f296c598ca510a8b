import * as z from 'zod';
import type { RangeQuestion, ReadingRow } from '../readings/reading.ts';
import { contentHash } from '../text/content-hash.ts';
import { quoted } from '../text/quoted.ts';
import { segmentValues } from '../text/segment-name.ts';
import type { Window } from '../time/window.ts';
import { lazy } from '../units/lazy.ts';
import { FROM_DATA, type Note } from './note.ts';

export const appVersionsSchema = z.object({
  /** When they were last asked for, in epoch milliseconds. */
  askedAt: z.number(),
  /** Segments of platform and version, such as `android, 7.22.0`, the last seen first. `null`: none were ever seen. */
  known: z.array(z.string()).nullable(),
});
/** The versions of an app that get no note any more. */
export type AppVersions = z.infer<typeof appVersionsSchema>;

/** All sessions of an hour, by platform and version. */
export interface VersionHour {
  window: Window;
  rows: ReadingRow[];
}

/** A version that reached its share in the hour that starts at `at`. */
interface ReachedVersion {
  segment: string;
  at: number;
}

/** Hours of one question: the day since the last one, and the day before, in case that one failed. */
export const VERSION_HOURS = 48;

/** The share of a platform's sessions that makes a version a release: more than testers and the first users. */
const SHARE = 0.05;
/** Sessions over which the share is computed: as few hours as have so many, so that a quiet hour has no share alone. */
const ENOUGH_SESSIONS = 400;
const MOST_HOURS = 24;
const LEAST_SESSIONS = SHARE * ENOUGH_SESSIONS;

const MOST_KNOWN = 300;
/** Longer texts are not versions that a chart could name. */
const LONGEST_VERSION = 40;

/** All rows of two days fit into one answer. */
const PLATFORMS = 3;
const VERSIONS = 50;

const SESSIONS = 'session_count';

/** The question about `windows`, which are consecutive hours of `zone`. */
export function versionQuestion(app: string, zone: string, windows: Window[]): RangeQuestion {
  return {
    app,
    endpoint: 'session',
    calendar: { grain: 'hour', zone },
    filters: [],
    segmentBy: { attribute: 'device_platform', max_group_number: PLATFORMS },
    thenBy: { attribute: 'app_version', max_group_number: VERSIONS },
    aggregations: [{ attribute: SESSIONS }],
    windows,
    inOneAnswer: true,
  };
}

/**
 * The versions that are known after `hours` (oldest first), and those among them that were not and have reached their
 * share. The first versions ever seen are all known, because nothing says when they came.
 */
export function newVersions(
  known: readonly string[] | null,
  hours: readonly VersionHour[],
): { known: string[] | null; reached: ReachedVersion[] } {
  const counted = hours.map(countedHour);
  const seen = [...new Set(counted.flatMap(({ ofVersion }) => [...ofVersion.keys()]))];
  if (known === null) return { known: seen.length > 0 ? seen : null, reached: [] };
  const before = new Set(known);
  const reached = seen.flatMap((segment): ReachedVersion[] => {
    const hour = before.has(segment) ? undefined : hourOfShare(segment, counted);
    return hour ? [{ segment, at: hour.startAt }] : [];
  });
  const seenAgain = seen.filter((segment) => before.has(segment));
  const all = [...reached.map(({ segment }) => segment), ...seenAgain, ...before];
  return { known: [...new Set(all)].slice(0, MOST_KNOWN), reached };
}

interface CountedHour {
  startAt: number;
  ofPlatform: Map<string, number>;
  ofVersion: Map<string, number>;
}

/** Sessions without a version, and those of folded versions, count for their platform only. */
function countedHour({ window, rows }: VersionHour): CountedHour {
  const counted: CountedHour = { startAt: window.startAt, ofPlatform: new Map(), ofVersion: new Map() };
  for (const { segment = '', isRest, current } of rows) {
    const { platform, version } = partsOf(segment);
    const sessions = current?.[SESSIONS] ?? 0;
    counted.ofPlatform.set(platform, (counted.ofPlatform.get(platform) ?? 0) + sessions);
    if (sessions > 0 && !isRest && isVersion(version)) counted.ofVersion.set(segment, sessions);
  }
  return counted;
}

/** The first hour in which the version has its share, once it has it over enough sessions. */
function hourOfShare(segment: string, hours: CountedHour[]): CountedHour | undefined {
  const { platform } = partsOf(segment);
  const sessionsIn = (some: CountedHour[]) => sumOf(some.map(({ ofVersion }) => ofVersion.get(segment)));
  const hasShare = (some: CountedHour[]) => {
    const sessions = sessionsIn(some);
    return sessions > 0 && sessions >= SHARE * sumOf(some.map(({ ofPlatform }) => ofPlatform.get(platform)));
  };
  for (let end = 1; end <= hours.length; end++) {
    const last = lastHours(hours.slice(Math.max(0, end - MOST_HOURS), end), platform);
    if (sessionsIn(last) >= LEAST_SESSIONS && hasShare(last)) return last.find((hour) => hasShare([hour]));
  }
  return undefined;
}

/** As few of the last hours as have enough sessions of the platform together. */
function lastHours(hours: CountedHour[], platform: string): CountedHour[] {
  let sessions = 0;
  const first = hours.findLastIndex(({ ofPlatform }) => {
    sessions += ofPlatform.get(platform) ?? 0;
    return sessions >= ENOUGH_SESSIONS;
  });
  return hours.slice(Math.max(0, first));
}

function sumOf(counts: (number | undefined)[]): number {
  return counts.reduce<number>((sum, count = 0) => sum + count, 0);
}

function partsOf(segment: string): { platform: string; version: string } {
  const [platform = '', version = ''] = segmentValues(segment);
  return { platform, version };
}

const EMPTY_TEXT = '""';

function isVersion(version: string): boolean {
  return version !== '' && version !== EMPTY_TEXT && version.length <= LONGEST_VERSION;
}

const NAMES: Record<string, string> = { android: 'Android', ios: 'iOS', web: 'Web' };
const LIST = lazy(() => new Intl.ListFormat('en-GB'));

/** The notes of versions: one for a release on several platforms in the same hour. A repeat has the same ids. */
export function versionNotes(app: string, reached: readonly ReachedVersion[]): Note[] {
  const releases = Map.groupBy(reached, ({ segment, at }) => `${at} ${partsOf(segment).version}`);
  return [...releases.values()].flatMap((same): Note[] => {
    const [first] = same;
    if (!first) return [];
    const segments = same.map(({ segment }) => segment).toSorted();
    const platforms = segments.map((segment) => partsOf(segment).platform).filter((name) => name !== '');
    const names = LIST().format(platforms.map((platform) => NAMES[platform] ?? platform));
    const text = `${quoted(`${names} ${partsOf(first.segment).version}`)} reached ${100 * SHARE}% of sessions`;
    return [{ id: contentHash({ app, segments }), text, app, at: first.at, by: FROM_DATA }];
  });
}
