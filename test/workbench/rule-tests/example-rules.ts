import type { RuleSet } from '../../../shared/deployments/rule-store.ts';
import { formatProblems, type Problem } from '../../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../../shared/rule-files/yaml-source.ts';
import type { BoundTest } from '../../../workbench/rule-tests/bind-test.ts';
import { failuresOf } from '../../../workbench/rule-tests/evaluate-test.ts';
import { type ReadTests, testsIn } from '../../../workbench/rule-tests/read-tests.ts';
import { runTest } from '../../../workbench/rule-tests/run-test.ts';

const RULES = `
defaults: { app: demo, owner: shop, every: day at 01:00, zone: Europe/Berlin }
rules:
  - id: purchases
    title: Purchases
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: purchase }]
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
    recover: { change: { below: -20% } }
  - id: purchases-on-ios
    title: Purchases on iOS
    metric: event_count
    filters:
      - { attribute: event_name, operator: equal, value: purchase }
      - { attribute: device_platform, operator: equal, value: ios }
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: refunds-on-ios
    title: Refunds on iOS
    metric: event_count
    filters:
      - { attribute: event_name, operator: equal, value: refund }
      - { attribute: device_platform, operator: equal, value: ios }
    compare: { to: same_weekday }
    fire: { change: { above: 40% } }
  - id: rises
    title: Sign-ups
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: signup }]
    compare: { to: same_weekday }
    fire: { change: { above: 100% } }
  - id: searches
    title: Searches, by country
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: search }]
    group_by: device_country
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: conversion
    title: Purchases per checkout
    ratio: { of: paid, to: begun }
    compare: { to: same_weekday }
    fire: { change: { below: -20% } }
  - id: rage
    title: Rage
    metric: rage_gestures_per_session
    compare: { to: same_weekday }
    fire: { change: { above: 50% } }
  - id: sessions
    title: Sessions
    every: hour at :20
    metric: sessions
    compare: { to: same_weekday }
    fire: { change: { below: -50% } }
    fire_after: 2 of 2
  - id: gestures
    title: Gestures
    every: hour at :20
    metric: gestures
    compare: { to: previous_period }
    fire: { current: { above: 9000 } }
  - id: gestures-late
    title: Gestures, three hours later
    every: hour at :20
    settle: 3 hours
    metric: gestures
    compare: { to: previous_period }
    fire: { current: { below: 50 } }
  - id: sessions-a-day
    title: Sessions a day
    metric: sessions
    compare: { to: same_weekday }
    fire: { change: { below: -50% } }
  - id: users-a-week
    title: Users a week
    every: monday at 07:00
    metric: users
    compare: { to: previous_period }
    fire: { change: { below: -40% } }
  - id: buyers
    title: Users who buy or pay
    metric: event_users
    filters: [{ attribute: event_name, operator: in, value: [buy, pay] }]
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: views
    title: Views
    quiet: true
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: view }]
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: visits
    title: Visits
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: visit }]
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: on-weekdays
    title: Visits, on weekdays
    every: weekday at 09:00
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: visit }]
    compare: { to: same_weekday }
    fire: { change: { below: -40% } }
  - id: fewer-of-both
    title: Views and purchases
    all_of: [views, purchases]
`;

const ROUTES = `
channels: { shop: { slack: { webhook_secret: shop } }, boss: { slack: { webhook_secret: boss } } }
default: [shop]
calendars: { nights: { zone: Europe/Berlin, weekly: [{ days: [mon-sun], from: "22:00", to: "08:00" }] } }
routes:
  - { name: visits, match: { rule: visits }, channels: [shop], repeat: { after: 4 hours, at_most: 2 } }
  - { name: rage, match: { rule: rage }, channels: [shop, boss], mute: [nights] }
`;

const EXAMPLE_RULES: RuleSet = ruleSetOf(RULES, ROUTES);

export function ruleSetOf(rules: string, routes: string): RuleSet {
  const loaded = buildRuleSet(
    'rules',
    new Map([
      ['a.yaml', rules],
      ['routes.yaml', routes],
    ]),
  );
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return loaded.ruleSet;
}

/** The tests of a file of this text. */
function read(text: string, ruleSet: RuleSet = EXAMPLE_RULES): ReadTests {
  return testsIn(parseYaml('rules', 'a.test.yaml', text), 'rules/a.test.yaml', ruleSet);
}

/** The tests of a file of this text that can run, and its problems. */
export function boundIn(text: string, ruleSet?: RuleSet): { tests: BoundTest[]; problems: Problem[] } {
  const found = read(text, ruleSet);
  if (found.kind === 'problems') return { tests: [], problems: found.problems };
  return {
    tests: found.tests.flatMap((each) => (each.kind === 'bound' ? each.test : [])),
    problems: found.tests.flatMap((each) => (each.kind === 'wrong' ? each.problems : [])),
  };
}

/** The failures of the tests or the problems of the text, as printed; "" if all pass. */
export async function failing(text: string, ruleSet: RuleSet = EXAMPLE_RULES): Promise<string> {
  const { tests, problems } = boundIn(text, ruleSet);
  if (problems.length > 0) return formatProblems(problems);
  const failures: string[] = [];
  for (const test of tests) failures.push(...failuresOf(test, await runTest(test)));
  return failures.join('\n');
}
