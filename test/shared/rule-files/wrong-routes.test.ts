import { describe, expect, test } from 'vitest';
import { problemsOf, ROUTES } from './rule-folder.ts';

test.each([
  ['group_by: app', '5:52 must be a list: [app]'],
  [
    'group_by: segments',
    '5:52 must be a list; did you mean "segment"? Accepted: app, rule, owner, severity, segment',
  ],
  ['group_by: [country]', '5:53 unknown group_by "country"; accepted: app, rule, owner, severity, segment'],
  ['escalate: [{ after: 30 minutes, channels: [boss] }]', '5:85 there is no channel "boss"; defined: ops'],
  ['escalate: [{ after: 0 minutes, channels: [ops] }]', '5:62 write 1 minute or more; found "0 minutes"'],
  [
    'escalate: [{ after: 2 hours, channels: [ops] }, { after: 90 minutes, channels: [ops] }]',
    '5:99 write more than in the step before; found "90 minutes"',
  ],
])('a route with %s is reported', (setting, problem) => {
  const text = `${ROUTES}routes:\n- { name: a, match: {}, channels: [ops], ${setting} }\n`;
  expect(problemsOf(text, 'routes.yaml')).toEqual([problem]);
});

test.each([
  ['days: [monday]', '5:31 "monday" is not a valid day; write "mon" or "mon-fri"'],
  ['days: [sat], from: "8:00", to: "20:00"', '5:43 "8:00" is not a valid time; write one such as "20:00"'],
])('a calendar with %s is reported', (span, problem) => {
  const text = `${ROUTES}calendars:\n  nights: { weekly: [{ ${span} }] }\n`;
  expect(problemsOf(text, 'routes.yaml')).toEqual([problem]);
});

test.each([
  ['an unknown calendar', { a: 'c' }, ['4:54 there is no calendar "c"; defined: a']],
  [
    'itself',
    { a: 'a' },
    ['4:54 the calendar leaves out itself (a except a); remove one of these exceptions'],
  ],
  [
    'itself through others',
    { a: '[b, c]', b: 'c', c: 'b' },
    [
      '4:104 the calendar leaves out itself (b except c except b); remove one of these exceptions',
      '4:149 the calendar leaves out itself (c except b except c); remove one of these exceptions',
    ],
  ],
])('a calendar that leaves out %s is reported', (_name, exceptions, problems) => {
  const calendars = Object.entries(exceptions).map(
    ([name, except]) => `${name}: { weekly: [{ days: [sat] }], except: ${except} }`,
  );
  expect(problemsOf(`${ROUTES}calendars: { ${calendars.join(', ')} }\n`, 'routes.yaml')).toEqual(problems);
});

describe('a channel', () => {
  const channelProblems = (channel: string) =>
    problemsOf(`channels:\n  ops: ${channel}\ndefault: [ops]\n`, 'routes.yaml');

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
  ])('accepts %s', (channel) => {
    expect(channelProblems(channel)).toEqual([]);
  });

  const KINDS = 'slack, pagerduty, webhook, sns, eventbridge, email, teams, discord, mattermost, googlechat';
  test.each([
    ['{}', `2:8 a channel is one of ${KINDS}`],
    [
      '{ slack: { webhook_secret: a }, eventbridge: { bus: b } }',
      `2:8 a channel is one of ${KINDS}, not slack and eventbridge`,
    ],
    ['slack', `2:8 must be a map with the keys ${KINDS}`],
    [
      '{ slack: }',
      '2:17 must be a map with the keys webhook_secret, bot_token_secret, channel, interactive, mentions; found nothing',
    ],
    [
      '{ slack: { interactive: true } }',
      '2:17 write either "webhook_secret", or "bot_token_secret" and "channel"',
    ],
    [
      '{ slack: { webhook_secret: a, bot_token_secret: b, channel: C0123456789 } }',
      '2:17 write either "webhook_secret", or "bot_token_secret" and "channel"',
    ],
    [
      '{ slack: { bot_token_secret: xoxb-1-2-a, channel: C0123456789 } }',
      '2:37 name the secret that holds the bot token; the token itself must not be in this file',
    ],
    ['{ slack: { bot_token_secret: b, channel: "#team" } }', '2:49 write the ID of the channel'],
    ['{ slack: { webhook_secret: a, mentions: [{ mention: "@anna" }] } }', '2:60 write the ID of a user'],
    ['{ webhook: { url_secret: a } }', '2:19 "signing_secret" is missing'],
    ['{ pagerduty: { routing_key_secret: a, region: uk } }', '2:54 unknown region "uk"'],
    ['{ eventbridge: { bus: "a bus" } }', '2:30 write the name of an event bus'],
    ['{ email: { to: [], from: a@example.com } }', '2:23 must have at least one entry'],
    ['{ email: { to: [team], from: a@example.com } }', '2:24 write an email address'],
    [
      '{ email: { to: [a@example.com], from: a@example.com, smtp_secret: "smtps://a:b@example.com" } }',
      '2:74 name the secret that holds the SMTP URL',
    ],
    [
      '{ email: { to: [a@example.com], from: a@example.com, smtp_secret: smtp, ses_region: eu-west-1 } }',
      'mail is sent by smtp_secret or by Amazon SES in ses_region, not by both',
    ],
  ])('rejects %s', (channel, problem) => {
    expect(channelProblems(channel)).toEqual([expect.stringContaining(problem)]);
  });
});
