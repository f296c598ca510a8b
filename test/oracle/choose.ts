import { attributeNamed } from './attributes.ts';
import type { Fact, Seen } from './facts.ts';
import { factPasses, valuePasses } from './filters.ts';
import type { RequestCondition, Resource } from './requests.ts';
import { byCharacter } from './text-order.ts';
import { inWindow, type Window } from './windows.ts';

export interface Choice {
  readonly seen: Seen;
  readonly zone: string;
  readonly filters: readonly RequestCondition[];
}

/** The facts of the window that pass the filters. For users: the sessions of the users that pass. */
export function chosen(resource: Resource, choice: Choice, window: Window): Fact[] {
  const { seen, zone } = choice;
  const filters = choice.filters.filter((one) => !('attribute' in one && one.attribute === 'date_range'));
  const of = { event: seen.events, session: seen.sessions, user: seen.sessions, screen: seen.visits };
  const facts = of[resource].filter(({ at }) => inWindow(at, window));
  if (resource === 'user') return ofChosenUsers(facts, { ...choice, filters });
  return facts.filter((fact) => filters.every((filter) => factPasses(filter, fact, zone)));
}

function ofChosenUsers(facts: readonly Fact[], { seen, zone, filters }: Choice): Fact[] {
  const lives = byUser(seen.sessions);
  return [...byUser(facts)].flatMap(([user, active]) =>
    userPasses({ active, life: lives.get(user) ?? [] }, filters, zone) ? active : [],
  );
}

export const byUser = (facts: readonly Fact[]): Map<string, Fact[]> =>
  Map.groupBy(facts, ({ session }) => session.user_id);

/** The first-seen time of users whose first session is not stored. */
const BEFORE_THE_DATA = Date.UTC(1000, 0, 1);

interface Person {
  /** Sessions in the window. */
  readonly active: readonly Fact[];
  /** Sessions of all time. */
  readonly life: readonly Fact[];
}

function userPasses(person: Person, filters: readonly RequestCondition[], zone: string): boolean {
  const { active, life } = person;
  const ofOneSession: RequestCondition[] = [];
  for (const filter of filters) {
    if ('any' in filter) {
      if (!filter.any.some((one) => userPasses(person, [one], zone))) return false;
      continue;
    }
    if ('did_not' in filter) {
      if (userPasses(person, [{ did: filter.did_not }], zone)) return false;
      continue;
    }
    if ('did' in filter) {
      ofOneSession.push(filter);
      continue;
    }
    const { kind, snapshot, read } = attributeNamed(filter.attribute);
    if (kind === 'sum') {
      const sum = active.reduce((total, fact) => total + Number(read(fact)), 0);
      if (!valuePasses(filter, sum, zone)) return false;
    } else if (kind === 'lifetime') {
      const times = life.map(({ at }) => at);
      const first = life.find(({ session }) => session.session_number === 1);
      const firstAt = first?.at ?? BEFORE_THE_DATA;
      const at = filter.attribute === 'user_first_seen_on' ? firstAt : Math.max(...times);
      if (!valuePasses(filter, at, zone)) return false;
    } else if (snapshot) {
      if (!factPasses(filter, latest(life), zone)) return false;
    } else ofOneSession.push(filter);
  }
  return active.some((fact) => ofOneSession.every((filter) => factPasses(filter, fact, zone)));
}

/** The latest session of a user; of two with the same start, the one with the greater id. */
export function latest(life: readonly Fact[]): Fact {
  return life.reduce((best, fact) => {
    const later = fact.at - best.at || byCharacter(fact.session.session_id, best.session.session_id);
    return later > 0 ? fact : best;
  });
}
