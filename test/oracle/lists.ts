import { byUser, chosen } from './choose.ts';
import { type Fact, visibleFacts } from './facts.ts';
import { type Dashboard, eventRecord, sessionRecord, userRecord } from './records.ts';
import type { ListRequest, Resource } from './requests.ts';
import type { World } from './rows.ts';
import { byCharacter } from './text-order.ts';
import { windowsOf } from './windows.ts';

/**
 * Every record of a list, in order: newest first, then by id.
 * @throws Refusal
 */
export function list(
  given: World,
  resource: Exclude<Resource, 'screen'>,
  { filters = [], show_only: showOnly, time_zone: zone = given.zone }: ListRequest,
  link: Dashboard = () => '',
): object[] {
  const seen = visibleFacts(given);
  const [window] = windowsOf(filters, { ...given, zone });
  const facts = chosen(resource, { seen, zone, filters }, window);
  if (resource === 'event') {
    return newestFirst(facts, ({ event }) => event?.event_id ?? '').map((fact) => eventRecord(fact, link));
  }
  if (resource === 'session') {
    return newestFirst(facts, ({ session }) => session.session_id).map((fact) =>
      sessionRecord(fact, link, zone),
    );
  }
  const lives = byUser(seen.sessions);
  const people = [...byUser(facts)].map(([user, active]) => {
    const life = lives.get(user) ?? [];
    return { user, active, life, at: Math.max(...life.map(({ at }) => at)) };
  });
  return newestFirst(people, ({ user }) => user).map(({ active, life }) =>
    userRecord(active, life, { showOnly, link }),
  );
}

function newestFirst<T extends Pick<Fact, 'at'>>(facts: readonly T[], idOf: (fact: T) => string): T[] {
  return [...facts].sort((a, b) => b.at - a.at || byCharacter(idOf(a), idOf(b)));
}
