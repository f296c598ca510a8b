import type { RawEvent, RawSession, RawVisit, World } from './rows.ts';

/** A session, event or visit, with its session. */
export interface Fact {
  readonly at: number;
  readonly session: RawSession;
  /** The first session of its user, if known. */
  readonly first: RawSession | undefined;
  readonly event?: RawEvent;
  readonly visit?: RawVisit;
  /** All visible events of the session. */
  readonly eventsOfSession: readonly Fact[];
}

/** All facts that are visible now. */
export interface Seen {
  readonly sessions: readonly Fact[];
  readonly events: readonly Fact[];
  readonly visits: readonly Fact[];
}

const known = new WeakMap<World, Seen>();

/** The visible facts of a world, computed once. */
export function visibleFacts(world: World): Seen {
  const seen = known.get(world) ?? findFacts(world);
  known.set(world, seen);
  return seen;
}

/** A session is visible once uploaded. Its events and visits have its attributes even before. */
function findFacts(world: World): Seen {
  const isHere = ({ uploaded_at }: { uploaded_at: number }) => uploaded_at <= world.now;
  const events = new Map<string, Fact[]>();
  const eventsOf = (session: string): Fact[] => {
    const known = events.get(session) ?? [];
    events.set(session, known);
    return known;
  };
  const firsts = new Map(
    world.sessions.filter((one) => one.session_number === 1).map((one) => [one.user_id, one]),
  );
  const about = new Map(
    world.sessions.map((session) => [
      session.session_id,
      {
        session,
        first: firsts.get(session.user_id),
        eventsOfSession: eventsOf(session.session_id),
      },
    ]),
  );
  const factOf = (row: { session_id: string; recorded_at: number }): Fact => {
    const known = about.get(row.session_id);
    if (known === undefined) throw new Error(`no session ${row.session_id}`);
    return { at: row.recorded_at, ...known };
  };
  const eventFacts = world.events.filter(isHere).map((event): Fact => ({ ...factOf(event), event }));
  for (const fact of eventFacts) eventsOf(fact.session.session_id).push(fact);
  return {
    sessions: world.sessions.filter(isHere).map(factOf),
    events: eventFacts,
    visits: world.visits.filter(isHere).map((visit) => ({ ...factOf(visit), visit })),
  };
}
