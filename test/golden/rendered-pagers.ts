import { isTransition, TRANSITIONS } from '../../shared/alerts/transitions.ts';
import type { ChannelConfig } from '../../shared/channels/kinds.ts';
import { type Message, messageOf } from '../../shared/messages/message.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { JiraSite } from '../contracts/jira-site.ts';
import { ALERT_SOURCE, JIRA, JIRA_TOKEN } from '../contracts/pager-receivers.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { withoutTokens } from './rendered-channels.ts';
import { TUESDAY_3_AM } from './situations.ts';

export const PAGERS: Record<string, { config: ChannelConfig; secret: string }> = {
  pagerduty: { config: { pagerduty: { routing_key_secret: 'key' } }, secret: 'R'.repeat(32) },
  incidentio: { config: { incidentio: { webhook_secret: 'url' } }, secret: ALERT_SOURCE },
  opsgenie: { config: { opsgenie: { api_key_secret: 'key', site: 'jira' } }, secret: 'xoxkey' },
  jira: { config: { jira: JIRA }, secret: JIRA_TOKEN },
};

/** The requests that the message makes of a pager that accepts all of them. */
export async function requestsTo(pager: string, message: Message): Promise<string> {
  const { config, secret } = PAGERS[pager] ?? {};
  if (!config || !secret) throw new RangeError(`there is no pager "${pager}"`);
  const site = new JiraSite(JIRA_TOKEN);
  const requests: object[] = [];
  await using server = await listen((request, body, response) => {
    requests.push({
      request: `${request.method} ${request.url}`,
      ...(body && { body: JSON.parse(body) }),
    });
    const answer = 'jira' in config ? site.answer(request, body).answer : { status: 202 };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const channel = channelTo(config, { secret, to: server, clock: new ManualClock(TUESDAY_3_AM) });
  const [item] = message.items;
  if (item && isTransition(item.transition) && TRANSITIONS[item.transition].pager !== 'trigger') {
    await channel.send(messageOf([{ ...item, transition: 'fired' }]));
    site.index();
    requests.length = 0;
  }
  await channel.send(message);
  return withoutTokens(`${JSON.stringify(requests, null, 2)}\n`);
}
