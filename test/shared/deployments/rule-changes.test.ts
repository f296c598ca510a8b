import { describe, expect, test } from 'vitest';
import { routeChanges } from '../../../shared/deployments/route-changes.ts';
import { cadenceChanges, ruleChanges } from '../../../shared/deployments/rule-changes.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { buildRule, entryOf, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const sales = ruleNamed('sales');

describe('ruleChanges', () => {
  test.each([
    ['a bound', { fire: { change: { below: '-40%' } } }, true, 'fire.change.below', '-30%', '-40%'],
    ['a filter', { filters: [] }, true, 'filters', expect.stringContaining('purchase'), '[]'],
    ['a metric', { metric: 'event_users' }, true, 'metric', 'event_count', 'event_users'],
    ['a runbook', { runbook: 'Ask.' }, false, 'runbook', undefined, 'Ask.'],
    ['a severity', { severity: 'critical' }, false, 'severity', 'warning', 'critical'],
    ['a cadence', { every: 'day at 02:00' }, false, 'every', 'day at 01:00', 'day at 02:00'],
  ])(
    'reports %s by its path, and whether alerts start over',
    (_, overrides, startsOver, field, before, after) => {
      const { changed, added, removed, unchanged } = ruleChanges([sales], [ruleNamed('sales', overrides)]);
      expect(changed).toMatchObject([{ startsOver, fields: [{ field, ...(before && { before }), after }] }]);
      expect([added, removed, unchanged]).toEqual([[], [], 0]);
    },
  );

  test('reports no change between a rule and its stored form', () => {
    const stored = buildRule(ruleSetEntrySchema.parse(entryOf(sales)));
    expect(ruleChanges([stored], [sales])).toMatchObject({ changed: [], unchanged: 1 });
  });

  test('reports added, removed and renamed rules', () => {
    const renamed = ruleNamed('revenue', { title: 'Revenue' });
    const other = ruleNamed('other', { metric: 'event_users' });
    const changes = ruleChanges([sales], [renamed, other]);
    expect(changes.added.map(({ id }) => id)).toEqual(['revenue', 'other']);
    expect(changes.removed).toEqual([sales]);
    expect(changes.renamed).toEqual([{ before: sales, after: renamed }]);
  });
});

test('cadenceChanges reports cadences that gain a first rule or lose the last one', () => {
  const [hourly, nightly] = [ruleNamed('a', { every: 'hour' }), ruleNamed('b', { every: 'day at 02:00' })];
  expect(cadenceChanges([sales, hourly], [sales, nightly])).toMatchObject({
    added: [{ every: 'day at 02:00' }],
    removed: [{ every: 'hour' }],
  });
  expect(cadenceChanges([sales], [ruleNamed('other')])).toEqual({ added: [], removed: [] });
});

describe('routeChanges', () => {
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

  test('lists the rules that a new route redirects', () => {
    const changes = routeChanges(ROUTES, two, [sales, ruleNamed('other')]);
    expect(changes.redirected).toEqual([{ rule: 'sales', before: ['team'], after: ['night'] }]);
    expect(changes.channels).toEqual([{ name: 'night', change: 'added', fields: [] }]);
    expect(changes.routes.map(({ name, change }) => `${name} ${change}`)).toEqual([
      'sales added',
      'all added',
    ]);
    expect(changes.routesReordered).toBe(false);
  });

  test('reports reordered routes and the rules that they redirect', () => {
    const turned = { ...two, routes: two.routes.toReversed() };
    const changes = routeChanges(two, turned, [sales]);
    expect(changes).toMatchObject({ channels: [], routes: [], routesReordered: true });
    expect(changes.redirected).toMatchObject([{ before: ['night'], after: ['team'] }]);
  });

  test('reports a channel with another secret as changed', () => {
    const elsewhere = routesSchema.parse({
      channels: { team: { slack: { webhook_secret: 'slack-new' } } },
      default: ['team'],
    });
    const fields = [{ field: 'slack.webhook_secret', before: 'slack-webhook', after: 'slack-new' }];
    expect(routeChanges(ROUTES, elsewhere, []).channels).toEqual([
      { name: 'team', change: 'changed', fields },
    ]);
  });
});
