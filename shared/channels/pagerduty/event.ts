import type { MessageItem } from '../../messages/message.ts';
import type { IncidentNews } from '../../notifications/incident.ts';
import { oneLine, webAddress } from '../outgoing-text.ts';

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
  const open = webAddress(item.links?.open, OURS.url);
  return {
    ...incident,
    client: 'Deltawatch',
    ...(open && { client_url: open }),
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
  const answers = (links?.answers ?? []).map(({ label, url }) => ({ address: url, text: label }));
  const all = [
    { address: links?.open, text: 'Open the alert' },
    { address: runbook, text: 'What to do' },
    ...answers,
  ];
  return all.flatMap(({ address, text }) => {
    const href = webAddress(address, OURS.url);
    return href ? [{ href, text }] : [];
  });
}

/** PagerDuty shows only images served over https. */
function picturesOf({ links }: MessageItem) {
  const src = webAddress(links?.picture?.url, OURS.url);
  return src?.startsWith('https://')
    ? [{ src, href: links?.open, alt: oneLine(OURS.fact, links?.picture?.alt ?? '') }]
    : [];
}
