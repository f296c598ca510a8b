import { Scalar, stringify } from 'yaml';
import type { RuleInput } from '../../shared/rules/define-rules.ts';

/** A rule of the first files, and the comment above it. */
export interface StarterRule {
  comment: readonly string[];
  entry: RuleInput;
}

/** Prefix of the app's rule ids. */
function nameOf(app: string): string {
  return app.toLowerCase().replaceAll('_', '-');
}

/** Base name of an app's files. One name is reserved. */
export function fileNameOf(app: string): string {
  const name = nameOf(app);
  return name === 'routes' ? `${name}-app` : name;
}

/** Keys that all rules of an app have in common. */
export function defaultsFor(app: string, zone: string) {
  return {
    app,
    owner: `${nameOf(app)}-team`,
    zone,
    every: 'day at 07:00',
    grace: '12 hours',
  } as const;
}

/** The first files of a rules folder by relative path. They pass `check` and `test` unchanged. */
export function starterFiles(app: string, rules: readonly StarterRule[]): Map<string, string> {
  const name = fileNameOf(app);
  const sessions = rules.find(({ entry }) => entry.metric === 'sessions' && !entry.group_by);
  return new Map([
    [`${name}.yaml`, rulesText(app, rules)],
    ...(sessions ? [[`${name}.test.yaml`, testsText(app, sessions.entry)] as const] : []),
    ['routes.yaml', ROUTES],
  ]);
}

/** Below the limit of 80 characters, to leave room for a number. */
const MOST_OF_AN_ID = 76;

/** The rules with ids that only have valid characters. Duplicates get a number. */
export function withIds<Rule extends { entry: { id: string } }>(app: string, rules: readonly Rule[]): Rule[] {
  const taken = new Set<string>();
  return rules.map((rule) => {
    const [prefix, words] = [app, rule.entry.id].map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, ''),
    );
    const wanted = `${prefix || 'app'}-${words || 'event'}`.slice(0, MOST_OF_AN_ID);
    let id = wanted;
    for (let i = 2; taken.has(id); i++) id = `${wanted}-${i}`;
    taken.add(id);
    return { ...rule, entry: { ...rule.entry, id } };
  });
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

function rulesText(app: string, rules: readonly StarterRule[]): string {
  const zone = rules[0]?.entry.zone ?? 'UTC';
  const { grace } = rules[0]?.entry ?? {};
  const defaults = { ...defaultsFor(app, zone), ...(grace && { grace }) };
  return `# yaml-language-server: $schema=./schema/rules.schema.json
#
# Rules for ${app}. A rule names a metric, how often it is evaluated, what it is compared with, and the change
# at which it fires. Each run evaluates the day before.${rules.some(({ entry }) => entry.confidence) ? CALIBRATED : ''}
# After a change, run
#
#   npx deltawatch check
#   npx deltawatch test

# Defaults for every rule below. Routes can match the owner.
defaults: ${flow(defaults)}

# Keep the id when you change a rule: the history of its alerts belongs to the id.
rules:
${rules.map((rule) => ruleText(rule, defaults)).join('\n')}`;
}

const CALIBRATED = ` Bounds are 3.5 times the usual
# variation of the figure, so the test of significance can ask for less than by default (confidence: 0.7).`;

/** The rule as an entry of a list of rules, without the keys of the defaults. */
export function ruleText(rule: Pick<StarterRule, 'comment'> & { entry: object }, defaults: object): string {
  const { comment, entry } = rule;
  const own = Object.entries(entry).filter(([key, value]) => Object(defaults)[key] !== value);
  const lines = own.map(([key, value], i) => `${i === 0 ? '  - ' : '    '}${key}: ${flow(value)}`);
  return [...comment.map((line) => `  # ${line}`), ...lines, ''].join('\n');
}

/** The value in one line. */
export function flow(value: unknown): string {
  const collectionStyle = typeof value === 'object' ? 'flow' : 'any';
  const options = { collectionStyle, lineWidth: 0, blockQuote: false, doubleQuotedAsJSON: true } as const;
  return stringify(value, oneLine, options).trimEnd();
}

const oneLine = (_: unknown, value: unknown): unknown =>
  typeof value === 'string' && /[\p{C}\p{Zl}\p{Zp}]/u.test(value)
    ? Object.assign(new Scalar(value), { type: Scalar.QUOTE_DOUBLE })
    : value;

/** Tests of the rule of sessions, on invented figures. */
function testsText(app: string, { id, minimum, fire_after }: RuleInput): string {
  const usual = Math.max(1000, 2 * (minimum?.baseline ?? 0));
  const days = fire_after === undefined ? 1 : 3;
  return `# yaml-language-server: $schema=./schema/tests.schema.json
#
# Tests of the rules for ${app}. Each test gives a value for every day from "starts" on: 1000*28 50 is 28 days of
# 1000, then one of 50. "alerts" lists all expected notifications; "quiet" expects none. "rules" names the rules
# under test, so rules that you add later do not change the result.

defaults:
  # A Monday. The four weeks of baseline end on the Sunday before 2026-02-02.
  starts: 2026-01-05

tests:
  - name: hardly any sessions fire, and then they recover
    rules: [${id}]
    series: [{ metric: sessions, values: ${usual}*28 ${usual / 20}${days > 1 ? `*${days}` : ''} ${usual}*3 }]
    alerts:
      - { fired: ${id}, window: 2026-02-0${1 + days}, current: ${usual / 20}, baseline: ${usual} }
      - { recovered: ${id} }

  - name: a normal Sunday does not fire
    rules: [${id}]
    series: [{ metric: sessions, values: (${usual}*6 ${0.3 * usual})*5 }]
    quiet: true
`;
}

/** The rule of an app without data, with bounds that suit many. */
export function firstRules(app: string, zone: string): StarterRule[] {
  return withIds<StarterRule>(app, [
    {
      comment: ['It fires when a day is more than 40% below the usual, and recovers within 25%.'],
      entry: {
        ...{ id: 'sessions', title: 'Sessions', ...defaultsFor(app, zone) },
        ...{ severity: 'critical', metric: 'sessions', minimum: { baseline: 50 } },
        runbook: 'Check that the app still sends data, then check the last release.',
        ...{ fire: { change: { below: '-40%' } }, recover: { change: { below: '-25%' } } },
        compare: { median_of: '4 weeks' },
      },
    },
  ]);
}

/** "Add to cart" for `add_to_cart`. */
export function titleOf(event: string): string {
  const words = event.replaceAll('_', ' ').trim().slice(0, 60);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}` || event;
}
