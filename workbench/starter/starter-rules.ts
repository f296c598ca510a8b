import { parse } from 'yaml';

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

/** Base name of an app's files. One name is reserved. */
export function fileNameOf(app: string): string {
  const name = nameOf(app);
  return name === 'routes' ? `${name}-app` : name;
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

/** The rules of a new app: sessions, new users and events. */
export function rulesText({ app, zone }: StarterFor, events: readonly NamedEvent[]): string {
  const name = nameOf(app);
  return `# yaml-language-server: $schema=./schema/rules.schema.json
#
# Rules for ${app}. A rule names a metric, how often it is evaluated, what it is compared with, and the change
# at which it fires. After a change, run
#
#   npx deltawatch check
#   npx deltawatch test

# Defaults for every rule below.
defaults:
  app: ${inYaml(app)}
  # The team that owns these rules; routes can match it.
  owner: ${name}-team
  # Time zone of the days.
  zone: ${zone}
  # Each run evaluates the day before. "hour at :20" would run every hour.
  every: day at 07:00
  # Compares with the same weekday, so a Sunday is compared with Sundays.
  compare: { median_of: 4 weeks }
  # How late data may be before "no data" is reported: nights can be quiet.
  grace: 12 hours
  # Required confidence that a change is not noise. The default is 0.99; one run a day needs less.
  confidence: 0.95

rules:
  # Keep the id when you change a rule: the history of its alerts belongs to the id.
  - id: ${name}-sessions
    title: Sessions
    severity: critical
    runbook: Check that the app still sends data, then check the last release.
    metric: sessions
    # Fires when a day is more than 40% below the baseline, and recovers when it is back within 25%.
    fire: { change: { below: -40% } }
    recover: { change: { below: -25% } }
    # Small numbers vary a lot: do not fire if the baseline is below 50.
    minimum: { baseline: 50 }

  - id: ${name}-new-users
    title: New users
    runbook: Check for a release, a store listing or a campaign that changed on that day.
    metric: new_users
    fire: { change: { below: -40% } }
    recover: { change: { below: -25% } }
    minimum: { baseline: 50 }
${events.map(eventRule).join('')}${events.length > 0 ? '' : eventHint(name)}`;
}

function eventRule({ name, ruleId, perDay }: NamedEvent): string {
  return `
  - id: ${ruleId}
    title: ${inYaml(titleOf(name))}
    runbook: Do by hand what sends this event. If it works, check whether its tracking changed.
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: ${inYaml(name)} }]
    # In both directions: twice as many events can be good news, or a loop in the code.
    fire: { change: { above: 100%, below: -40% } }
    recover: { change: { above: 50%, below: -25% } }
    minimum: { baseline: ${minimumOf(perDay)} }
`;
}

/** Half of a small number, so that the rule can fire; below 10 events a day it would fire by chance. */
function minimumOf(perDay = Infinity): number {
  return Math.max(10, Math.min(50, Math.floor(perDay / 2)));
}

function titleOf(event: string): string {
  const words = event.replaceAll('_', ' ').trim().slice(0, 150);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}` || event;
}

function eventHint(app: string): string {
  return `
  # Add a rule for your most important event, with the name that your app sends:
  #
  # - id: ${app}-orders
  #   title: Orders
  #   runbook: Do by hand what sends this event. If it works, check whether its tracking changed.
  #   metric: event_count
  #   filters: [{ attribute: event_name, operator: equal, value: order }]
  #   fire: { change: { below: -40% } }
  #   minimum: { baseline: 50 }
`;
}

/** A text as a YAML value that is valid in a flow map: plain where possible, else quoted. */
export function inYaml(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(text) && !text.endsWith(' ') && parse(text) === text;
  return isPlain ? text : JSON.stringify(text);
}
