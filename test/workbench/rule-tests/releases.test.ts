import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { failing, ruleSetOf } from './example-rules.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: none } } }\ndefault: [team]\n';
const REFERENCE = new URL('../../../docs/reference/rules.md', import.meta.url);

/** The rule of the reference. */
const RAGE =
  /```yaml\nrules:\n( {2}- id: rage-of-releases\n.*?)```/s.exec(readFileSync(REFERENCE, 'utf8'))?.[1] ?? '';

const failures = (more: object = {}) =>
  stringify([
    {
      ...{ id: 'failures', title: 'Failures', app: 'demo', owner: 'team', every: 'day at 07:00' },
      ...{ ratio: { of: 'failed', to: 'started' }, group_by: 'app_version' },
      ...{ fire: { change: { above: '50%', below: '-50%' } }, ...more },
    },
  ]);

const outcome = (rules: string, series: string[], alerts: string) =>
  failing(
    `tests:\n  - name: a\n    starts: 2026-01-05\n    series:\n${series.map((each) => `      - ${each}\n`).join('')}    ${alerts}\n`,
    ruleSetOf(`rules:\n${rules.trimEnd().replaceAll(/^/gm, '  ')}\n`, ROUTES),
  );

const rage = (segment: string, values: string, weight: number) =>
  `{ metric: rage_gestures_per_session, group_by: app_version, segment: ${segment}, values: ${values}, weight: ${weight} }`;
const share = (segment: string, started: string, failed: string) => [
  `{ event: started, segment: ${segment}, values: ${started} }`,
  `{ event: failed, segment: ${segment}, values: ${failed} }`,
];

test('the rule of the reference has eight lines and finds a release within its first hours', async () => {
  expect(RAGE.trim().split('\n')).toHaveLength(8);
  const series = [rage('5.9.0', '0.2*24', 400), rage('5.10.0', '_*10 0.5*14', 30)];
  const window = '{ fired: rage-of-releases, segment: 5.10.0, window: 2026-01-05 16:00 }';
  expect(await outcome(stringify(parse(RAGE)), series, `alerts: [${window}]`)).toBe('');
});

test.each([
  ['a release that is as good', '0.2'],
  ['a release that is a little worse', '0.26'],
  ['a better release', '0.1'],
])('%s fires nothing', async (_, value) => {
  const series = [rage('5.9.0', '0.2*24', 400), rage('5.10.0', `_*4 ${value}*20`, 300)];
  expect(await outcome(stringify(parse(RAGE)), series, 'quiet: true')).toBe('');
});

/** Day by day, the sessions of a new version among 1,000 are `counts`; from its second day on, the share `fails` of them fails. */
const rolledOut = (counts: number[], fails: number) => {
  const old = counts.map((count) => 1000 - count);
  const failed = counts.slice(7).map((count, day) => Math.round(count * (day < 1 ? 0.1 : fails)));
  return [
    ...share('3.1.0', old.join(' '), old.map((count) => Math.round(count * 0.1)).join(' ')),
    ...share('3.2.0', `_*7 ${counts.slice(7).join(' ')}`, `_*7 ${failed.join(' ')}`),
  ];
};
const RAMPS: [string, number[]][] = [
  ['fast', [...Array<number>(7).fill(0), 500, ...Array<number>(16).fill(950)]],
  ['slow', Array.from({ length: 28 }, (_, day) => Math.max(0, day - 6) * 40)],
  ['long tail', [...Array<number>(7).fill(0), 300, 600, 800, 900, 950, 980, ...Array<number>(20).fill(995)]],
];

test.each(RAMPS)('a %s roll-out fires for neither the new version nor the old one', async (_, counts) => {
  expect(await outcome(failures(), rolledOut(counts, 0.1), 'quiet: true')).toBe('');
});

test.each(RAMPS)('a version that breaks in a %s roll-out is found', async (_, counts) => {
  const alerts = 'alerts: [{ fired: failures, segment: 3.2.0 }]';
  expect(await outcome(failures(), rolledOut(counts.slice(0, 14), 0.3), alerts)).toBe('');
});

test('the alert of a version ends when its users have moved on', async () => {
  const bad = share('3.1.0', '1000*3 1000*4 500*3 100*2 5*20', '100*3 350*4 175*3 35*2 1*20');
  const before = share('3.0.0', '1000*32', '100*32');
  const alerts = `alerts:
      - { fired: failures, segment: 3.1.0 }
      - { recovered: failures, segment: 3.1.0, reason: too little data to compare }`;
  expect(await outcome(failures(), [...bad, ...before], alerts)).toBe('');
});

test('the alert of a version ends when the version before is gone', async () => {
  const bad = share('3.1.0', '1000*32', '350*32');
  const before = share('3.0.0', '1000*5 5*27', '100*5 0*27');
  const alerts = `alerts:
      - { fired: failures, segment: 3.1.0 }
      - { recovered: failures, segment: 3.1.0, reason: too little data to compare }`;
  expect(await outcome(failures(), [...bad, ...before], alerts)).toBe('');
});

test('each platform has its own versions', async () => {
  const by = { group_by: ['device_platform', 'app_version'] };
  const series = [
    ...share('"ios, 3.1.0"', '1000*5', '300*5'),
    ...share('"ios, 3.0.0"', '1000*5', '300*5'),
    ...share('"android, 3.2.0"', '1000*5', '300*5'),
    ...share('"android, 3.0.0"', '1000*5', '100*5'),
  ];
  const alerts = 'alerts: [{ fired: failures, segment: "android, 3.2.0" }]';
  expect(await outcome(failures(by), series, alerts)).toBe('');
});

test('a country is compared with the others', async () => {
  const by = { group_by: 'device_country', compare: { to: 'other_segments' } };
  const country = (name: string, failed: string) => share(name, '1000*9', failed);
  const series = [...country('DE', '100*9'), ...country('FR', '100*4 240*5'), ...country('ES', '100*9')];
  expect(await outcome(failures(by), series, 'alerts: [{ fired: failures, segment: FR }]')).toBe('');
});

test.each([
  [
    'a count',
    { metric: 'event_count', filters: [{ attribute: 'event_name', operator: 'equal', value: 'failed' }] },
    'the count of a segment follows its number of users; watch a ratio: "ratio: { of: failed, to: { metric: sessions } }"',
  ],
  [
    'a percentile',
    { metric: { p95: 'load_ms' } },
    'segments can be compared by a ratio, a mean or an average, which have a test of two samples',
  ],
  ['no segments', { metric: 'session_seconds', group_by: undefined }, 'compares segments; add "group_by"'],
  [
    'segments that are no versions',
    { metric: 'session_seconds', group_by: 'device_country' },
    'there is no version in "group_by"; group by app_version, or use "other_segments"',
  ],
  [
    'a count with a season',
    { ratio: undefined, metric: 'sessions', compare: undefined, fire: undefined, anomaly: true },
    'the count of a segment follows its number of users; watch a ratio',
  ],
])('%s cannot be compared with the version before', (_, keys, message) => {
  const entry = { group_by: 'app_version', compare: { to: 'previous_version' }, ...keys };
  const whole = { id: 'a', title: 'A', app: 'demo', owner: 'team', every: 'day at 07:00' };
  const { error } = ruleSetEntrySchema.safeParse({ ...whole, fire: { change: { above: '50%' } }, ...entry });
  expect(error?.issues.map((issue) => issue.message).join()).toContain(message);
});
