import { type NamedEvent, nameOf, type StarterFor } from './starter-names.ts';
import { inYaml } from './yaml-text.ts';

/** The rules of an app that is new: its sessions, who is new to it, and what people do in it. */
export function rulesText({ app, zone, dir }: StarterFor, events: readonly NamedEvent[]): string {
  const name = nameOf(app);
  const [folder, tests] = dir === 'rules' ? ['', ''] : [` --rules ${dir}`, ` ${dir}`];
  return `# yaml-language-server: $schema=./schema/rules.schema.json
#
# What is watched of ${app}. A rule names a number, how often it is looked at, what it is held against and how
# far it may move. Change what follows as you like, and then ask
#
#   npx deltawatch check${folder}
#   npx deltawatch test${tests}

# Holds for every rule below that does not say otherwise.
defaults:
  app: ${inYaml(app)}
  # Who answers for these rules; routes.yaml can send by it.
  owner: ${name}-team
  # In which days begin and end.
  zone: ${zone}
  # Each look judges the day before. "hour at :20" would look each hour.
  every: day at 07:00
  # Against the same day of the week, so that a Sunday is held against Sundays.
  compare: { median_of: 4 weeks }
  # How sure the test for noise must be. For one look a day at falls as deep as these, a little less than its 0.99.
  confidence: 0.95

rules:
  # The id is the identity of a rule: whatever else you change, keep it, and its history stays.
  - id: ${name}-sessions
    title: Sessions
    severity: critical
    runbook: Look whether the app still reports at all; then at the last release.
    metric: sessions
    # Told of when a day is more than 40 % under what is usual, and again when it is back within 25 %.
    fire: { change: { below: -40% } }
    recover: { change: { below: -25% } }
    # Small numbers jump about: nothing is said where there are usually fewer than 50 of them.
    minimum: { baseline: 50 }

  - id: ${name}-new-users
    title: New users
    runbook: Look for a release, a store listing or a campaign that changed on that day.
    metric: new_users
    fire: { change: { below: -40% } }
    recover: { change: { below: -25% } }
    minimum: { baseline: 50 }
${events.map(eventRule).join('')}${events.length > 0 ? '' : eventHint(name)}`;
}

function eventRule({ name, ruleId, perDay }: NamedEvent): string {
  const usual =
    perDay === undefined ? '' : `  # About ${Math.round(perDay).toLocaleString('en-US')} a day.\n`;
  return `
${usual}  - id: ${ruleId}
    title: ${inYaml(titleOf(name))}
    runbook: Do by hand what sends this event; if it works, look whether its tracking changed.
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: ${inYaml(name)} }]
    # In both directions: twice as many can be a loop in the code as well as good news.
    fire: { change: { above: 100%, below: -40% } }
    recover: { change: { above: 50%, below: -25% } }
    minimum: { baseline: 50 }
`;
}

function titleOf(event: string): string {
  const words = event.replaceAll('_', ' ').trim().slice(0, 150);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}` || event;
}

function eventHint(app: string): string {
  return `
  # One rule for what matters most of what people do, under the name that your app gives the event:
  #
  # - id: ${app}-orders
  #   title: Orders
  #   runbook: Do by hand what sends this event; if it works, look whether the tracking of it changed.
  #   metric: event_count
  #   filters: [{ attribute: event_name, operator: equal, value: order }]
  #   fire: { change: { below: -40% } }
  #   minimum: { baseline: 50 }
`;
}
