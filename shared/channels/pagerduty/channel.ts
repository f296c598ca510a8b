import type { Channel } from '../../messages/channel.ts';
import type { MessageItem } from '../../messages/message.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { ChannelDeps } from '../deps.ts';
import { oneLine, webAddress } from '../outgoing-text.ts';
import { type PagerEvent, postingPager } from '../pager.ts';
import type { PagerDutySettings } from './config.ts';

const ADDRESSES = {
  us: 'https://events.pagerduty.com/v2/enqueue',
  eu: 'https://events.eu.pagerduty.com/v2/enqueue',
} as const;

/** All but `summary` are ours and keep an event far below 512 KB: https://developer.pagerduty.com/docs/send-alert-event */
const LIMITS = { summary: 1024, name: 255, label: 80, fact: 1000, facts: 40, url: 2048 } as const;

/** Sends events of the Events API v2, which makes incidents of them by `dedup_key`. Throws `ConfigError` for an invalid key. */
export async function open(
  { routing_key_secret, region = 'us', at_once: atOnce }: PagerDutySettings,
  deps: ChannelDeps,
): Promise<Channel> {
  const routingKey = await deps.readSecret(routing_key_secret);
  if (!/^[0-9A-Za-z]{32}$/.test(routingKey))
    throw new ConfigError('a PagerDuty routing key has 32 letters and digits; check its secret');
  return postingPager(
    {
      ...{ name: 'PagerDuty', credential: 'routing key' },
      request(event) {
        return { url: ADDRESSES[region], body: { routing_key: routingKey, ...pagerDutyEvent(event) } };
      },
    },
    { ...deps, atOnce },
  );
}

function pagerDutyEvent({ item, news: { key, action } }: PagerEvent) {
  const incident = { event_action: action, dedup_key: key };
  if (action !== 'trigger') return incident;
  const { app, ruleId, transition, severity, headline, at, runbook, links } = item;
  const open = webAddress(links?.open, LIMITS.url);
  const pages = [
    { label: 'Open the alert', url: open },
    { label: 'What to do', url: runbook },
    ...(links?.answers ?? []),
  ];
  const { url: picture, alt = '' } = links?.picture ?? {};
  const src = webAddress(picture, LIMITS.url);
  return {
    ...incident,
    ...{ client: 'Deltawatch', client_url: open },
    payload: {
      summary: oneLine(LIMITS.summary, headline) || ruleId,
      source: oneLine(LIMITS.name, app ?? '') || 'deltawatch',
      ...{ severity, timestamp: new Date(at).toISOString(), component: ruleId, class: transition },
      ...(app === null ? {} : { group: oneLine(LIMITS.name, app) }),
      custom_details: detailsOf(item),
    },
    links: pages.flatMap(({ label: text, url }) => {
      const href = webAddress(url, LIMITS.url);
      return href ? [{ href, text }] : [];
    }),
    // PagerDuty shows only images served over https.
    images: src?.startsWith('https:') ? [{ src, href: open, alt: oneLine(LIMITS.fact, alt) }] : [],
  };
}

function detailsOf({ segment, facts, runbook, figures }: MessageItem): Record<string, unknown> {
  const all = [
    ...facts.slice(0, LIMITS.facts),
    ...(segment === null ? [] : [{ label: 'Segment', text: segment }]),
    ...(runbook === null ? [] : [{ label: 'What to do', text: runbook }]),
  ];
  const byLabel = Map.groupBy(all, ({ label }) => oneLine(LIMITS.label, label));
  const textOf = (same: typeof all) => oneLine(LIMITS.fact, same.map(({ text }) => text).join('; '));
  const details = Object.fromEntries([...byLabel].map(([label, same]) => [label, textOf(same)]));
  return { ...details, ...(figures ? { figures } : {}) };
}
