/** Input for the first rules. */
export interface StarterFor {
  app: string;
  /** IANA zone of its days. */
  zone: string;
  events: StarterEvent[];
}

export interface StarterEvent {
  name: string;
  /** Typical number of events per day, if known. */
  perDay?: number;
}

/** Prefix of the app's rule ids. */
export function nameOf(app: string): string {
  return app.toLowerCase().replaceAll('_', '-');
}

/** Base name of an app's files. Two names are reserved for other files. */
export function fileNameOf(app: string): string {
  const name = nameOf(app);
  return name === 'routes' || name === 'incidents' ? `${name}-app` : name;
}

/** An event with the id of its rule. */
export interface NamedEvent extends StarterEvent {
  ruleId: string;
}

/** Ids contain only valid characters. Duplicates get a number. */
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

/** Suffixes of ids of rules without an event. */
const OF_THE_APP = ['sessions', 'new-users'];

/** Below the limit of 80 characters, to leave room for a number. */
const MOST_OF_AN_ID = 76;
