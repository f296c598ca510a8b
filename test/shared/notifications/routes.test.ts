import { describe, expect, it, test } from 'vitest';
import {
  receiversOf,
  replacementFor,
  routesAtAnyTime,
  routesFor,
  routesSchema,
  settingsOf,
} from '../../../shared/notifications/routes.ts';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';
import { matches } from '../../../shared/silences/matching.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const subject = {
  app: 'shop',
  rule: 'checkout-drop',
  owner: 'pay',
  severity: 'critical',
  segment: 'Germany',
};

describe('a match', () => {
  test.each([
    ['of nothing fits everything', {}, true],
    ['of an equal value fits', { rule: 'checkout-drop' }, true],
    ['of another value does not fit', { rule: 'checkout' }, false],
    ['of a prefix fits', { rule: 'checkout-*' }, true],
    ['of a suffix fits', { rule: '*-drop' }, true],
    ['of parts in their order fits', { rule: 'c*k*t-*p' }, true],
    ['of parts in another order does not fit', { rule: '*drop*check*' }, false],
    ['of parts that would have to overlap does not fit', { rule: 'checkout-d*-drop' }, false],
    ['of a part that repeats more often than in the value does not fit', { rule: '*out*out*' }, false],
    ['of "*" fits any value', { segment: '*' }, true],
    ['of a dot does not fit another character', { rule: 'checkout.drop' }, false],
    ['of a list fits if one entry does', { owner: ['growth', 'pa*'] }, true],
    ['of a list without the value does not fit', { owner: ['growth'] }, false],
    ['of two keys fits if both match', { app: 'shop', severity: ['warning', 'critical'] }, true],
    ['of two keys does not fit if only one matches', { app: 'shop', severity: 'info' }, false],
  ])('%s', (_name, match, expected) => {
    expect(matches(match, subject)).toBe(expected);
  });

  test('of a segment does not fit a rule as a whole', () => {
    expect(matches({ segment: '*' }, { ...subject, segment: null })).toBe(false);
  });

  test('of a hostile pattern takes no time', () => {
    expect(matches({ segment: `${'a*'.repeat(5000)}b` }, { ...subject, segment: 'a'.repeat(50_000) })).toBe(
      false,
    );
  });
});

const YAML = `
channels:
  team: { slack: { webhook_secret: a } }
  boss: { slack: { webhook_secret: b } }
calendars:
  nights: { zone: Europe/Berlin, weekly: [{ days: [mon-fri], from: "20:00", to: "08:00" }] }
default: { channels: [team], mute: [nights] }
routes:
  - { name: german, match: { segment: Germany }, channels: [boss], group_by: [rule], repeat: { after: 4 hours } }
  - { name: other, match: { app: [demo, shop] }, channels: [team, boss] }
`;
const RULES =
  'rules:\n  - { id: a, title: A, app: demo, owner: team, every: hour, metric: sessions, fire: { change: { above: 10% } } }\n';

/** The problems of these routes, without source excerpts. */
function problemsOf(yaml: string): string[] {
  const loaded = buildRuleSet(
    'rules',
    new Map([
      ['a.yaml', RULES],
      ['routes.yaml', yaml],
    ]),
  );
  return loaded.kind === 'problems'
    ? loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    : [];
}

describe('routes', () => {
  const loaded = buildRuleSet(
    'rules',
    new Map([
      ['a.yaml', RULES],
      ['routes.yaml', YAML],
    ]),
  );
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  const { routes } = loaded.ruleSet;
  const rule = ruleNamed('sales');

  it.each([
    ['the first match', { ...rule, segment: 'Germany' }, 'german', ['boss']],
    ['a later match for another segment', { ...rule, segment: 'France' }, 'other', ['team', 'boss']],
    ['a later match for the rule as a whole', rule, 'other', ['team', 'boss']],
    ['the default without a match', { ...rule, app: 'web' }, 'default', ['team']],
  ])('select %s', (_name, about, route, channels) => {
    expect(receiversOf(routesFor(about, routes, 0))).toEqual(channels.map((channel) => ({ channel, route })));
  });

  it('apply while one of their calendars covers the time', () => {
    const byTime = routesSchema.parse({
      channels: routes.channels,
      calendars: {
        days: { weekly: [{ days: ['mon-fri'], from: '09:00', to: '18:00' }] },
        sundays: { weekly: [{ days: ['sun'] }] },
      },
      default: ['team'],
      routes: [
        { name: 'other', match: { app: 'web' }, channels: ['team'] },
        { name: 'active', match: {}, channels: ['boss'], active: ['days', 'sundays'] },
      ],
    });
    const at = (time: string) => routesFor(rule, byTime, Date.parse(time))[0]?.name;
    expect(['2026-03-02T09:00Z', '2026-03-01T00:00Z'].map(at)).toEqual(['active', 'active']);
    expect(['2026-03-02T08:59Z', '2026-03-02T18:00Z', '2026-03-07T12:00Z'].map(at)).toEqual([
      ...['default', 'default', 'default'],
    ]);
    expect(routesAtAnyTime(rule, byTime).map(({ name }) => name)).toEqual(['active', 'default']);
    expect(routesAtAnyTime({ ...rule, app: 'web' }, byTime).map(({ name }) => name)).toEqual(['other']);
  });

  describe('that continue', () => {
    const continued = (...given: [string, Record<string, unknown>][]) =>
      routesSchema.parse({
        channels: { ...routes.channels, ops: routes.channels.team },
        calendars: routes.calendars,
        default: ['ops'],
        routes: given.map(([name, settings]) => ({ name, match: {}, ...settings })),
      });
    const [night, day] = [Date.parse('2026-03-02T23:00Z'), Date.parse('2026-03-02T12:00Z')];

    it('are followed by the next match, and each channel gets the first route that names it', () => {
      const all = continued(
        ['a', { channels: ['team'], continue: true }],
        ['b', { channels: ['boss', 'team'] }],
        ['c', { channels: ['ops'] }],
      );
      expect(receiversOf(routesFor(rule, all, day))).toEqual([
        { channel: 'team', route: 'a' },
        { channel: 'boss', route: 'b' },
      ]);
      expect(routesAtAnyTime(rule, all).map(({ name }) => name)).toEqual(['a', 'b']);
    });

    it('are not followed by the default, which takes what no route takes', () => {
      const all = continued(['a', { channels: ['team'], active: 'nights', continue: true }]);
      expect([night, day].map((at) => receiversOf(routesFor(rule, all, at)))).toEqual([
        [{ channel: 'team', route: 'a' }],
        [{ channel: 'ops', route: 'default' }],
      ]);
      expect(routesAtAnyTime(rule, all).map(({ name }) => name)).toEqual(['a', 'default']);
    });
  });

  it('have their own settings, and those of the default once removed', () => {
    expect(settingsOf('german', routes)).toMatchObject({
      group_by: ['rule'],
      repeat: { after: '4 hours' },
      mute: [],
    });
    expect(settingsOf('removed', routes)).toMatchObject({ channels: ['team'], mute: ['nights'] });
    expect(replacementFor('removed', routes)).toBe('team');
  });

  it.each([
    [
      'a key of a setting',
      'group_by: [rule]',
      'group: [rule]',
      '9:68 unknown key "group"; did you mean "group_by"?',
    ],
    [
      'a span without an end',
      ', to: "08:00"',
      '',
      '6:43 "to" is missing; give "from" and "to", or neither for whole days',
    ],
    [
      'a span of no length',
      '"08:00"',
      '"20:00"',
      '6:81 must differ from "from"; for whole days, remove "from" and "to"',
    ],
    [
      'a country',
      'zone: Europe/Berlin',
      'holidays: { country: XX }',
      '6:34 unknown country "XX"; use a code of two letters whose public holidays are known, such as "DE"',
    ],
  ])('with %s wrong are refused at its position', (_name, right, wrong, problem) => {
    expect(YAML).toContain(right);
    expect(problemsOf(YAML.replace(right, wrong))).toContainEqual(expect.stringContaining(problem));
  });
});
