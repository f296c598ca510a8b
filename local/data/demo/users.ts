import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { growthAt, type Intensity } from './calendar.ts';
import { chance, type Draw, drawsFor, gammaAroundOne, logNormal, poisson } from './draws.ts';
import { type Incident, isDuring } from './incidents.ts';
import { type Person, personFrom } from './people.ts';

export interface User extends Person {
  id: string;
  /** Start of the hour of their first visit. */
  firstHourAt: Millis;
}

/** A session before its events are generated. */
export interface Visit {
  user: User;
  /** Counts from 1. */
  number: number;
  startAt: Millis;
  durationMs: number;
  steps: number;
}

/** Users do not return later than this after the first visit. */
export const LIFETIME_DAYS = 90;

const NEW_USERS_PER_HOUR = 4.9;
/** An average user returns on day k with probability INTEREST / (k + 1.6). */
const INTEREST = 0.9;
const ANOTHER_VISIT_SAME_DAY = 0.47;
const PAUSE = 5 * MINUTE_MS;

/** Users with their first visit in the hour that begins at `hourAt`. */
export function newUsersOf(
  seed: number,
  hourAt: Millis,
  intensity: Intensity,
  incidents: Incident[],
): User[] {
  const drop = incidents.find((each) => each.kind === 'new-users-drop' && isDuring(each, hourAt));
  const mean = NEW_USERS_PER_HOUR * intensity(hourAt) * growthAt(hourAt) * (drop?.factor ?? 1);
  const count = poisson(drawsFor(seed, 'new users', hourAt), mean);
  return Array.from({ length: count }, (_, index) => userOf(seed, hourAt, index + 1));
}

/** The n-th user of an hour: `u26092114-3` is the third at 14:00 UTC on 21 September 2026. */
function userOf(seed: number, firstHourAt: Millis, n: number): User {
  const hour = new Date(firstHourAt).toISOString().slice(2, 13).replace(/\D/g, '');
  const id = `u${hour}-${n}`;
  return { id, firstHourAt, ...personFrom(drawsFor(seed, 'user', id), id) };
}

/**
 * All visits of a user, in order and without overlap. The probability of a visit on a day depends on the attachment
 * of the user and the days since the first visit. The hour depends on the traffic of that day.
 */
export function* visitsOf(seed: number, user: User, intensity: Intensity): Generator<Visit, void> {
  const draw = drawsFor(seed, 'visits', user.id);
  const attachment = gammaAroundOne(draw, 0.9);
  let number = 0;
  let freeAt = user.firstHourAt;
  for (let age = 0; age <= LIFETIME_DAYS; age++) {
    for (const startAt of startsOn(draw, user, { age, attachment, intensity })) {
      const steps = Math.min(80, Math.max(1, Math.round(logNormal(draw, 3.9, 0.85))));
      const durationMs = Math.min(3 * HOUR_MS, Math.round(steps * logNormal(draw, 24_000, 0.8)));
      if (startAt < freeAt) continue;
      number += 1;
      freeAt = startAt + durationMs + PAUSE;
      yield { user, number, startAt, durationMs, steps };
    }
  }
}

/** Start times of a user's visits, in order, on the day `age` days after the first. */
function startsOn(
  draw: Draw,
  user: User,
  { age, attachment, intensity }: { age: number; attachment: number; intensity: Intensity },
): Millis[] {
  const dayAt = user.firstHourAt + age * DAY_MS;
  if (age > 0) {
    // Draws before it computes the mean: the first test is cheap and rejects most days.
    const luck = draw();
    const interest = (attachment * INTEREST) / (age + 1.6);
    if (luck > 3 * interest || luck > interest * meanIntensity(dayAt, intensity)) return [];
  }
  const starts = [age === 0 ? user.firstHourAt + draw() * HOUR_MS : busyTime(draw, dayAt, intensity)];
  while (chance(draw, ANOTHER_VISIT_SAME_DAY)) starts.push(busyTime(draw, dayAt, intensity));
  const [first = dayAt] = starts;
  return (age === 0 ? starts.filter((at) => at >= first) : starts).map(Math.floor).sort((a, b) => a - b);
}

function meanIntensity(dayAt: Millis, intensity: Intensity): number {
  let total = 0;
  for (let hour = 0; hour < 24; hour++) total += intensity(dayAt + hour * HOUR_MS);
  return total / 24;
}

/** A time in the 24 hours from `dayAt`, weighted by traffic. */
function busyTime(draw: Draw, dayAt: Millis, intensity: Intensity): Millis {
  let left = draw() * 24 * meanIntensity(dayAt, intensity);
  let hourAt = dayAt;
  for (; hourAt < dayAt + 23 * HOUR_MS; hourAt += HOUR_MS) {
    left -= intensity(hourAt);
    if (left < 0) break;
  }
  return hourAt + draw() * HOUR_MS;
}
