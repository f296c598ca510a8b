import { describe, expect, test } from 'vitest';
import { type ChannelConfig, secretsOf } from '../../../shared/channels/kinds.ts';
import { openChannel } from '../../../shared/channels/open.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { JIRA, JIRA_TOKEN } from '../../contracts/pager-receivers.ts';
import { ROUTING_KEY, SIGNING_SECRET } from '../../contracts/receivers.ts';
import { NOW } from '../../contracts/samples.ts';
import { aMessage } from '../../fixtures/messages.ts';

const SECRETS: Record<string, string> = {
  'slack-url': 'https://hooks.slack.com/services/T0/B0/xoxkey',
  'pagerduty-key': ROUTING_KEY,
  'incidentio-url': 'https://api.incident.io/v2/alert_events/http/01GW?token=xoxkey',
  'opsgenie-key': 'xoxkey',
  jira: JIRA_TOKEN,
  'webhook-url': 'https://127.0.0.1/xoxkey',
  'signing-key': SIGNING_SECRET,
  'teams-url': 'https://example.logic.azure.com/workflows/xoxkey',
  'discord-url': 'https://discord.com/api/webhooks/1/xoxkey',
  'mattermost-url': 'https://chat.example.com/hooks/xoxkey',
  'googlechat-url': 'https://chat.googleapis.com/v1/spaces/A/messages?key=xoxkey',
  'smtp-url': 'smtps://anna:xoxkey@smtp.example.com',
};
const MAIL = { to: ['team@example.com'], from: 'alerts@example.com' };
const SLACK: ChannelConfig = { slack: { webhook_secret: 'slack-url' } };
const PAGERDUTY: ChannelConfig = { pagerduty: { routing_key_secret: 'pagerduty-key', region: 'eu' } };
const INCIDENT_IO: ChannelConfig = { incidentio: { webhook_secret: 'incidentio-url' } };
const opsgenie = (site: 'jira' | 'us' | 'eu'): ChannelConfig => ({
  opsgenie: { api_key_secret: 'opsgenie-key', site },
});
const TEAMS: ChannelConfig = { teams: { webhook_secret: 'teams-url' } };
const DISCORD: ChannelConfig = { discord: { webhook_secret: 'discord-url' } };
const MATTERMOST: ChannelConfig = { mattermost: { webhook_secret: 'mattermost-url' } };
const GOOGLE_CHAT: ChannelConfig = { googlechat: { webhook_secret: 'googlechat-url' } };
const WEBHOOK: ChannelConfig = { webhook: { url_secret: 'webhook-url', signing_secret: 'signing-key' } };

/** Builds the channel. Records the secrets that are read and the addresses that are posted to. */
async function made(config: ChannelConfig, secrets = SECRETS) {
  const read: string[] = [];
  const posted: string[] = [];
  const channel = await openChannel(config, {
    readSecret: async (name) => {
      read.push(name);
      const secret = secrets[name];
      if (secret === undefined) throw new ConfigError(`There is no secret "${name}"`);
      return secret;
    },
    stage: 'staging',
    clock: new ManualClock(NOW),
    logger: { warn: () => {} },
    fetch: async (url) => {
      posted.push(String(url));
      return new Response('ok', { status: /slack|discord|hooks/.test(String(url)) ? 200 : 202 });
    },
  });
  return { channel, read, posted };
}

describe('openChannel', () => {
  test.each<ChannelConfig>([
    SLACK,
    PAGERDUTY,
    INCIDENT_IO,
    opsgenie('jira'),
    { jira: JIRA },
    WEBHOOK,
    { sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts' } },
    { eventbridge: { bus: 'alerts' } },
    TEAMS,
    DISCORD,
    MATTERMOST,
    GOOGLE_CHAT,
    { email: MAIL },
    { email: { ...MAIL, smtp_secret: 'smtp-url' } },
  ])('reads only the secrets named in %j', async (config) => {
    expect((await made(config)).read).toEqual(secretsOf(config).map(({ name }) => name));
  });

  test.each([
    [SLACK, 'https://hooks.slack.com/services/T0/B0/xoxkey'],
    [PAGERDUTY, 'https://events.eu.pagerduty.com/v2/enqueue'],
    [{ pagerduty: { routing_key_secret: 'pagerduty-key' } }, 'https://events.pagerduty.com/v2/enqueue'],
    [INCIDENT_IO, 'https://api.incident.io/v2/alert_events/http/01GW'],
    [opsgenie('jira'), 'https://api.atlassian.com/jsm/ops/integration/v2/alerts'],
    [opsgenie('us'), 'https://api.opsgenie.com/v2/alerts'],
    [opsgenie('eu'), 'https://api.eu.opsgenie.com/v2/alerts'],
    [TEAMS, 'https://example.logic.azure.com/workflows/xoxkey'],
    [MATTERMOST, 'https://chat.example.com/hooks/xoxkey'],
    [DISCORD, 'https://discord.com/api/webhooks/1/xoxkey?wait=true'],
  ])('posts %j to the configured address', async (config, address) => {
    const { channel, posted } = await made(config);
    expect(await channel.send(aMessage())).toEqual({ kind: 'sent' });
    expect(posted).toEqual([address]);
  });

  test('names the missing secret', async () => {
    await expect(made(WEBHOOK, { 'signing-key': SIGNING_SECRET })).rejects.toThrow('"webhook-url"');
  });
});
