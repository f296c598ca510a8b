import { expect, test } from 'vitest';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { boundIn } from './example-rules.ts';

/** A file with one test that has the required keys and these. */
const one = (keys: string) =>
  `tests:\n  - name: a\n    starts: 2026-01-05\n${keys.replaceAll(/^/gm, '    ')}`;
const steady = 'series: [{ event: purchase, values: 1000*15 }]\n';

const WRONG: [name: string, text: string][] = [
  ['no tests', 'defaults: {}'],
  ['an unknown key', 'test: []'],
  ['a misspelt key of a test', one(`${steady}queit: true`)],
  ['nothing expected', one(steady)],
  ['"quiet" together with "alerts"', one(`${steady}quiet: true\nalerts: []`)],
  ['no series', one('quiet: true')],
  ['a comma between values', one('series: [{ event: purchase, values: 1000*15,400 }]\nquiet: true')],
  ['invalid values', one('series: [{ event: purchase, values: 100x }]\nquiet: true')],
  ['values without an event or a metric', one('series: [{ values: 1000*15 }]\nquiet: true')],
  ['a misspelt event', one('series: [{ event: purchases, values: 1000*15 }]\nquiet: true')],
  ['a misspelt metric', one('series: [{ metric: sesions, values: 1000*15 }]\nquiet: true')],
  [
    'a session metric with an event',
    one('series: [{ event: purchase, metric: sessions, values: 9*15 }]\nquiet: true'),
  ],
  [
    'a mean without a weight',
    one('series: [{ metric: rage_gestures_per_session, values: 0.1*15 }]\nquiet: true'),
  ],
  ['a count with a weight', one('series: [{ event: purchase, values: 1000*15, weight: 5 }]\nquiet: true')],
  ['a rule by country without a segment', one('series: [{ event: search, values: 1000*15 }]\nquiet: true')],
  ['hourly and daily rules', one('series: [{ metric: sessions, values: 1000*15 }]\nquiet: true')],
  [
    'hourly and daily rules listed in "rules"',
    one('rules: [sessions-a-day, sessions]\nseries: [{ metric: sessions, values: 1000*15 }]\nquiet: true'),
  ],
  [
    'series of different lengths',
    one('series:\n  - { event: paid, values: 5*15 }\n  - { event: begun, values: 5*14 }\nquiet: true'),
  ],
  [
    'a date that does not exist',
    'tests: [{ name: a, starts: 2026-02-30, series: [{ event: purchase, values: 5*15 }], quiet: true }]',
  ],
  [
    'a start in the middle of a day',
    'tests: [{ name: a, starts: 2026-02-03 12:00, series: [{ event: purchase, values: 5*15 }], quiet: true }]',
  ],
  ['an unknown zone', one(`${steady}zone: Berlin\nquiet: true`)],
  ['an unknown rule', one(`${steady}rules: [purchase]\nquiet: true`)],
  ['an alert of an unknown rule', one(`${steady}alerts: [{ fired: purchase }]`)],
  ['an alert of a rule without values', one(`${steady}alerts: [{ fired: rage }]`)],
  [
    'an alert of a composite rule with values for one member',
    one(`${steady}alerts: [{ fired: fewer-of-both }]`),
  ],
  ['an alert of a rule that is not named', one(`${steady}rules: [purchases]\nalerts: [{ fired: rises }]`)],
  ['an alert without a transition', one(`${steady}alerts: [{ window: 2026-01-06 }]`)],
  ['an alert with two transitions', one(`${steady}alerts: [{ fired: purchases, recovered: purchases }]`)],
  ['a misspelt transition', one(`${steady}alerts: [{ fires: purchases }]`)],
  ['a segment of a rule without segments', one(`${steady}alerts: [{ fired: purchases, segment: DE }]`)],
  ['"stopped" with the name of a rule', one(`${steady}alerts: [{ stopped: purchases }]`)],
  ['a change without its sign', one(`${steady}alerts: [{ fired: purchases, change: -60 }]`)],
  [
    'a revision of an unknown window',
    one(
      'series: [{ event: purchase, values: 5*15, revisions: [{ window: 2026-03-01, value: 3, seen: 2026-03-02 }] }]\nquiet: true',
    ),
  ],
  [
    'revisions out of order',
    one(
      'series:\n  - event: purchase\n    values: 5*15\n    revisions:\n      - { window: 2026-01-06, value: 3, seen: 2026-01-09 }\n      - { window: 2026-01-06, value: 4, seen: 2026-01-08 }\nquiet: true',
    ),
  ],
  [
    'two tests with the same name',
    `${one(`${steady}quiet: true`)}\n  - name: a\n    starts: 2026-01-05\n    series: [{ event: purchase, values: 5*15 }]\n    quiet: true`,
  ],
  [
    'an invalid default, reported once',
    'defaults: { starts: soon, quiet: true, series: [{ event: purchase, values: 5*15 }] }\ntests: [{ name: a }]',
  ],
];

test('the problems of every wrong test match the golden file', async () => {
  const all = WRONG.map(([name, text]) => `### ${name}\n\n${formatProblems(boundIn(text).problems)}\n`);
  await expect(all.join('\n')).toMatchFileSnapshot('../../golden/wrong-rule-tests.txt');
});

test('an invalid test does not affect the others of its file', () => {
  const wrong = one('series: [{ event: purchases, values: 1000*15 }]\nquiet: true');
  const right = `  - { name: b, starts: 2026-01-05, ${steady.trim()}, quiet: true }`;
  const { tests, problems } = boundIn(`${wrong}\n${right}`);
  expect(tests.map(({ name, place }) => [name, place])).toEqual([['b', 'rules/a.test.yaml:6']]);
  expect(problems).toHaveLength(1);
});
