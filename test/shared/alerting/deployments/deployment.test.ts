import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { deploymentFor, missingIn, RULE_FORMAT } from '../../../../shared/alerting/deployments/deployment.ts';
import type { ChannelConfig } from '../../../../shared/alerting/notifications/channels.ts';
import { routesSchema } from '../../../../shared/alerting/notifications/routes.ts';
import { storedRuleSchema } from '../../../../shared/alerting/rules/rule.ts';
import { contentHash } from '../../../../shared/alerting/text/content-hash.ts';
import { ROUTES, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';

const about = { stack: 'deltawatch-staging-alerting', hasButtons: false };
const deployed = ruleSetOf(ruleNamed('sales'));
const deployment = deploymentFor(deployed, about);

const withChannel = (config: ChannelConfig) => ({
  ...deployed,
  routes: { ...ROUTES, channels: { ...ROUTES.channels, other: config } },
});

test('rules that were deployed miss nothing, and neither do more of their kind', () => {
  expect(deployment).toMatchObject({ ...about, secrets: ['slack-webhook'], targets: [] });
  expect(missingIn(deployment, deployed)).toEqual([]);
  expect(missingIn(deployment, ruleSetOf(ruleNamed('a'), ruleNamed('b')))).toEqual([]);
});

test('rules that are written as code of before does not read them need a deployment', () => {
  const older = { ...deployment, ruleFormat: RULE_FORMAT - 1 };
  expect(missingIn(older, deployed)).toEqual([{ kind: 'code', name: String(RULE_FORMAT), by: [] }]);
  expect(missingIn({ ...deployment, ruleFormat: RULE_FORMAT + 1 }, deployed)).toEqual([]);
});

test('a stored rule that can say something else is of another form', () => {
  const said = [storedRuleSchema, routesSchema].map((schema) =>
    z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => {
        delete jsonSchema.description;
        delete jsonSchema.default;
      },
    }),
  );
  // Raise RULE_FORMAT where code of before does not read what can be said now, and write here what it is now.
  expect({ form: RULE_FORMAT, said: contentHash(said) }).toEqual({ form: 1, said: '00969b153ed08fee' });
});

test('a cadence without a schedule is told once, with the rules that ask for it', () => {
  const rules = ['a', 'b'].map((id) => ruleNamed(id, { every: 'hour at :20' }));
  const missing = { kind: 'cadence', name: 'minute-20-UTC', by: ['a', 'b'] };
  expect(missingIn(deployment, ruleSetOf(...rules))).toEqual([missing]);
});

describe('a channel that announcing may not use', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:alerts';
  test.each<[ChannelConfig, object[]]>([
    [{ slack: { webhook_secret: 'slack-webhook' } }, []],
    [{ slack: { webhook_secret: 'new' } }, [{ kind: 'secret', name: 'new' }]],
    [{ slack: { webhook_secret: 'slack-webhook', interactive: true } }, [{ kind: 'buttons', name: 'other' }]],
    [{ pagerduty: { routing_key_secret: 'key' } }, [{ kind: 'secret', name: 'key' }]],
    [{ sns: { topic_arn: topic } }, [{ kind: 'target', name: topic }]],
    [{ eventbridge: { bus: 'company' } }, [{ kind: 'target', name: 'company' }]],
  ])('%j', (config, missing) => {
    const of = missing.map((each) => ({ ...each, by: ['other'] }));
    expect(missingIn(deployment, withChannel(config))).toEqual(of);
    const after = deploymentFor(withChannel(config), { ...about, hasButtons: true });
    expect(missingIn(after, withChannel(config))).toEqual([]);
  });
});
