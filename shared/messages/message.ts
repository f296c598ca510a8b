import * as z from 'zod';
import type { Answer, Receipt } from '../alerts/alert.ts';
import { appOf, type WatchedApp } from '../alerts/app-alert.ts';
import { asksNobody, type ItemKind, isOngoing, signOf } from '../alerts/transitions.ts';
import { comparableOf } from '../evaluation/evaluation.ts';
import { receiptOf } from '../notifications/notification-history.ts';
import { notificationKey } from '../notifications/notification-key.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { isCount } from '../rules/rule.ts';
import { SEVERITIES, type Severity } from '../rules/rule-schema.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { type Matched, matchedOf } from '../silences/matching.ts';
import { contentHash } from '../text/content-hash.ts';
import { firstOf } from '../text/listed.ts';
import { quoted } from '../text/quoted.ts';
import { cadenceName } from '../time/cadence.ts';
import type { Window } from '../time/window.ts';
import { type Fact, type FactSheet, factsOf } from './facts.ts';
import { headlineOf, summaryOf } from './headlines.ts';

/** One alert in a message: text in reading order. */
export interface MessageItem {
  /** Stable id of the item, for deduplication by the receiver. */
  key: string;
  ruleId: string;
  segment: string | null;
  transition: ItemKind;
  severity: Severity;
  /** What moved and by how much, on one line. */
  headline: string;
  /** The figures or what happened, on a second line; used in digests and notifications. */
  summary: string;
  facts: Fact[];
  /** A link or a sentence that says what to do. */
  runbook: string | null;
  /** Links to open and answer the alert; `null` without a public URL. */
  links: ItemLinks | null;
  /** The headline as numbers; `null` if the notification has no figures. */
  figures: ItemFigures | null;
  /** The evaluated window, if there is one. */
  window: Window | null;
  /** `null` if the rule was removed. */
  app: string | null;
  /** The scheduled time of the run that found it. */
  at: number;
  /** Order of the notifications of one alert: one run can find several. */
  turn: number;
  /** The time zone of its times. */
  zone: string;
  /** What routes and mentions match; `null` for a test or the digest. */
  about: Matched | null;
  /** The earlier message about it on this channel. */
  receipt: Receipt | null;
}

/** In the metric's unit, the baseline scaled to the hours of `current`; `change` is a ratio, `null` for a rise from 0. */
export const itemFiguresSchema = z.object({
  current: z.number(),
  baseline: z.number(),
  difference: z.number(),
  change: z.number().nullable(),
  unit: z.string(),
});
type ItemFigures = z.output<typeof itemFiguresSchema>;

/** Signed links that expire. */
export interface ItemLinks {
  open: string;
  picture: { url: string; alt: string } | null;
  answers: { answer: Answer; label: string; url: string }[];
}

/** One message to one channel: one alert, or a digest of several. Independent of any channel's format. */
export interface Message {
  /** Complete by itself, for notifications that show nothing else. */
  text: string;
  title: string;
  severity: Severity;
  /** All items, most severe and largest first. Each channel decides how many it shows. */
  items: MessageItem[];
  /** The page of all open alerts. */
  overviewUrl: string | null;
}

/** The alerts that one message shows. Only these get links, and the message counts the others. */
export const ALERTS_PER_MESSAGE = 10;

/** Items that `text` lists. */
const NAMED = 3;

/** One message for a channel: most severe first, then the largest change. `apps`: all that are watched. */
export function messageFor(pending: PendingNotification[], apps: WatchedApp[] = []): Message {
  const message = messageOf(pending.toSorted(byWeight).map(itemFor));
  const title = commonFallTitle(pending, apps);
  return title === undefined ? message : { ...message, title, text: `${title}. ${message.text}` };
}

/** The same for a message that is sent again. */
export function messageIdOf({ items }: Message): string {
  return contentHash(items.map(({ key }) => key).toSorted());
}

/** The key of the item of this notification. Channels drop duplicates by it. */
export function itemKeyOf({
  alert,
  notification,
}: Pick<PendingNotification, 'alert' | 'notification'>): string {
  return notificationKey(alert, { ...notification, channel: '' });
}

/**
 * One message of these items, most important first. Items of one alert stay together in chronological order, so that a
 * receiver that processes them one by one ends in the last state.
 */
export function messageOf(byImportance: MessageItem[]): Message {
  const [first, ...others] = byImportance;
  const ofAlerts = Map.groupBy(byImportance, ({ ruleId, segment }) => JSON.stringify([ruleId, segment]));
  const items = [...ofAlerts.values()].flatMap((news) =>
    news.toSorted((a, b) => a.at - b.at || a.turn - b.turn),
  );
  if (!first) throw new RangeError('a message needs at least one item');
  const { headline, summary, severity } = first;
  const isOne = others.length === 0;
  return {
    text: `${labelOf(first)}${isOne ? `${headline}. ${summary}.` : digestText(byImportance)}`,
    title: isOne ? headline : `${headline}, and ${others.length} more`,
    severity,
    items,
    overviewUrl: null,
  };
}

function itemFor(pending: PendingNotification): MessageItem {
  const { notification, rule } = pending;
  const sheet = factsOf(pending);
  const { evaluated } = sheet;
  return {
    ...aboutOf(pending),
    headline: headlineOf(pending, sheet),
    summary: summaryOf(pending, sheet),
    facts: sheet.facts,
    runbook: isOngoing(notification.transition) ? (rule?.runbook ?? null) : null,
    figures: evaluated ? figuresOf(evaluated) : null,
    window: (evaluated?.evaluation ?? notification.evaluation)?.current.window ?? null,
  };
}

/** A minimal item, used if generating the text fails. */
export function bareItem(pending: PendingNotification): MessageItem {
  const { alert, notification, rule } = pending;
  const { ruleId, segment } = alert;
  return {
    ...aboutOf(pending),
    headline: `${quoted(rule?.title ?? ruleId)}${segment ? ` (${quoted(segment)})` : ''}: ${notification.transition}`,
    summary: 'The text of this notification could not be generated',
    facts: [],
    ...{ runbook: rule?.runbook ?? null, figures: null, window: null },
  };
}

/** All of an item but its texts and figures. */
function aboutOf(pending: PendingNotification) {
  const { key, alert, notification, rule, zone = 'UTC' } = pending;
  const { ruleId, segment } = alert;
  const { transition, channel, since } = notification;
  return {
    ...{ key: itemKeyOf(pending), ruleId, segment, transition },
    severity: severityOf(pending),
    links: null,
    app: appOf(alert) ?? rule?.app ?? null,
    at: since,
    turn: Object.keys(alert.pending).indexOf(key),
    zone: rule?.zone ?? zone,
    about: matchedOf(pending),
    receipt: receiptOf(alert, channel, transition) ?? null,
  };
}

export function figuresOf({ evaluation, rule }: NonNullable<FactSheet['evaluated']>): ItemFigures | null {
  const { current, difference, change } = evaluation;
  const baseline = comparableOf(evaluation);
  if (current.value === null || baseline === null || difference === null) return null;
  return { current: current.value, baseline, difference, change, unit: metricOf(rule).unit };
}

/** An app without data is always critical: none of its rules can be evaluated. */
function severityOf({ alert, rule }: Pick<PendingNotification, 'alert' | 'rule'>): Severity {
  return appOf(alert) === undefined ? (rule?.severity ?? 'warning') : 'critical';
}

/** Severity prefix of a message that needs attention. */
function labelOf({ transition, severity }: MessageItem): string {
  if (signOf(transition) !== 'severity') return '';
  return severity === 'critical' ? 'Critical: ' : severity === 'warning' ? 'Warning: ' : '';
}

/** "40 alerts: Purchases down 41%; ...; and 37 more." */
function digestText(items: MessageItem[]): string {
  const headlines = items.map(({ headline }) => headline);
  return `${items.length} alerts: ${firstOf(headlines, NAMED).join('; ')}.`;
}

/** Ended and acknowledged alerts come after those that need attention. */
function byWeight(a: PendingNotification, b: PendingNotification): number {
  const severity = ({ alert, rule, notification }: PendingNotification) =>
    SEVERITIES.indexOf(severityOf({ alert, rule })) -
    (asksNobody(notification.transition) ? SEVERITIES.length : 0);
  const size = ({ notification }: PendingNotification) =>
    Math.abs(notification.evaluation?.change ?? Infinity);
  return severity(b) - severity(a) || size(b) - size(a) || (a.key < b.key ? -1 : 1);
}

/** Fewer rules can fall together by chance, or because they watch the same event. */
const LEAST = 3;

/**
 * The title if most counts of an app fell in one run: then it is more likely that tracking failed than each of them.
 * Segments are left out: their fall says nothing about the whole.
 */
function commonFallTitle(pending: PendingNotification[], apps: WatchedApp[]): string | undefined {
  const fallen = pending.flatMap(({ notification: { transition, evaluation, since }, rule }) =>
    rule && isCount(rule) && transition === 'fired' && (evaluation?.difference ?? 0) < 0
      ? [{ rule, run: `${rule.app} ${cadenceName(rule.cadence)} ${since}` }]
      : [],
  );
  for (const together of Map.groupBy(fallen, ({ run }) => run).values()) {
    const ids = new Set(together.map(({ rule }) => rule.id));
    const [{ rule: like }] = together as [(typeof together)[number]];
    const evaluated = apps.find(({ app }) => app === like.app)?.counts[cadenceName(like.cadence)] ?? 0;
    if (ids.size >= LEAST && ids.size > evaluated / 2)
      return `Tracking or the data source of ${like.app} may be down: ${ids.size} of ${evaluated} counts fell together`;
  }
  return undefined;
}
