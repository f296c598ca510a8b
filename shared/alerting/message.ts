import { type Alert, type Answer, type Debt, debtKey, isEnd, type Transition } from './alert.ts';
import { appOf } from './app-alert.ts';
import { type Fact, factsOf, memberFacts, plainFacts } from './message-facts.ts';
import { metricOf } from './metrics.ts';
import { type Rule, SEVERITIES, type Severity } from './rule.ts';
import type { Window } from './window.ts';
import { amountText, movementText } from './wording.ts';

/** Items that one message shows in full: links are made for no more. */
export const SHOWN = 10;

/** One alert's part of a message: sentences for people, in the order in which they are read. */
export interface MessageItem {
  /** Names the item for ever: whoever gets it twice can tell. */
  key: string;
  ruleId: string;
  segment: string | null;
  transition: Transition;
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
}

/** In the metric's unit; `change` is a ratio, `null` for a rise from 0. */
export interface ItemFigures {
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

/** A debt with the alert that owes it and its rule, which may have been removed since. */
export interface Owed {
  key: string;
  alert: Alert;
  debt: Debt;
  rule: Rule | undefined;
  /** For the app's own alert, which has no rule: the zone that the app's rules have in common. */
  zone?: string | undefined;
  /** The calendar or the silence that has kept it back until now. */
  heldBy?: string | undefined;
}

const VERBS: Record<Transition, string> = {
  fired: 'fired',
  recovered: 'recovered',
  retracted: 'was retracted',
  accepted: 'settled at a new level',
  excused: 'was to be expected',
  restarted: 'starts afresh',
  acknowledged: 'was acknowledged',
  reminded: 'still fires',
  flapping: 'keeps changing',
  calmed: 'has calmed',
  persists: 'goes on firing',
  'no-data': 'has no data',
  'data-back': 'has data again',
  failing: 'could not be checked',
  broken: 'is broken',
  stalled: 'cannot be judged for want of calls',
  healed: 'can be checked again',
  stopped: 'tells that no data come',
  resumed: 'tells that data come again',
};

/** One message for all that one channel is owed, the gravest first and then the largest change. */
export function messageFor(owed: Owed[]): Message {
  const items = owed.toSorted(byWeight).map(itemFor);
  const [first] = items;
  if (!first) throw new RangeError('a message needs at least one debt');
  const title = items.length === 1 ? `${label(first)} ${first.headline}` : digestTitle(items);
  return {
    text:
      items.length === 1
        ? title
        : `${title}: ${items
            .slice(0, 3)
            .map((item) => item.headline)
            .join('; ')}`,
    title,
    severity: first.severity,
    items,
    overviewUrl: null,
  };
}

function itemFor({ alert, debt, rule }: Owed): MessageItem {
  const title = rule?.title ?? alert.ruleId;
  const subject = alert.segment === null ? title : `${title}: ${alert.segment || '(none)'}`;
  const { transition } = debt;
  return {
    key: debtKey(alert, { ...debt, channel: '' }),
    ruleId: alert.ruleId,
    segment: alert.segment,
    transition,
    severity: severityOf({ alert, rule }),
    headline: appOf(alert) === undefined ? `${subject} ${whatOf(debt, rule)}` : debt.reason,
    summary: debt.reason,
    facts: factsFor({ alert, debt, rule }),
    runbook: rule?.runbook ?? null,
    links: null,
    figures: figuresOf(debt, rule),
    window: debt.evaluation?.window ?? null,
    app: appOf(alert) ?? rule?.app ?? null,
    at: debt.since,
  };
}

function figuresOf({ evaluation }: Debt, rule: Rule | undefined): ItemFigures | null {
  if (!evaluation || !rule || rule.members) return null;
  const { current, baseline, difference, change } = evaluation;
  if (current.value === null || baseline.value === null || difference === null) return null;
  const { unit } = metricOf(rule);
  return { current: current.value, baseline: baseline.value, difference, change, unit };
}

function whatOf({ transition, evaluation }: Debt, rule: Rule | undefined): string {
  if (!evaluation || !rule) return VERBS[transition];
  if (rule.members) return `${VERBS[transition]}: ${evaluation.reason}`;
  if (evaluation.current.value === null) return VERBS[transition];
  if (transition === 'fired') return movementText(evaluation, rule);
  return `${VERBS[transition]}: ${amountText(evaluation.current.value, rule)}`;
}

function factsFor({ alert, debt, rule }: Omit<Owed, 'key'>): Fact[] {
  const { evaluation } = debt;
  if (!evaluation || !rule) return plainFacts(debt);
  if (rule.members) return [...memberFacts(evaluation), ...plainFacts(debt)];
  return evaluation.current.value === null
    ? plainFacts(debt)
    : factsOf(debt, evaluation, rule, alert.announced);
}

/** An app without data is always critical: nothing else of it can be judged. */
function severityOf({ alert, rule }: Pick<Owed, 'alert' | 'rule'>): Severity {
  return appOf(alert) === undefined ? (rule?.severity ?? 'warning') : 'critical';
}

function label({ transition, severity }: MessageItem): string {
  if (transition === 'accepted') return 'Settled:';
  if (transition === 'retracted') return 'Retracted:';
  if (isEnd(transition) && transition !== 'restarted') return 'Resolved:';
  return severity === 'critical' ? 'Critical:' : severity === 'warning' ? 'Warning:' : 'Info:';
}

function digestTitle(items: MessageItem[]): string {
  const counts = Map.groupBy(items, ({ transition }) => transition);
  return [...counts]
    .map(([transition, { length }]) => `${length} ${length === 1 ? 'alert' : 'alerts'} ${VERBS[transition]}`)
    .join(', ');
}

function byWeight(a: Owed, b: Owed): number {
  const gravity = ({ alert, rule, debt }: Owed) =>
    SEVERITIES.indexOf(severityOf({ alert, rule })) + (isEnd(debt.transition) ? -SEVERITIES.length : 0);
  const size = ({ debt }: Owed) => Math.abs(debt.evaluation?.change ?? Infinity);
  return gravity(b) - gravity(a) || size(b) - size(a) || (a.key < b.key ? -1 : 1);
}
