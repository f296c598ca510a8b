import type { MessageItem } from '../../messages/message.ts';
import type { IncidentNews } from '../../notifications/incident.ts';
import { oneLine } from '../outgoing-text.ts';

/**
 * Limits of PagerDuty, and our own that keep an event far below 512 KB:
 * https://developer.pagerduty.com/docs/send-alert-event
 */
const PAGERDUTY_LIMITS = { summary: 1024 } as const;
const OURS = { name: 255, label: 80, fact: 1000, facts: 40, url: 2048 } as const;

/** An event of the Events API v2 without the routing key. */
export function pagerDutyEvent(item: MessageItem, { key, action }: IncidentNews) {
  const incident = { event_action: action, dedup_key: key };
  if (action !== 'trigger') return incident;
  const { app, ruleId, transition, severity, headline, at } = item;
  return {
    ...incident,
    client: 'Deltawatch',
    ...(isPublic(item.links?.open) ? { client_url: item.links?.open } : {}),
    payload: {
      summary: oneLine(PAGERDUTY_LIMITS.summary, headline) || ruleId,
      source: oneLine(OURS.name, app ?? 'deltawatch') || 'deltawatch',
      severity,
      timestamp: new Date(at).toISOString(),
      component: ruleId,
      class: transition,
      ...(app === null ? {} : { group: oneLine(OURS.name, app) }),
      custom_details: detailsOf(item),
    },
    links: linksOf(item),
    images: picturesOf(item),
  };
}

function detailsOf({ segment, facts, runbook, figures }: MessageItem): Record<string, unknown> {
  const byLabel = Map.groupBy(facts.slice(0, OURS.facts), ({ label }) => oneLine(OURS.label, label));
  const details = [...byLabel].map(([label, same]) => {
    const text = same.map((fact) => fact.text).join('; ');
    return [label, oneLine(OURS.fact, text)];
  });
  return {
    ...Object.fromEntries(details),
    ...(segment === null ? {} : { Segment: oneLine(OURS.fact, segment) }),
    ...(runbook === null ? {} : { 'What to do': oneLine(OURS.fact, runbook) }),
    ...(figures ? { figures } : {}),
  };
}

function linksOf({ links, runbook }: MessageItem) {
  return [
    ...(isPublic(links?.open) ? [{ href: links?.open, text: 'Open the alert' }] : []),
    ...(isPublic(runbook) ? [{ href: runbook, text: 'What to do' }] : []),
    ...(links?.answers ?? [])
      .filter(({ url }) => isPublic(url))
      .map(({ label, url }) => ({ href: url, text: label })),
  ];
}

/** PagerDuty shows only images served over https. */
function picturesOf({ links }: MessageItem) {
  const picture = links?.picture;
  return picture?.url.startsWith('https://') && isPublic(picture.url)
    ? [{ src: picture.url, href: links?.open, alt: oneLine(OURS.fact, picture.alt) }]
    : [];
}

function isPublic(url: string | null | undefined): boolean {
  return Boolean(url && url.length <= OURS.url && /^https?:\/\//.test(url) && URL.canParse(url));
}
