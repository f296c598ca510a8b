import { describe, expect, test } from 'vitest';
import type { ChannelConfig } from '../../../shared/channels/kinds.ts';
import { type MessageItem, messageOf } from '../../../shared/messages/message.ts';
import {
  ALERT_SOURCE,
  alertEventSchema,
  opsgenieActionSchema,
  opsgenieAlertSchema,
} from '../../contracts/pager-receivers.ts';
import { channelTo } from '../../fixtures/channel-to.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { anItem } from '../../fixtures/messages.ts';

const INCIDENT_IO: ChannelConfig = { incidentio: { webhook_secret: 'url' } };
const OPSGENIE: ChannelConfig = { opsgenie: { api_key_secret: 'key', site: 'jira' } };

/** Sends one item after the other to a pager that answers with `reply`. */
async function page(
  config: ChannelConfig,
  items: Partial<MessageItem>[],
  { secret = 'xoxkey', stage = 'production', reply = { status: 202, body: '' } } = {},
) {
  const posted: { path: string; body: unknown }[] = [];
  await using server = await listen(({ url = '' }, body, response) => {
    posted.push({ path: url, body: JSON.parse(body) });
    response.writeHead(reply.status).end(reply.body);
  });
  const results = [];
  for (const item of items) {
    const channel = channelTo(config, { secret, stage, to: server });
    results.push(await channel.send(messageOf([anItem(item)])).catch(String));
  }
  return { posted, results };
}

const LIFE: Partial<MessageItem>[] = [
  { transition: 'fired', segment: 'a/b ☃' },
  { transition: 'acknowledged', segment: 'a/b ☃', headline: 'Anna acknowledged <b>it</b>' },
  { transition: 'recovered', segment: 'a/b ☃' },
];

test('incident.io gets an alert that fires and is resolved', async () => {
  const { posted, results } = await page(INCIDENT_IO, LIFE, { secret: ALERT_SOURCE });
  expect(results).toEqual([{ kind: 'sent' }, { kind: 'sent' }, { kind: 'sent' }]);
  const events = posted.map(({ body }) => alertEventSchema.parse(body));
  expect(events.map(({ status, deduplication_key: key }) => [status, key])).toEqual([
    ['firing', 'checkout-drop#a/b ☃'],
    ['resolved', 'checkout-drop#a/b ☃'],
  ]);
  expect(posted.map(({ path }) => path)).not.toContainEqual(expect.stringContaining('token'));
});

test('Jira Service Management gets an alert that is acknowledged and closed by its alias', async () => {
  const { posted, results } = await page(OPSGENIE, LIFE);
  expect(results).toEqual([{ kind: 'sent' }, { kind: 'sent' }, { kind: 'sent' }]);
  const [created, ...actions] = posted;
  const { alias } = opsgenieAlertSchema.parse(created?.body);
  expect(actions.map(({ path }) => path)).toEqual([
    `/jsm/ops/integration/v2/alerts/${alias}/acknowledge?identifierType=alias`,
    `/jsm/ops/integration/v2/alerts/${alias}/close?identifierType=alias`,
  ]);
  expect(opsgenieActionSchema.parse(actions[0]?.body).note).toBe('Anna acknowledged ‹b>it‹/b>');
});

test('alerts of two stages have different aliases: all integrations of an account share them', async () => {
  const aliasAt = async (stage: string) => {
    const { posted } = await page(OPSGENIE, [{ transition: 'fired' }], { stage });
    return opsgenieAlertSchema.parse(posted[0]?.body).alias;
  };
  expect(await aliasAt('staging')).not.toBe(await aliasAt('production'));
});

describe('a refusal says what to do', () => {
  test.each<[ChannelConfig, number, string, string]>([
    [INCIDENT_IO, 401, '', 'incident.io refused the URL or token (401): check its secret'],
    [INCIDENT_IO, 404, '', 'incident.io refused the URL or token (404): check its secret'],
    [
      INCIDENT_IO,
      422,
      '',
      'incident.io refused the message (422): the event is invalid, which is a bug in Deltawatch',
    ],
    [OPSGENIE, 403, '', 'Jira Service Management refused the API key (403): check its secret'],
    [
      OPSGENIE,
      422,
      'Key format is not valid!',
      'Jira Service Management refused the API key (422): check its secret',
    ],
    [OPSGENIE, 402, '', 'Jira Service Management refused the message (402)'],
  ])('%j %i %s', async (config, status, body, reason) => {
    const secret = config === INCIDENT_IO ? ALERT_SOURCE : 'xoxkey';
    const { results } = await page(config, [{}], { secret, reply: { status, body } });
    expect(results).toMatchObject([{ kind: 'refused', permanent: true, reason }]);
  });

  test.each<[ChannelConfig, string, string]>([
    [
      INCIDENT_IO,
      'https://api.incident.io/v2/alert_events/http/01GW',
      'must end with "?token=" and its token',
    ],
    [INCIDENT_IO, 'xoxkey', 'must end with "?token=" and its token'],
    [INCIDENT_IO, 'https://api.incident.io/?token=xox%0Akey', 'the incident.io token is not one word'],
    [OPSGENIE, 'xox key', 'the Jira Service Management API key is not one word'],
  ])('%j with the secret %j', async (config, secret, reason) => {
    const { results } = await page(config, [{}], { secret });
    expect(results).toEqual([expect.stringContaining(`${reason}; check its secret`)]);
    expect(String(results)).not.toContain('key;');
  });
});
