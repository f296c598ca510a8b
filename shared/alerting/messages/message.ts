import type { Answer } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import { asksNobody, type ItemKind, isOngoing, signOf } from '../alerts/transitions.ts';
import { comparableOf } from '../evaluation/comparable-length.ts';
import { notificationKey } from '../notifications/notification-key.ts';
import type { PendingNotification } from '../notifications/owed.ts';
import { metricOf } from '../rules/metrics.ts';
import { SEVERITIES, type Severity } from '../rules/rule.ts';
import { quoted } from '../text/quoted.ts';
import type { Window } from '../time/window.ts';
import { type EvaluatedWindow, evaluatedIn, headlineOf, summaryOf } from './headlines.ts';
import { type Fact, factsFor } from './message-facts.ts';

/** Items that one message shows in full: links are made for no more. */
export const SHOWN = 10;

/** One alert's part of a message: sentences for people, in the order in which they are read. */
export interface MessageItem {
  /** Names the item for ever: whoever gets it twice can tell. */
  key: string;
  ruleId: string;
  segment: string | null;
  transition: ItemKind;
  severity: Severity;
  /** What moved and by how much, in one line. */
  headline: string;
  /** The figures, or what happened, in one more line: for a digest and for notifications. */
  summary: string;
  /** Label and text, most important first. */
  facts: Fact[];
  /** A link or a sentence: what to do. */
  runbook: string | null;
  /** Where to look and to answer; `null` where no address of ours is known. */
  links: ItemLinks | null;
  /** What machines are told where people read the headline; `null` where the news has no figures. */
  figures: ItemFigures | null;
  /** The window that the news is of; `null` where it is of none. */
  window: Window | null;
  /** `null` for a rule that was removed. */
  app: string | null;
  /** The scheduled time of the tick that found it. */
  at: number;
  /** Counts up in the order in which one alert came to its news; one tick may find several. */
  turn: number;
}

/** In the metric's unit, the baseline in as many hours as `current`; `change` is a ratio, `null` for a rise from 0. */
interface ItemFigures {
  current: number;
  baseline: number;
  difference: number;
  change: number | null;
  unit: string;
}

/** Addresses that are only good for what they say, and only for some time. */
export interface ItemLinks {
  open: string;
  picture: { url: string; alt: string } | null;
  answers: { answer: Answer; label: string; url: string }[];
}

/** What one channel is sent at once: one alert, or a digest of several. Knows nothing of any channel's format. */
export interface Message {
  /** Stands alone where nothing else is shown, such as in a notification. */
  text: string;
  title: string;
  severity: Severity;
  /** The gravest and largest first. All of them: each channel knows how many it can show. */
  items: MessageItem[];
  /** Where all that is wrong can be seen. */
  overviewUrl: string | null;
}

/** Items that a text names one by one. */
const NAMED = 3;

/** One message for all that one channel is owed, the gravest first and then the largest change. */
export function messageFor(pending: PendingNotification[]): Message {
  return messageOf(pending.toSorted(byWeight).map(itemFor));
}

/**
 * One message of these items, the most important first. The news of one alert stay together, in the order in which they
 * happened: a receiver that reads them one by one ends with the last state.
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
  const { alert, notification, rule } = pending;
  const { transition } = notification;
  const evaluated = evaluatedIn(pending);
  return {
    key: notificationKey(alert, { ...notification, channel: '' }),
    ruleId: alert.ruleId,
    segment: alert.segment,
    transition,
    severity: severityOf(pending),
    headline: headlineOf(pending),
    summary: summaryOf(pending),
    facts: factsFor(pending),
    runbook: isOngoing(transition) ? (rule?.runbook ?? null) : null,
    links: null,
    figures: evaluated ? figuresOf(evaluated) : null,
    window: (evaluated?.evaluation ?? notification.evaluation)?.window ?? null,
    app: appOf(alert) ?? rule?.app ?? null,
    at: notification.since,
    turn: turnOf(pending),
  };
}

/** Debts are kept in the order in which they were made. */
export function turnOf({ alert, key }: Pick<PendingNotification, 'alert' | 'key'>): number {
  return Object.keys(alert.pending).indexOf(key);
}

/** What is left to tell where the words for the rest cannot be made. */
export function bareItem({ key, alert, notification, rule }: PendingNotification): MessageItem {
  const { ruleId, segment } = alert;
  const { transition, since: at } = notification;
  return {
    ...{ key: notificationKey(alert, { ...notification, channel: '' }), ruleId, segment, transition, at },
    turn: turnOf({ alert, key }),
    severity: severityOf({ alert, rule }),
    headline: `${quoted(rule?.title ?? ruleId)}${segment ? ` (${quoted(segment)})` : ''}: ${transition}`,
    summary: 'The text of this notification could not be generated',
    facts: [],
    ...{ runbook: rule?.runbook ?? null, links: null, figures: null, window: null },
    app: appOf(alert) ?? rule?.app ?? null,
  };
}

function figuresOf({ evaluation, rule }: EvaluatedWindow): ItemFigures | null {
  const { current, difference, change } = evaluation;
  const baseline = comparableOf(evaluation);
  if (current.value === null || baseline === null || difference === null) return null;
  return { current: current.value, baseline, difference, change, unit: metricOf(rule).unit };
}

/** An app without data is always critical: nothing else of it can be judged. */
function severityOf({ alert, rule }: Pick<PendingNotification, 'alert' | 'rule'>): Severity {
  return appOf(alert) === undefined ? (rule?.severity ?? 'warning') : 'critical';
}

/** How grave it is, for whoever must do something. */
function labelOf({ transition, severity }: MessageItem): string {
  if (signOf(transition) !== 'severity') return '';
  return severity === 'critical' ? 'Critical: ' : severity === 'warning' ? 'Warning: ' : '';
}

/** "40 alerts: Purchases down 41 %; ...; and 37 more." */
function digestText(items: MessageItem[]): string {
  const named = items.slice(0, NAMED).map(({ headline }) => headline);
  const more = items.length > NAMED ? [`and ${items.length - NAMED} more`] : [];
  return `${items.length} alerts: ${[...named, ...more].join('; ')}.`;
}

/** What is over or in somebody's hands stands behind all that nobody has. */
function byWeight(a: PendingNotification, b: PendingNotification): number {
  const severity = ({ alert, rule, notification }: PendingNotification) =>
    SEVERITIES.indexOf(severityOf({ alert, rule })) -
    (asksNobody(notification.transition) ? SEVERITIES.length : 0);
  const size = ({ notification }: PendingNotification) =>
    Math.abs(notification.evaluation?.change ?? Infinity);
  return severity(b) - severity(a) || size(b) - size(a) || (a.key < b.key ? -1 : 1);
}
