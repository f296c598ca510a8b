import { expect, test } from 'vitest';
import { loadProblems, printedProblemsOf, ruleFile } from './rule-folder.ts';

const SLACK_URL = 'https://hooks.slack.com/services/T0/B0/xoxkey';
const OTHER_URL = 'https://hooks.example.com/xoxkey';
const KEY = 'xoxkey7890123456789012345678901z';

test.each([
  `{ slack: { webhook_secret: ${SLACK_URL} } }`,
  `{ slack: ${SLACK_URL} }`,
  `{ webhook: { url_secret: ${OTHER_URL}, signing_secret: name } }`,
  '{ webhook: { url_secret: name, signing_secret: whsec_xoxkey } }',
  '{ email: { to: [a@example.com], from: a@example.com, smtp_secret: smtps://anna:xoxkey@smtp.example.com } }',
  `{ pagerduty: { routing_key_secret: ${KEY} } }`,
  `{ pagerduty: ${KEY} }`,
])('a key instead of a secret name is reported without the key: %s', (channel) => {
  const routes = `channels:\n  ops: ${channel}\ndefault: [ops]\n`;
  const text = printedProblemsOf({ 'x.yaml': ruleFile(), 'routes.yaml': routes });
  expect(text).toMatch(/^rules\/routes.yaml:2:\d+ (name the secret|must be a map)/);
  expect(text).not.toContain('xoxkey');
});

test.each([
  'pagerduty:\n      routing_key: xoxkey',
  'pagerduty:\n      xoxkey-with-a-dash',
  'slack:\n      token: xoxb-xoxkey',
  'slack:\n      webhook_secret:\n        - https://hooks.example.com/xoxkey',
  'webhook:\n      headers:\n        Authorization: Bearer xoxkey',
  'webhook: { url: >-\n      xoxkey\n    }',
  'webhook:\n      url_secret: hook\n      signing_secret: "xoxkey',
  'webhook:\n      url_secret: hook\n      signing_secret: xoxkey: x',
])('a problem never quotes a key in routes: %s', (channel) => {
  const routes = `channels:\n  ops:\n    ${channel}\ndefault: [ops]\n`;
  const text = printedProblemsOf({ 'x.yaml': ruleFile(), 'routes.yaml': routes });
  expect(text).toContain('rules/routes.yaml');
  expect(text).not.toContain('xoxkey');
});

test.each(['xoxb-12-xoxkey', KEY, 'sk_live_xoxkey', 'Bearer xoxkey'])(
  'a problem never quotes a key in a rule: %s',
  (key) => {
    const [problem] = loadProblems({ 'x.yaml': ruleFile({ ownr: key }) });
    expect(problem?.source).toMatch(/^ {4}ownr: .*…$/);
    expect(problem?.source).not.toContain('xoxkey');
  },
);

test('the quoted line of a channel hides values and keeps the positions of names', () => {
  const line = '  ops: { pagerduty: { routing_key_secret: on-call, region: uk } }';
  const [problem] = loadProblems({
    'x.yaml': ruleFile(),
    'routes.yaml': `channels:\n${line}\ndefault: [ops]\n`,
  });
  expect(problem?.source).toBe(line.replace('on-call', '…      '));
});
