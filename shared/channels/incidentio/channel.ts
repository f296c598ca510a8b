import type { Channel } from '../../messages/channel.ts';
import { messageOf } from '../../messages/message.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { chatMessage, markdown } from '../chat-text.ts';
import type { ChannelDeps } from '../deps.ts';
import { oneLine, webAddress } from '../outgoing-text.ts';
import { headerValue, type PagerEvent, postingPager } from '../pager.ts';

/** Our own: they keep an event far below 512 KB, which incident.io accepts. */
const OURS = { title: 1024, description: 50_000, url: 2048 } as const;

const descriptionOf = chatMessage(
  markdown((line) => line.replaceAll(/[\\*_~`|[\]<>#!]|:(?=\/\/)/g, '\\$&')),
  ({ alerts: [alert] }) => (alert?.lines ?? []).join('\n\n'),
  ({ length }) => length <= OURS.description,
);

/**
 * Sends alert events (https://docs.incident.io/api-reference/alert-events-v2/createhttp). An alert is open until an event
 * with its `deduplication_key` resolves it, and cannot be acknowledged. Throws `ConfigError` for an invalid URL.
 */
export async function open(settings: { webhook_secret: string }, deps: ChannelDeps): Promise<Channel> {
  const secret = await deps.readSecret(settings.webhook_secret);
  const url = URL.canParse(secret) ? new URL(secret) : undefined;
  const token = url?.searchParams.get('token');
  if (!url || !token)
    throw new ConfigError('the incident.io URL must end with "?token=" and its token; check its secret');
  // Proxies write the addresses of requests into their logs.
  url.search = '';
  return postingPager(
    {
      ...{ name: 'incident.io', credential: 'URL or token' },
      headers: { Authorization: `Bearer ${headerValue(token, 'incident.io token')}` },
      request: (event) => event.news.action !== 'acknowledge' && { url: url.href, body: alertEvent(event) },
    },
    deps,
  );
}

function alertEvent({ item, news: { key, action } }: PagerEvent) {
  const { app, ruleId: rule, segment, transition, severity, headline, figures, links } = item;
  return {
    ...{ deduplication_key: key, status: action === 'resolve' ? 'resolved' : 'firing' },
    title: oneLine(OURS.title, headline) || rule,
    description: descriptionOf(messageOf([item])),
    metadata: { app, rule, segment, severity, transition, figures },
    source_url: webAddress(links?.open, OURS.url),
  };
}
