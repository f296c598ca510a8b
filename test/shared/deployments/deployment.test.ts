import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ChannelConfig } from '../../../shared/channels/kinds.ts';
import { deploymentFor, missingIn, RULE_FORMAT } from '../../../shared/deployments/deployment.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { storedRuleSchema } from '../../../shared/rules/rule.ts';
import { RULE_EXAMPLES } from '../../../shared/rules/rule-examples.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';
import { ROUTES, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';

const MAIL = { to: ['team@example.com'], from: 'a@example.com' };
const EXAMPLE = { id: 'sales', title: 'Sales', app: 'shop', owner: 'shop', every: 'day at 06:00' };
const about = { stack: 'deltawatch-staging-alerting', hasButtons: false };
const deployed = ruleSetOf(ruleNamed('sales'));
const deployment = deploymentFor(deployed, about);

const withChannel = (config: ChannelConfig) => ({
  ...deployed,
  routes: { ...ROUTES, channels: { ...ROUTES.channels, other: config } },
});

test('deployed rules miss nothing, and neither do similar new rules', () => {
  expect(deployment).toMatchObject({ ...about, secrets: ['slack-webhook'], targets: [] });
  expect(missingIn(deployment, deployed)).toEqual([]);
  expect(missingIn(deployment, ruleSetOf(ruleNamed('a'), ruleNamed('b')))).toEqual([]);
});

test('rules in a newer format than the deployed code reads need a deployment', () => {
  const older = { ...deployment, ruleFormat: RULE_FORMAT - 1 };
  expect(missingIn(older, deployed)).toEqual([{ kind: 'code', name: String(RULE_FORMAT), by: [] }]);
  expect(missingIn({ ...deployment, ruleFormat: RULE_FORMAT + 1 }, deployed)).toEqual([]);
});

test('the schema of stored rules changes only together with RULE_FORMAT', () => {
  const schemas = [storedRuleSchema, routesSchema].map((schema) =>
    z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => {
        delete jsonSchema.description;
        delete jsonSchema.default;
      },
    }),
  );
  // If deployed code cannot read the new schema, raise RULE_FORMAT. Then update the values here.
  expect({ form: RULE_FORMAT, schemas: contentHash(schemas) }).toEqual({
    form: 8,
    schemas: 'dfba550102ded3fd',
  });
});

test('what is built of an entry changes only together with RULE_FORMAT, and survives as JSON', () => {
  const rule = { ...EXAMPLE, metric: 'event_count', fire: { change: { below: '-20%' } } };
  const built = Object.entries(RULE_EXAMPLES).flatMap(([key, values]) =>
    values.flatMap((value) =>
      [rule, EXAMPLE].flatMap((other) => storedRuleSchema.safeParse({ ...other, [key]: value }).data ?? []),
    ),
  );
  expect(built.length).toBeGreaterThan(40);
  expect(JSON.parse(JSON.stringify(built))).toEqual(built);
  // Other code trusts what is stored under its own RULE_FORMAT: raise it. Then update the values here.
  expect({ form: RULE_FORMAT, built: contentHash(built) }).toEqual({ form: 8, built: '3a44046a03c248a4' });
});

test('a cadence without a schedule is reported once, with its rules', () => {
  const rules = ['a', 'b'].map((id) => ruleNamed(id, { every: 'hour at :20' }));
  const missing = { kind: 'cadence', name: 'minute-20-UTC', by: ['a', 'b'] };
  expect(missingIn(deployment, ruleSetOf(...rules))).toEqual([missing]);
});

describe('the parts that a deployment lacks for a channel', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:alerts';
  test.each<[ChannelConfig, object[]]>([
    [{ slack: { webhook_secret: 'slack-webhook' } }, []],
    [{ slack: { webhook_secret: 'new' } }, [{ kind: 'secret', name: 'new' }]],
    [{ slack: { webhook_secret: 'slack-webhook', interactive: true } }, [{ kind: 'buttons', name: 'other' }]],
    [{ pagerduty: { routing_key_secret: 'key' } }, [{ kind: 'secret', name: 'key' }]],
    [{ sns: { topic_arn: topic } }, [{ kind: 'target', name: topic }]],
    [{ eventbridge: { bus: 'company' } }, [{ kind: 'target', name: 'company' }]],
    [{ email: { ...MAIL, smtp_secret: 'smtp' } }, [{ kind: 'secret', name: 'smtp' }]],
    [{ email: MAIL }, [{ kind: 'target', name: 'Amazon SES from a@example.com' }]],
    [
      { email: { ...MAIL, ses_region: 'eu-west-1' } },
      [{ kind: 'target', name: 'Amazon SES from a@example.com in eu-west-1' }],
    ],
  ])('%j', (config, missing) => {
    const of = missing.map((each) => ({ ...each, by: ['other'] }));
    expect(missingIn(deployment, withChannel(config))).toEqual(of);
    const after = deploymentFor(withChannel(config), { ...about, hasButtons: true });
    expect(missingIn(after, withChannel(config))).toEqual([]);
  });
});
