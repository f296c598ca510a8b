import { expect, test } from 'vitest';
import { activeTimeFindings } from '../../../shared/lint/active-times.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const office = { weekly: [{ days: ['mon-fri'], from: '09:00', to: '17:00' }] };
const routesWith = (calendar: object, match: object = { owner: 'growth' }) =>
  routesSchema.parse({
    channels: { team: { slack: { webhook_secret: 'slack-team' } } },
    calendars: { office: calendar },
    default: ['team'],
    routes: [{ name: 'desk', match, channels: ['team'], active: 'office' }],
  });
const at = (id: string, every: string, others = {}) => ruleNamed(id, { every, owner: 'growth', ...others });

test('a rule that runs only outside "active" is reported, and so is a route with no other rule', () => {
  const findings = activeTimeFindings([at('early', 'day at 07:00')], routesWith(office), MONDAY);
  expect(findings.map(({ code, path }) => `${code} ${path.join('.')}`)).toEqual([
    'runs-outside-active every',
    'active-unreached routes.0.active',
  ]);
  expect(findings[0]?.message).toContain('always outside "active" (office) of the route desk');
  const mixed = activeTimeFindings(
    [at('early', 'day at 07:00'), at('noon', 'day at 12:00')],
    routesWith(office),
    MONDAY,
  );
  expect(mixed.map(({ code }) => code)).toEqual(['runs-outside-active']);
});

test.each([
  ['runs inside at some hours', at('both', 'cron 0 7,12 * * *'), office],
  ['runs on days of the month', at('monthly', 'month at 07:00'), office],
  ['is quiet', at('silent', 'day at 07:00', { quiet: true }), office],
  [
    'has a calendar with holidays',
    at('early', 'day at 07:00'),
    { ...office, holidays: { days: ['2026-12-24'] } },
  ],
])('nothing is certain, or wrong, if the rule %s', (_, rule, calendar) => {
  expect(activeTimeFindings([rule], routesWith(calendar), MONDAY)).toEqual([]);
});

test('the alert that the app sends nothing reaches a route at the runs of every rule of the app', () => {
  const rules = [at('early', 'day at 07:00'), at('noon', 'day at 12:00', { owner: 'shop' })];
  const routes = routesWith(office, { rule: ['early', 'app:*'] });
  expect(activeTimeFindings(rules, routes, MONDAY).map(({ code }) => code)).toEqual(['runs-outside-active']);
});
