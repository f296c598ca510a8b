import {
  fileNameOf,
  inYaml,
  type NamedEvent,
  namedEvents,
  nameOf,
  rulesText,
  type StarterFor,
} from './starter-rules.ts';

/** The first files of a rules folder by relative path. They pass `check` and `test` unchanged. */
export function starterFiles(about: StarterFor): Map<string, string> {
  const name = fileNameOf(about.app);
  const events = namedEvents(about);
  return new Map([
    [`${name}.yaml`, rulesText(about, events)],
    [`${name}.test.yaml`, testsText(about.app, events)],
    ['routes.yaml', ROUTES],
  ]);
}

const ROUTES = `# yaml-language-server: $schema=./schema/routes.schema.json
#
# Which channels the rules notify.

# Channels name their secrets. The values are in .deltawatch/secrets.json on your machine, and in Secrets
# Manager in AWS. Without the secret, messages are only shown at /slack of the local page.
channels:
  team:
    slack: { webhook_secret: deltawatch/$STAGE/slack-webhook }

# Alerts that match no route go here.
default: [team]

# The first matching route applies. To page somebody for critical alerts:
#
#   channels:
#     on-call: { pagerduty: { routing_key_secret: pagerduty-on-call } }
#   routes:
#     - name: critical
#       match: { severity: critical }
#       channels: [on-call, team]
`;

/** Tests of those rules on invented figures. A first change is likely to break one. */
function testsText(app: string, [event]: readonly NamedEvent[]): string {
  const name = nameOf(app);
  return `# yaml-language-server: $schema=./schema/tests.schema.json
#
# Tests of the rules for ${app}. Each test gives a value for every day from "starts" on: 1000*28 400 is 28 days of
# 1000, then one of 400. "alerts" lists all expected notifications; "quiet" expects none. "rules" names the rules
# under test, so rules that you add later do not change the result.

defaults:
  # A Monday. The four weeks of baseline end on the Sunday before 2026-02-02.
  starts: 2026-01-05

tests:
  - name: a day with less than half of the sessions fires, then recovers
    rules: [${name}-sessions]
    series: [{ metric: sessions, values: 1000*28 400 1000*3 }]
    alerts:
      - { fired: ${name}-sessions, window: 2026-02-02, current: 400, baseline: 1000 }
      - { recovered: ${name}-sessions }

  - name: a normal Sunday does not fire
    rules: [${name}-sessions]
    series: [{ metric: sessions, values: (1000*6 300)*5 }]
    quiet: true

  - name: small numbers do not fire
    rules: [${name}-new-users]
    series: [{ metric: new_users, values: 20*28 5 }]
    quiet: true
${event === undefined ? '' : eventTest(event)}`;
}

function eventTest({ name, ruleId }: NamedEvent): string {
  return `
  - name: an event that stops fires
    rules: [${ruleId}]
    series: [{ event: ${inYaml(name)}, values: 500*28 0 }]
    alerts: [{ fired: ${ruleId}, change: -100% }]
`;
}
