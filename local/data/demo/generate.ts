import type { Millis } from '../../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import type { RowBatch } from '../rows.ts';
import { EPOCH, hourOf, intensityFor } from './calendar.ts';
import { incidentsBetween } from './incidents.ts';
import { recordVisit } from './sessions.ts';
import { LIFETIME_DAYS, newUsersOf, type Visit, visitsOf } from './users.ts';

export interface DemoSpan {
  seed: number;
  from: Millis;
  until: Millis;
}

/**
 * Generates all sessions that begin in [from, until), complete, in batches of a day. A session depends only on the
 * seed and its time, so it is the same in every span.
 *
 * Throws `InvalidRequestError` for a span that begins before the epoch or is empty.
 */
export function* generateDemo({ seed, from, until }: DemoSpan): Generator<RowBatch, void> {
  if (from < EPOCH || until <= from)
    throw new InvalidRequestError(
      `Demo data must begin on ${isoDay(EPOCH)} or later and ends after it begins`,
    );
  // Users return, and sessions can end after the span, so incidents before and after the span matter too.
  const cohortsFrom = hourOf(from) - (LIFETIME_DAYS + 1) * DAY_MS;
  const incidents = incidentsBetween(seed, cohortsFrom, until + DAY_MS);
  const intensity = intensityFor(seed);
  const visits = visitsByDay();

  for (let endAt = nextDay(from); endAt < until + DAY_MS; endAt += DAY_MS) {
    const recorded = visits(Math.min(endAt, until)).map((visit) => recordVisit(seed, visit, incidents));
    yield {
      sessions: recorded.map(({ session }) => session),
      events: recorded.flatMap(({ events }) => events),
      visits: recorded.flatMap(({ visits }) => visits),
    };
  }

  /** Returns a function that gives the visits from its last call up to the given time. */
  function visitsByDay(): (before: Millis) => Visit[] {
    let hourAt = cohortsFrom;
    let upcoming: { next: Visit; rest: Generator<Visit, void> }[] = [];
    return (before) => {
      for (; hourAt < before; hourAt += HOUR_MS) {
        for (const user of newUsersOf(seed, hourAt, intensity, incidents)) {
          const rest = visitsOf(seed, user, intensity);
          const { value: next } = rest.next();
          if (next) upcoming.push({ next, rest });
        }
      }
      const due: Visit[] = [];
      upcoming = upcoming.filter((user) => {
        while (user.next.startAt < before) {
          if (user.next.startAt >= from) due.push(user.next);
          const { value: next } = user.rest.next();
          if (!next) return false;
          user.next = next;
        }
        return true;
      });
      return due;
    };
  }
}

function nextDay(at: Millis): Millis {
  return (Math.floor(at / DAY_MS) + 1) * DAY_MS;
}

function isoDay(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}
