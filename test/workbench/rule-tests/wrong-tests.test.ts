import { expect, test } from 'vitest';
import { boundIn } from './example-rules.ts';

/** A file with one test that has the required keys and these. */
const one = (keys: string) =>
  `tests:\n  - name: a\n    starts: 2026-01-05\n${keys.replaceAll(/^/gm, '    ')}`;
const steady = 'series: [{ event: purchase, values: 1000*15 }]\n';

/** The problems of a file, with line:column. */
function problemsWith(text: string): string[] {
  return boundIn(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test.each([
  ['no tests', 'defaults: {}', ['1:1 "tests" is missing; it must be a list']],
  [
    'an unknown key',
    'test: []',
    [
      '1:1 "tests" is missing; it must be a list',
      '1:1 unknown key "test"; did you mean "tests"? Accepted: $schema, defaults, tests',
    ],
  ],
  [
    'a misspelt key of a test',
    one(`${steady}queit: true`),
    [
      '5:5 unknown key "queit"; did you mean "quiet"? Accepted: name, rules, zone, starts, series, silences, alerts, messages, quiet',
    ],
  ],
  [
    'nothing expected',
    one(steady),
    ['2:5 add the expected "alerts" or "messages", or "quiet: true" for none'],
  ],
  [
    '"quiet" together with "alerts"',
    one(`${steady}quiet: true\nalerts: []`),
    ['5:12 cannot be combined with "alerts" or "messages"; remove one of them'],
  ],
  ['no series', one('quiet: true'), ['2:5 "series" is missing; it must be a list']],
  [
    'invalid values',
    one('series: [{ event: purchase, values: 100x }]\nquiet: true'),
    [
      '4:41 "100x" is not a value; write 1000, 1000*56 (56 times), 100x5 (100 and five more), 100+10x5, 100-10x5, _ for no row, stale for an app without data, or several in brackets: (5 9)*8',
    ],
  ],
  [
    'values without an event or a metric',
    one('series: [{ values: 1000*15 }]\nquiet: true'),
    ['4:24 "values" require an "event" or a "metric"'],
  ],
  [
    'a misspelt event',
    one('series: [{ event: purchases, values: 1000*15 }]\nquiet: true'),
    ['4:14 no rule watches the event "purchases"; did you mean "purchase"?'],
  ],
  [
    'a misspelt metric',
    one('series: [{ metric: sesions, values: 1000*15 }]\nquiet: true'),
    [expect.stringContaining('4:24 unknown metric "sesions"; did you mean "sessions"?')],
  ],
  [
    'a session metric with an event',
    one('series: [{ event: purchase, metric: sessions, values: 9*15 }]\nquiet: true'),
    [
      '4:41 sessions does not count events: remove "event", or use event_count, event_users or event_sessions',
    ],
  ],
  [
    'a mean without a weight',
    one('series: [{ metric: rage_gestures_per_session, values: 0.1*15 }]\nquiet: true'),
    ['4:14 say how many sessions each value is a mean over: weight: 500'],
  ],
  [
    'a count with a weight',
    one('series: [{ event: purchase, values: 1000*15, weight: 5 }]\nquiet: true'),
    ['4:58 only a mean has a weight: remove it'],
  ],
  [
    'a rule by country without a segment',
    one('series: [{ event: search, values: 1000*15 }]\nquiet: true'),
    [
      '4:14 no rule uses these values; a rule needs series with its metric, filters and app, for each of its events, and with "segment" if it has "group_by"',
    ],
  ],
  [
    'hourly and daily rules',
    one('series: [{ metric: sessions, values: 1000*15 }]\nquiet: true'),
    ['4:14 sessions (hour) and sessions-a-day (day) use these values: list the rules to test in "rules"'],
  ],
  [
    'hourly and daily rules listed in "rules"',
    one('rules: [sessions-a-day, sessions]\nseries: [{ metric: sessions, values: 1000*15 }]\nquiet: true'),
    ['4:12 sessions (hour) and sessions-a-day (day) use these values: test them apart'],
  ],
  [
    'series of different lengths',
    one('series:\n  - { event: paid, values: 5*15 }\n  - { event: begun, values: 5*14 }\nquiet: true'),
    ['6:33 has 14 values, and another series has 15; use _ for windows without a row'],
  ],
  [
    'a date that does not exist',
    'tests: [{ name: a, starts: 2026-02-30, series: [{ event: purchase, values: 5*15 }], quiet: true }]',
    ['1:28 write a date such as 2026-03-09, or a local time such as 2026-03-09 14:00; found "2026-02-30"'],
  ],
  [
    'a start in the middle of a day',
    'tests: [{ name: a, starts: 2026-02-03 12:00, series: [{ event: purchase, values: 5*15 }], quiet: true }]',
    ['1:28 no day begins then in Europe/Berlin; one begins at 2026-02-03; found "2026-02-03 12:00"'],
  ],
  [
    'an unknown zone',
    one(`${steady}zone: Berlin\nquiet: true`),
    ['5:11 use an IANA time zone, such as "Europe/Berlin" or "UTC"; found "Berlin"'],
  ],
  [
    'an unknown rule',
    one(`${steady}rules: [purchase]\nquiet: true`),
    ['5:13 there is no rule "purchase"; did you mean "purchases"?'],
  ],
  [
    'an alert of an unknown rule',
    one(`${steady}alerts: [{ fired: purchase }]`),
    ['5:23 there is no rule "purchase"; did you mean "purchases"?'],
  ],
  [
    'an alert of a rule without values',
    one(`${steady}alerts: [{ fired: rage }]`),
    ['5:23 rage is not tested: the series do not give all of its figures'],
  ],
  [
    'an alert of a composite rule with values for one member',
    one(`${steady}alerts: [{ fired: fewer-of-both }]`),
    ['5:23 fewer-of-both is not tested: the series do not give all of its figures'],
  ],
  [
    'an alert of a rule that is not named',
    one(`${steady}rules: [purchases]\nalerts: [{ fired: rises }]`),
    ['6:23 rises is not tested: "rules" does not list it'],
  ],
  [
    'an alert without a transition',
    one(`${steady}alerts: [{ window: 2026-01-06 }]`),
    [
      '5:14 an alert needs one of fired, recovered, retracted, accepted, reminded, flapping, calmed, persists, no-data, data-back, stopped, resumed, with the id of the rule: fired: purchases',
    ],
  ],
  [
    'an alert with two transitions',
    one(`${steady}alerts: [{ fired: purchases, recovered: purchases }]`),
    [expect.stringContaining('5:14 an alert needs one of fired, recovered')],
  ],
  [
    'a misspelt transition',
    one(`${steady}alerts: [{ fires: purchases }]`),
    [expect.stringContaining('5:16 unknown key "fires"; did you mean "fired"?')],
  ],
  [
    'a segment of a rule without segments',
    one(`${steady}alerts: [{ fired: purchases, segment: DE }]`),
    ['5:43 purchases has no segments: it has no group_by'],
  ],
  [
    '"stopped" with the name of a rule',
    one(`${steady}alerts: [{ stopped: purchases }]`),
    ['5:25 an app stops, not a rule; the apps are demo'],
  ],
  [
    'a change without its sign',
    one(`${steady}alerts: [{ fired: purchases, change: -60 }]`),
    [expect.stringContaining('5:42 write a percentage with its sign, such as "50%" or "-30%"; found -60')],
  ],
  [
    'a revision of an unknown window',
    one(
      'series: [{ event: purchase, values: 5*15, revisions: [{ window: 2026-03-01, value: 3, seen: 2026-03-02 }] }]\nquiet: true',
    ),
    ['4:69 no window of the series starts at this time; its windows are days'],
  ],
  [
    'revisions out of order',
    one(
      'series:\n  - event: purchase\n    values: 5*15\n    revisions:\n      - { window: 2026-01-06, value: 3, seen: 2026-01-09 }\n      - { window: 2026-01-06, value: 4, seen: 2026-01-08 }\nquiet: true',
    ),
    ['9:51 must be later than that of the previous revision'],
  ],
  [
    'two tests with the same name',
    `${one(`${steady}quiet: true`)}\n  - name: a\n    starts: 2026-01-05\n    series: [{ event: purchase, values: 5*15 }]\n    quiet: true`,
    ['6:11 another test of this file has the same name'],
  ],
  [
    'an invalid default, reported once',
    'defaults: { starts: soon, quiet: true, series: [{ event: purchase, values: 5*15 }] }\ntests: [{ name: a }]',
    ['1:21 write a date such as 2026-03-09, or a local time such as 2026-03-09 14:00; found "soon"'],
  ],
])('reports %s', (_, text, problems) => {
  expect(problemsWith(text)).toEqual(problems);
});

test('an invalid test does not affect the others of its file', () => {
  const wrong = one('series: [{ event: purchases, values: 1000*15 }]\nquiet: true');
  const right = `  - { name: b, starts: 2026-01-05, ${steady.trim()}, quiet: true }`;
  const { tests, problems } = boundIn(`${wrong}\n${right}`);
  expect(tests.map(({ name, place }) => [name, place])).toEqual([['b', 'rules/a.test.yaml:6']]);
  expect(problems).toHaveLength(1);
});
