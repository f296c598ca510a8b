import { type NamedEvent, nameOf } from './starter-names.ts';
import { inYaml } from './yaml-text.ts';

/** What those rules are to do, on figures that are made up: each test is one that a first change may break. */
export function testsText(app: string, [event]: readonly NamedEvent[]): string {
  const name = nameOf(app);
  return `# yaml-language-server: $schema=./schema/tests.schema.json
#
# What the rules of ${app} are to do. Each test makes up a figure for every day, from "starts" on: 1000*28 400 is
# 28 days of 1000 and then one of 400. What "alerts" lists is told, and nothing else; "quiet" is nothing at all.
# "rules" are those that a test is of: others, that you write later, do not change what it says.

defaults:
  # A Monday. The four weeks that rules look back on end the Sunday before 2026-02-02.
  starts: 2026-01-05

tests:
  - name: a day with less than half of the sessions is told, and the way back too
    rules: [${name}-sessions]
    series: [{ metric: sessions, values: 1000*28 400 1000*3 }]
    alerts:
      - { fired: ${name}-sessions, window: 2026-02-02, current: 400, baseline: 1000 }
      - { recovered: ${name}-sessions }

  - name: a Sunday like every Sunday is none of that
    rules: [${name}-sessions]
    series: [{ metric: sessions, values: (1000*6 300)*5 }]
    quiet: true

  - name: what is small may fall without a word
    rules: [${name}-new-users]
    series: [{ metric: new_users, values: 20*28 5 }]
    quiet: true
${event === undefined ? '' : eventTest(event)}`;
}

function eventTest({ name, ruleId }: NamedEvent): string {
  return `
  - name: an event that is no longer sent is told
    rules: [${ruleId}]
    series: [{ event: ${inYaml(name)}, values: 500*28 0 }]
    alerts: [{ fired: ${ruleId}, change: -100% }]
`;
}
