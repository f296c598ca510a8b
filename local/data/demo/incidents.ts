import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { BLOCK, blockOf, EPOCH, releaseAt, releasedAt, versionOf } from './calendar.ts';
import { between, chance, type Draw, drawsFor, oneOf, wholeBetween } from './draws.ts';
import type { EventName } from './funnel.ts';
import { COUNTRIES } from './people.ts';

/** The figure is multiplied by `factor` in [startsAt, endsAt). Both are full hours. */
interface During {
  startsAt: Millis;
  endsAt: Millis;
  factor: number;
}

/**
 * `rage-surge`: rage gestures in sessions that visit one screen in one app version. `new-users-drop`: new users on all
 * platforms, from the release of `appVersion` on. `event-stops`: one event in one country.
 */
export type Incident = During &
  (
    | { kind: 'rage-surge'; platform: 'android'; appVersion: string; screen: 'Checkout' }
    | { kind: 'new-users-drop'; appVersion: string }
    | { kind: 'event-stops'; eventName: string; countryCode: string; country: string }
  );

/** An incident as it is written and printed, with times in ISO 8601. */
export function writtenIncident({ startsAt, endsAt, ...incident }: Incident) {
  return { ...incident, startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
}

const GAP = 2 * DAY_MS;
/** All incidents end by then, so the last 4 days of a block have none. */
const LAST_END = 24 * DAY_MS;

/** Each of these events occurs at least sixty times a day, even on slow days, so that a stop can be detected. */
// biome-ignore format: a table
const STOPPABLE: readonly [Stoppable, ...Stoppable[]] = [
  ['view_item', 'DE'], ['view_item', 'US'], ['view_item', 'GB'], ['search', 'DE'], ['search', 'US'], ['search', 'GB'],
  ['view_category', 'DE'], ['add_to_cart', 'DE'],
];
type Stoppable = readonly [EventName, keyof typeof COUNTRIES];

/** Incidents that overlap [from, until), in time order. Each block of 28 days has one of each kind. */
export function incidentsBetween(seed: number, from: Millis, until: Millis): Incident[] {
  const blocks = Array.from({ length: blockOf(until) - blockOf(from) + 1 }, (_, i) => blockOf(from) + i);
  return blocks
    .flatMap((block) => incidentsOfBlock(seed, block))
    .filter((incident) => incident.startsAt < until && incident.endsAt > from);
}

export function isDuring(incident: Incident, at: Millis): boolean {
  return incident.startsAt <= at && at < incident.endsAt;
}

/** One of each kind, at least two days apart. The drop begins with a release; the others use the remaining time. */
function incidentsOfBlock(seed: number, block: number): Incident[] {
  const draw = drawsFor(seed, 'incidents', block);
  const blockAt = EPOCH + block * BLOCK;
  const firstRelease = releaseAt(blockAt) + 1;
  const dropsEarly = chance(draw, 0.5);

  const drop = newUsersDrop(draw, dropsEarly ? firstRelease : firstRelease + 1);
  const room = dropsEarly
    ? { startsAt: drop.endsAt + GAP, endsAt: blockAt + LAST_END }
    : { startsAt: blockAt, endsAt: drop.startsAt - GAP };

  const lengths: [number, number] = [hours(draw, 24, 60), hours(draw, 36, 72)];
  const surgeFirst = chance(draw, 0.5);
  const [first, second] = twoSpans(draw, room, surgeFirst ? lengths : [lengths[1], lengths[0]]);
  const others = surgeFirst
    ? [rageSurge(draw, first), eventStops(draw, second)]
    : [eventStops(draw, first), rageSurge(draw, second)];
  return dropsEarly ? [drop, ...others] : [...others, drop];
}

interface Span {
  startsAt: Millis;
  endsAt: Millis;
}

/** Two spans of the given lengths in `room`, in order, on full hours, with a gap between them. */
function twoSpans(draw: Draw, room: Span, [first, second]: readonly [number, number]): [Span, Span] {
  const slack = (room.endsAt - room.startsAt - first - GAP - second) / HOUR_MS;
  const [before, beforeSecond] = [wholeBetween(draw, 0, slack), wholeBetween(draw, 0, slack)].sort(
    (a, b) => a - b,
  ) as [number, number];
  const firstAt = room.startsAt + before * HOUR_MS;
  const secondAt = room.startsAt + beforeSecond * HOUR_MS + first + GAP;
  return [
    { startsAt: firstAt, endsAt: firstAt + first },
    { startsAt: secondAt, endsAt: secondAt + second },
  ];
}

function newUsersDrop(draw: Draw, release: number): Incident {
  const startsAt = releasedAt(release);
  const endsAt = startsAt + hours(draw, 3 * 24, 5 * 24);
  return {
    kind: 'new-users-drop',
    startsAt,
    endsAt,
    factor: rounded(between(draw, 0.25, 0.5)),
    appVersion: versionOf(release),
  };
}

function rageSurge(draw: Draw, { startsAt, endsAt }: Span): Incident {
  const factor = rounded(between(draw, 6, 15));
  const appVersion = versionOf(mostUsedRelease((startsAt + endsAt) / 2));
  return {
    kind: 'rage-surge',
    startsAt,
    endsAt,
    factor,
    platform: 'android',
    appVersion,
    screen: 'Checkout',
  };
}

function eventStops(draw: Draw, { startsAt, endsAt }: Span): Incident {
  const [eventName, countryCode] = oneOf(draw, STOPPABLE);
  const country = COUNTRIES[countryCode];
  return { kind: 'event-stops', startsAt, endsAt, factor: 0, eventName, countryCode, country };
}

/** The most used release. A new one needs two days to reach half of the users. */
function mostUsedRelease(at: Millis): number {
  return releaseAt(at - 2 * DAY_MS);
}

function hours(draw: Draw, low: number, high: number): number {
  return wholeBetween(draw, low, high) * HOUR_MS;
}

function rounded(factor: number): number {
  return Math.round(factor * 100) / 100;
}
