import { fileNameOf, namedEvents, type StarterFor } from './starter-names.ts';
import { rulesText } from './starter-rules.ts';
import { testsText } from './starter-tests.ts';

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
