/** What the first rules are for. */
export interface StarterFor {
  app: string;
  /** IANA time zone in which its days begin. */
  zone: string;
  events: StarterEvent[];
  /** The folder, as commands in comments name it. */
  dir: string;
}

export interface StarterEvent {
  name: string;
  /** How many there usually are, where that is known. */
  perDay?: number;
}

/** How the ids of the rules of an app begin. */
export function nameOf(app: string): string {
  return app.toLowerCase().replaceAll('_', '-');
}

/** What the files of an app are called before the ending. Two names stand for what is no rule. */
export function fileNameOf(app: string): string {
  const name = nameOf(app);
  return name === 'routes' || name === 'incidents' ? `${name}-app` : name;
}

/** An event with the id that its rule gets. */
export interface NamedEvent extends StarterEvent {
  ruleId: string;
}

/** Ids are made of what an id can hold; where two events would get the same, the later is numbered. */
export function namedEvents({ app, events }: StarterFor): NamedEvent[] {
  const taken = new Set(OF_THE_APP.map((id) => `${nameOf(app)}-${id}`));
  return events.map((event) => {
    const words = event.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    const wanted = `${nameOf(app)}-${words || 'event'}`.slice(0, MOST_OF_AN_ID);
    let ruleId = wanted;
    for (let i = 2; taken.has(ruleId); i++) ruleId = `${wanted}-${i}`;
    taken.add(ruleId);
    return { ...event, ruleId };
  });
}

/** What the ids of the rules about no event end with. */
const OF_THE_APP = ['sessions', 'new-users'];

/** Short of the 80 letters that an id may have, so that a number fits. */
const MOST_OF_AN_ID = 76;
