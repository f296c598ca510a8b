import { expect, test } from 'vitest';
import { deploymentPlan } from '../../../cli/deploy/deployment-plan.ts';
import { type Routes, routesSchema } from '../../../shared/notifications/routes.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const sales = ruleNamed('sales');
const two = routesSchema.parse({
  channels: {
    team: { slack: { webhook_secret: 'slack-webhook' } },
    night: { sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:night' } },
  },
  default: ['team'],
  routes: [
    { name: 'sales', match: { rule: 'sales' }, channels: ['night'] },
    { name: 'all', match: { app: '*' }, channels: ['team'] },
  ],
});

const planOf = (before: [Rule[], Routes], after: [Rule[], Routes]) => {
  const [[wasRules, wasRoutes], [rules, routes]] = [before, after];
  const current = { version: 'v1', rules: wasRules, routes: wasRoutes };
  const state = { deployed: { version: 'v1', sinceAt: null, by: null }, open: [], deployment: undefined };
  return deploymentPlan({ version: 'v2', rules, routes }, { ...state, current });
};

test('a cadence is added with its first rule, and removed with its last', () => {
  const [hourly, nightly] = [ruleNamed('a', { every: 'hour' }), ruleNamed('b', { every: 'day at 02:00' })];
  expect(planOf([[sales, hourly], ROUTES], [[sales, nightly], ROUTES]).cadences).toMatchObject([
    { name: 'every day at 02:00 (UTC)', change: 'added' },
    { name: 'every hour (UTC)', change: 'removed' },
  ]);
  expect(planOf([[sales], ROUTES], [[ruleNamed('other')], ROUTES]).cadences).toEqual([]);
});

test('a new route redirects rules', () => {
  const rules = [sales, ruleNamed('other')];
  const plan = planOf([rules, ROUTES], [rules, two]);
  expect(plan.redirected).toEqual([{ rule: 'sales', before: ['team'], after: ['night'] }]);
  expect(plan.routes.map(({ name, change }) => `${name} ${change}`)).toEqual([
    ...['channel night added', 'route sales added', 'route all added'],
  ]);
});

test('another order of the routes is a change', () => {
  const plan = planOf([[sales], two], [[sales], { ...two, routes: two.routes.toReversed() }]);
  expect(plan.routes.map(({ name }) => name)).toEqual(['the order of the routes']);
  expect(plan.redirected).toMatchObject([{ before: ['night'], after: ['team'] }]);
});

test('a channel with another secret is changed', () => {
  const channels = { team: { slack: { webhook_secret: 'slack-new' } } };
  const fields = [{ field: 'slack.webhook_secret', before: 'slack-webhook', after: 'slack-new' }];
  const plan = planOf([[], ROUTES], [[], routesSchema.parse({ channels, default: ['team'] })]);
  expect(plan.routes).toEqual([{ name: 'channel team', change: 'changed', fields }]);
});
