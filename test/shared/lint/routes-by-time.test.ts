import { expect, test } from 'vitest';
import { routeFindings, routeTimeFindings } from '../../../shared/lint/routes.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const channels = {
  team: { slack: { webhook_secret: 'a' } },
  boss: { slack: { webhook_secret: 'b' } },
};
const nights = { weekly: [{ days: ['mon-fri'], from: '20:00', to: '08:00' }] };
const rules = [ruleNamed('sales', { severity: 'critical' })];

/** The routes, most with `match: {}`. */
function codesOf(routes: Record<string, unknown>[], others: Record<string, unknown> = {}): string[] {
  const parsed = routesSchema.parse({
    channels,
    calendars: { nights },
    default: ['team'],
    ...others,
    routes: routes.map((route, i) => ({ name: `r${i}`, match: {}, channels: ['boss'], ...route })),
  });
  const findings = [...routeFindings(rules, parsed), ...routeTimeFindings(rules, parsed, MONDAY)];
  return findings.map(({ code, path }) => `${code} ${path.join('.')}`);
}

test.each<[string, string[], Record<string, unknown>[]]>([
  ['a route behind one that is active at times', [], [{ active: 'nights' }, {}]],
  ['a route behind one that continues', [], [{ continue: true }, { mute: [], active: 'nights' }]],
  ['a route behind one that always applies', ['route-idle routes.1.match'], [{}, {}]],
])('%s has the findings %j', (_name, findings, routes) => {
  expect(codesOf(routes)).toEqual(findings);
});

test('a critical rule is reported if nobody is notified of it at some time', () => {
  const muted = { match: { rule: 'sales' }, mute: 'nights' };
  expect(codesOf([muted])).toEqual(['critical-muted severity']);
  expect(codesOf([{ ...muted, continue: true }, { channels: ['team'] }])).toEqual([]);
  expect(codesOf([{ active: 'nights' }, muted])).toEqual([]);
  const routes = routesSchema.parse({
    ...{ channels, calendars: { nights }, default: ['team'] },
    routes: [{ name: 'quiet', channels: ['boss'], ...muted }],
  });
  expect(routeTimeFindings(rules, routes, MONDAY)[0]?.message).toBe(
    'the rule is critical, but nobody is notified at once while its route quiet is muted; add a route without "mute" that is active then',
  );
});

test.each([
  ['the default', { default: { channels: ['team'], mute: ['nights'] } }, [], ['default', 'mute']],
  ['a route', {}, [{ match: { owner: 'growth' } }, { mute: ['nights'] }], ['routes', 1, 'mute']],
])('a finding about muted app alerts points at the "mute" of %s', (_, others, routes, path) => {
  expect(codesOf(routes, others)).toContain(`stop-muted ${path.join('.')}`);
});

test.each<[every: string, zone: string, when?: string, from?: string, to?: string]>([
  ['day at 07:00', 'UTC', 'in January'],
  ['day at 08:00', 'UTC'],
  ['day at 15:30', 'UTC', 'in July'],
  ['day at 20:00', 'Europe/Berlin', 'always'],
  ['cron 0 5,12 * * *', 'UTC'],
  ['month at 05:00', 'UTC'],
  ['hour at :00', 'UTC', 'always', '09:10', '09:50'],
])(
  'a rule of %j (%s) runs %s outside the active hours of its route',
  (every, zone, when, from = '09:00', to = '17:00') => {
    const office = { zone: 'Europe/Berlin', weekly: [{ days: ['mon-sun'], from, to }] };
    const rule = ruleNamed('a', { every, zone, window: 'day' });
    const routes = (others: object) =>
      routesSchema.parse({
        ...{ channels, calendars: { office: { ...office, ...others } }, default: ['team'] },
        routes: [{ name: 'desk', match: {}, active: 'office', channels: ['boss'] }],
      });
    expect(routeTimeFindings([rule], routes({}), MONDAY).map(({ message }) => message)).toEqual(
      when === undefined
        ? []
        : [expect.stringContaining(`which is ${when} outside "active" (office) of the route desk`)],
    );
    const withHolidays = routes({ holidays: { days: ['2026-12-24'] } });
    expect(routeTimeFindings([rule], withHolidays, MONDAY)).toEqual([]);
    expect(routeTimeFindings([{ ...rule, quiet: true }], routes({}), MONDAY)).toEqual([]);
  },
);
