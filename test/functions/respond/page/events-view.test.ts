import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsView } from '../../../../functions/respond/page/events-view.ts';
import { createHttpMetricSource } from '../../../../shared/source/metric-source.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { options } from '../../../contracts/metric-sources.ts';
import { alertOf, evaluationOf, ruleNamed } from '../../../fixtures/builders.ts';
import { event, type Sample, sample, session } from '../../data-access/sample-app.ts';

const DAY = Date.parse('2026-04-08T00:00:00Z');
const window = { startAt: DAY, endAt: DAY + DAY_MS };

let service: Sample;
beforeAll(async () => {
  const sessions = ['Spain', 'France', null].map((country, i) =>
    session({
      recorded_at: `2026-04-08T1${i}:00:00Z`,
      country,
      platform: i ? 'ios' : 'android',
      user_id: `u${i}`,
    }),
  );
  const events = sessions.flatMap((of) => [
    event(of, { properties: { plan: '<b>pro</b>', price: 5 } }),
    event(of, { event_name: 'view_item' }),
    event(of, { event_name: 'search' }),
  ]);
  service = await sample({ sessions, events });
});
afterAll(() => service.close());

async function shown(keys: Record<string, unknown>, segment: string | null = null): Promise<string> {
  const rule = ruleNamed('any', { app: 'shop', ...keys });
  const last = evaluationOf(0, { current: { window } });
  const source = createHttpMetricSource(options(service));
  return String((await eventsView(alertOf(rule, { segment, last }), rule, source))?.body);
}

const users = (page: string) =>
  [...page.matchAll(/data-label="User"><span><bdi>(\w+)/g)].map(([, user]) => user);

test.each<[string, Record<string, unknown>, string | null, string[]]>([
  ['of an event', {}, null, ['u2', 'u1', 'u0']],
  ['of a segment', { group_by: 'device_country' }, 'Spain', ['u0']],
  ['of two attributes', { group_by: ['device_platform', 'device_country'] }, 'ios, France', ['u1']],
  [
    'of a property',
    { group_by: { attribute: 'event_custom_property', property_name: 'plan' } },
    '<b>pro</b>',
    ['u2', 'u1', 'u0'],
  ],
  [
    'of both events of a ratio',
    { filters: [], metric: undefined, ratio: { of: 'purchase', to: 'view_item' } },
    null,
    ['u2', 'u2', 'u1', 'u1', 'u0', 'u0'],
  ],
  ['of sessions', { filters: [], metric: 'sessions', group_by: 'device_platform' }, 'android', ['u0']],
  ['of users, which are those of their sessions', { filters: [], metric: 'users' }, null, ['u2', 'u1', 'u0']],
  [
    'of a computed figure, its first part',
    {
      filters: [],
      metric: undefined,
      ratio: {
        of: {
          metric: 'event_count',
          filters: [{ attribute: 'event_name', operator: 'equal', value: 'search' }],
        },
        to: { metric: 'sessions' },
      },
    },
    null,
    ['u2', 'u1', 'u0'],
  ],
])('lists the records %s', async (_, keys, segment, expected) => {
  expect(users(await shown(keys, segment))).toEqual(expected);
});

test('properties are words, and never markup', async () => {
  expect(await shown({})).toContain('plan: &quot;&lt;b&gt;pro&lt;/b&gt;&quot;, price: 5');
});

test('leaves out the columns that no record fills', async () => {
  const page = await shown({});
  expect(page).toContain('>Properties<');
  const filters = [{ attribute: 'event_name', operator: 'equal', value: 'search' }];
  expect(await shown({ filters })).not.toContain('>Properties<');
});

test('says that there are none, and why they cannot be read', async () => {
  const filters = [{ attribute: 'event_name', operator: 'equal', value: 'none' }];
  expect(await shown({ filters })).toContain('There are none.');
  expect(await shown({ app: 'other' })).toMatch(/They cannot be listed: .*access/);
});

test.each(['', 'others'])(
  'does not take the segment "%s", which no filter selects, for empty',
  async (segment) => {
    expect(await shown({ group_by: 'device_country' }, segment)).toMatch(/cannot be listed: no filter/);
  },
);

test.each(['event_count', 'sessions'])(
  'times of %s are in the zone of the rule, as elsewhere',
  async (metric) => {
    const page = await shown({ filters: [], metric, zone: 'Europe/Berlin' });
    expect(page).toContain('Wed 8 Apr 2026, 12:00<');
    expect(page).not.toContain('T10:00');
  },
);
