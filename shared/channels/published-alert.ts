import * as z from 'zod';
import { ANSWER_NAMES } from '../alerts/alert.ts';
import { TRANSITION_NAMES } from '../alerts/transitions.ts';
import { itemFiguresSchema, type MessageItem } from '../messages/message.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { contentHash } from '../text/content-hash.ts';
import { iso } from '../time/iso.ts';
import { within } from './outgoing-text.ts';

const moment = z.iso.datetime();

/**
 * One notification in machine-readable form: the detail of an event bus and the base of a webhook's items. `version`
 * changes only with a breaking change; fields may be added at any time.
 */
export const publishedAlertSchema = z.object({
  version: z.literal(1),
  /** Stable per notification: drop duplicates. */
  key: z.string(),
  ruleId: z.string(),
  /** The value of the rule's `group_by`; `null` for the rule as a whole. */
  segment: z.string().nullable(),
  /** `null` if the rule was removed. */
  app: z.string().nullable(),
  /** `test`: a test notification; `digest`: a regular summary. Neither is about an alert. */
  transition: z.enum([...TRANSITION_NAMES, 'test', 'digest']),
  severity: z.enum(SEVERITIES),
  headline: z.string(),
  /** In the metric's unit; `change` is a ratio, `null` for a rise from 0. `null` if there are no figures. */
  figures: itemFiguresSchema.nullable(),
  /** The evaluated window, half-open. */
  window: z.object({ start: moment, end: moment }).nullable(),
  /** The scheduled time of the run that found it. */
  since: moment,
  links: z.object({ open: z.string() }).nullable(),
});
export type PublishedAlert = z.output<typeof publishedAlertSchema>;

/** The same with the text for people and the links to answer. */
const webhookItemSchema = publishedAlertSchema.omit({ version: true, links: true }).extend({
  /** The figures on one line. */
  summary: z.string(),
  facts: z.array(z.object({ label: z.string(), text: z.string() })),
  runbook: z.string().nullable(),
  links: z
    .object({
      open: z.string(),
      picture: z.object({ url: z.string(), alt: z.string() }).nullable(),
      answers: z.array(z.object({ answer: z.enum(ANSWER_NAMES), label: z.string(), url: z.string() })),
    })
    .nullable(),
});

/** The body of a webhook request. `more`: number of items omitted because of count or size. */
export const webhookBodySchema = z.object({
  version: z.literal(1),
  text: z.string(),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  overviewUrl: z.string().nullable(),
  items: z.array(webhookItemSchema),
  more: z.int().min(0),
});
export type WebhookBody = z.output<typeof webhookBodySchema>;

// Keeps ten events under 256 KB with any characters: the smallest limit that a bus has ever had.
const LIMITS = { key: 512, segment: 1000, headline: 1500, unit: 200, fact: 1000, facts: 40 } as const;

export function publishedAlert(item: MessageItem): PublishedAlert {
  const { app, ruleId, segment, transition, severity, headline, figures, window, at, links } = item;
  return {
    version: 1,
    key: publishedKey(item.key),
    ruleId,
    segment: segment === null ? null : within(LIMITS.segment, segment),
    app: app && within(LIMITS.unit, app),
    transition,
    severity,
    headline: within(LIMITS.headline, headline),
    figures: figures && { ...figures, unit: within(LIMITS.unit, figures.unit) },
    window: window && { start: iso(window.startAt), end: iso(window.endAt) },
    since: iso(at),
    links: links && { open: links.open },
  };
}

export function webhookItem(item: MessageItem): WebhookBody['items'][number] {
  const { version: _, ...published } = publishedAlert(item);
  const facts = item.facts.slice(0, LIMITS.facts).map(({ label, text }) => ({
    label: within(LIMITS.unit, label),
    text: within(LIMITS.fact, text),
  }));
  const { runbook, links } = item;
  return {
    ...published,
    summary: within(LIMITS.headline, item.summary),
    facts,
    runbook: runbook && within(LIMITS.fact, runbook),
    links,
  };
}

function publishedKey(key: string): string {
  const whole = key.toWellFormed();
  return whole.length <= LIMITS.key ? whole : `${within(LIMITS.key / 2, whole)}${contentHash(key)}`;
}
