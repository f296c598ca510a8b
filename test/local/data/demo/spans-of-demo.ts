import fc from 'fast-check';
import { expect } from 'vitest';
import { generateDemo } from '../../../../local/data/demo/generate.ts';
import type { EventRow, SessionRow, VisitRow } from '../../../../local/data/rows.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';

export const SPRING = Date.UTC(2026, 2, 2);

/** All rows of the demo in [from, until), in the order in which they are generated. */
export function everything(seed: number, from: number, until: number) {
  const sessions: SessionRow[] = [];
  const events: EventRow[] = [];
  const visits: VisitRow[] = [];
  for (const batch of generateDemo({ seed, from, until })) {
    sessions.push(...batch.sessions);
    events.push(...batch.events);
    visits.push(...batch.visits);
  }
  return { sessions, events, visits };
}

/** Expects a span to have exactly the sessions that a wider span has within it. */
export function tellsTheSameInEverySpan(numRuns: number): void {
  const span = fc.record({
    seed: fc.integer({ min: 0, max: 3 }),
    startsAfterHours: fc.integer({ min: 1, max: 100 }),
    lastsHours: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(span, ({ seed, startsAfterHours, lastsHours }) => {
      const from = SPRING + startsAfterHours * HOUR_MS;
      const narrow = everything(seed, from, from + lastsHours * HOUR_MS);
      const wide = everything(seed, from - 7 * HOUR_MS, from + lastsHours * HOUR_MS + 5.5 * HOUR_MS);

      const shared = wide.sessions.filter(
        ({ recorded_at }) => recorded_at >= from && recorded_at < from + lastsHours * HOUR_MS,
      );
      expect(JSON.stringify(narrow.sessions)).toBe(JSON.stringify(shared));
      const ids = new Set(shared.map((session) => session.session_id));
      const sharedEvents = wide.events.filter((event) => ids.has(event.session_id));
      expect(JSON.stringify(narrow.events)).toBe(JSON.stringify(sharedEvents));
    }),
    { numRuns },
  );
}
