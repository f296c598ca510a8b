import { expect, test } from 'vitest';
import { problemsOf } from './rule-folder.ts';

test.each([
  '{ slack: { webhook_secret: a, interactive: true } }',
  '{ slack: { bot_token_secret: a, channel: C0123456789, interactive: true } }',
  '{ slack: { webhook_secret: a, mentions: [{ match: { severity: critical }, mention: S0123ABCD }, { mention: here }] } }',
  '{ pagerduty: { routing_key_secret: a } }',
  '{ pagerduty: { routing_key_secret: a, region: eu, at_once: 50 } }',
  '{ webhook: { url_secret: a, signing_secret: b, allow_private: true } }',
  '{ sns: { topic_arn: "arn:aws:sns:eu-central-1:123456789012:alerts" } }',
  '{ sns: { topic_arn: "arn:aws-cn:sns:cn-north-1:123456789012:alerts.fifo" } }',
  '{ eventbridge: { bus: default } }',
  '{ eventbridge: { bus: "arn:aws:events:eu-central-1:123456789012:event-bus/alerts" } }',
  '{ teams: { webhook_secret: a } }',
  '{ discord: { webhook_secret: a } }',
  '{ email: { to: [team@example.com], from: alerts@example.com, ses_region: eu-central-1 } }',
  '{ email: { to: [team@example.com], from: alerts@example.com, smtp_secret: $STAGE/smtp } }',
])('the channel %s is valid', (channel) => {
  expect(problemsOf(`channels:\n  ops: ${channel}\ndefault: [ops]\n`, 'routes.yaml')).toEqual([]);
});
