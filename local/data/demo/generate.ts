import type { Millis } from '../../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import type { RowBatch } from '../rows.ts';
import { DAY, EPOCH, HOUR, hourOf, intensityFor } from './calendar.ts';
import { incidentsBetween } from './incidents.ts';
import { recordVisit } from './sessions.ts';
import { LIFETIME_DAYS, newUsersOf, type Visit, visitsOf } from './users.ts';

export interface DemoSpan {
  seed: number;
  from: Millis;
  until: Millis;
}

/**
 * Every session of the demo shop that begins in [from, until), whole, in batches of a day. A session is the same in every span that holds it: only its seed and its time tell what is in it.
 *
 * Throws `InvalidRequestError` for a span before the shop opened or the wrong way round.
 */
export function* generateDemo({ seed, from, until }: DemoSpan): Generator<RowBatch, void> {
  if (from < EPOCH || until <= from)
    throw new InvalidRequestError(
      `Demo data must begin on ${isoDay(EPOCH)} or later and ends after it begins`,
    );
  // Users come back, and sessions that begin in the span end after it: both need what went wrong around it.
  const cohortsFrom = hourOf(from) - (LIFETIME_DAYS + 1) * DAY;
  const incidents = incidentsBetween(seed, cohortsFrom, until + DAY);
  const intensity = intensityFor(seed);
  const visits = visitsByDay();

  for (let endAt = nextDay(from); endAt < until + DAY; endAt += DAY) {
    const recorded = visits(Math.min(endAt, until)).map((visit) => recordVisit(seed, visit, incidents));
    yield {
      sessions: recorded.map(({ session }) => session),
      events: recorded.flatMap(({ events }) => events),
      visits: recorded.flatMap(({ visits }) => visits),
    };
  }

  /** Hands out, day after day, the visits that begin before the given time and were not handed out before. */
  function visitsByDay(): (before: Millis) => Visit[] {
    let hourAt = cohortsFrom;
    let upcoming: { next: Visit; rest: Generator<Visit, void> }[] = [];
    return (before) => {
      for (; hourAt < before; hourAt += HOUR) {
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
  return (Math.floor(at / DAY) + 1) * DAY;
}

function isoDay(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}
