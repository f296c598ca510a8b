import { fileNameOf, namedEvents, type StarterFor } from './starter-names.ts';
import { rulesText } from './starter-rules.ts';
import { testsText } from './starter-tests.ts';

/** The first files of a rules folder by their names within it: they pass `check` and `test` as they are. */
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
# Who hears of which rule.

# Where messages go. A secret is named here and never written; its value is in .deltawatch/secrets.json on
# your machine, and in Secrets Manager in AWS. Until it is there, messages are kept to be looked at.
channels:
  team:
    slack: { webhook_secret: slack-webhook }

# Whoever no route below names hears here: nothing goes unheard.
default: [team]

# The first route that matches is taken. To wake somebody for what is critical:
#
#   channels:
#     on-call: { pagerduty: { routing_key_secret: pagerduty-on-call } }
#   routes:
#     - name: critical
#       match: { severity: critical }
#       channels: [on-call, team]
`;
