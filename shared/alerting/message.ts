import { type Alert, type Debt, isEnd, type Transition } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import { metricOf } from './metrics.ts';
import { MAX_CATCH_UP } from './plan.ts';
import { type Rule, SEVERITIES, type Severity } from './rule.ts';
import { windowEnding } from './window.ts';
import { baselineText, boundsText, figure, percentText, pText, windowText } from './wording.ts';

/** One alert's part of a message: sentences for people, in the order in which they are read. */
export interface MessageItem {
  ruleId: string;
  segment: string | null;
  transition: Transition;
  severity: Severity;
  /** What moved and by how much, in one line. */
  headline: string;
  /** Label and text, most important first. */
  facts: { label: string; text: string }[];
  /** A link or a sentence: what to do. */
  runbook: string | null;
}

/** What one channel is sent at once: one alert, or a digest of several. Knows nothing of any channel's format. */
export interface Message {
  /** Stands alone where nothing else is shown, such as in a notification. */
  text: string;
  title: string;
  severity: Severity;
  /** The gravest and largest first. */
  items: MessageItem[];
  /** How many more there are beyond `items`. */
  more: number;
}

/** A debt with the alert that owes it and its rule, which may have been removed since. */
export interface Owed {
  key: string;
  alert: Alert;
  debt: Debt;
  rule: Rule | undefined;
}

/** Items that one message shows; the rest is counted. */
const SHOWN = 10;

const VERBS: Record<Transition, string> = {
  fired: 'fired',
  recovered: 'recovered',
  accepted: 'settled at a new level',
  restarted: 'starts afresh',
  failing: 'could not be checked',
  broken: 'is broken',
  stalled: 'cannot be judged for want of data or calls',
  healed: 'can be checked again',
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
    items: items.slice(0, SHOWN),
    more: Math.max(0, items.length - SHOWN),
  };
}

function itemFor({ alert, debt, rule }: Owed): MessageItem {
  const title = rule?.title ?? alert.ruleId;
  const subject = alert.segment === null ? title : `${title}: ${alert.segment || '(none)'}`;
  return {
    ruleId: alert.ruleId,
    segment: alert.segment,
    transition: debt.transition,
    severity: rule?.severity ?? 'warning',
    headline: `${subject} ${debt.evaluation && rule ? movement(debt, debt.evaluation, rule) : VERBS[debt.transition]}`,
    facts: debt.evaluation && rule ? figuresOf(debt, debt.evaluation, rule) : healthFacts(debt),
    runbook: rule?.runbook ?? null,
  };
}

function movement(debt: Debt, { current, baseline, change, difference }: Evaluation, rule: Rule): string {
  const now = figure(current.value ?? 0);
  if (debt.transition === 'recovered') return `recovered: ${now} ${metricOf(rule.metric).unit}`;
  if (debt.transition === 'accepted') return `settled at a new level: ${now} ${metricOf(rule.metric).unit}`;
  const direction = (difference ?? 0) < 0 ? 'fell' : 'rose';
  const by = change === null ? 'new' : percentText(change);
  return `${direction} from ${figure(baseline.value ?? 0)} to ${now} ${metricOf(rule.metric).unit} (${by})`;
}

function figuresOf(debt: Debt, evaluation: Evaluation, rule: Rule): MessageItem['facts'] {
  const { current, baseline, previous, difference, change, window } = evaluation;
  const calendar = { grain: rule.window, zone: rule.zone };
  const facts = [
    { label: 'Now', text: `${amount(current.value, rule)} in ${windowText(window, calendar)}` },
    { label: 'Before', text: `${amount(baseline.value, rule)} ${baselineText(evaluation, calendar)}` },
    {
      label: 'Difference',
      text: `${signed(difference)} (${change === null ? 'new, from 0' : percentText(change)})`,
    },
    debt.transition === 'recovered'
      ? backFact(debt, evaluation, rule)
      : { label: 'How sure', text: sureness(evaluation) },
  ];
  if (rule.baseline.to !== 'previous_period')
    facts.push({ label: 'The window before', text: amount(previous.value, rule) });
  if (debt.firedWindowEndAt !== null)
    facts.push({
      label: 'Fired',
      text: `for ${windowText(windowEnding(debt.firedWindowEndAt, calendar), calendar)}`,
    });
  if (debt.transition === 'accepted') facts.push({ label: 'Why', text: debt.reason });
  const lateHours = (debt.since - window.endAt) / 3_600_000 - rule.settle / 60;
  if (lateHours > (window.endAt - window.startAt) / 3_600_000)
    facts.push({ label: 'Late', text: `judged ${figure(lateHours)} hours after the window had settled` });
  return facts;
}

function backFact(debt: Debt, { recovered }: Evaluation, rule: Rule) {
  const bounds = rule.recover ?? rule.fire;
  const within = bounds ? `within the bounds ${boundsText(bounds)}` : 'within what is usual';
  return { label: 'Back', text: recovered ? within : debt.reason };
}

function healthFacts(debt: Debt): MessageItem['facts'] {
  const next: Partial<Record<Transition, string>> = {
    failing: 'Nothing is taken for "all clear": the same windows are tried again at the next run.',
    broken: 'It failed five times in a row and goes on trying; you hear again when it works.',
    stalled: 'The windows wait and are judged when it is possible again; you hear of that.',
    healed: `The windows that were missed are judged now, the last ${MAX_CATCH_UP} of them at most.`,
    restarted: 'Nothing: if it still is wrong by the changed rule, it fires again.',
  };
  const what = next[debt.transition];
  return [{ label: 'Why', text: debt.reason }, ...(what ? [{ label: 'What now', text: what }] : [])];
}

function sureness({ significance, gates }: Evaluation): string {
  const asked = ['significance', 'season', 'family'];
  const said = gates.filter(({ gate }) => asked.includes(gate)).map(({ detail }) => detail);
  if (significance?.exactP != null)
    said.push(`exact test of two Poisson counts: p ${pText(significance.exactP)}`);
  return said.join('; ') || 'not tested';
}

function amount(value: number | null, rule: Rule): string {
  return value === null ? 'no value' : `${figure(value)} ${metricOf(rule.metric).unit}`;
}

function signed(value: number | null): string {
  return value === null ? 'unknown' : `${value > 0 ? '+' : ''}${figure(value)}`;
}

function label({ transition, severity }: MessageItem): string {
  if (transition === 'recovered' || transition === 'healed') return 'Resolved:';
  if (transition === 'accepted') return 'Settled:';
  return severity === 'critical' ? 'Critical:' : severity === 'warning' ? 'Warning:' : 'Info:';
}

function digestTitle(items: MessageItem[]): string {
  const counts = Map.groupBy(items, ({ transition }) => transition);
  return [...counts]
    .map(([transition, { length }]) => `${length} ${length === 1 ? 'alert' : 'alerts'} ${VERBS[transition]}`)
    .join(', ');
}

function byWeight(a: Owed, b: Owed): number {
  const gravity = ({ rule, debt }: Owed) =>
    SEVERITIES.indexOf(rule?.severity ?? 'warning') + (isEnd(debt.transition) ? -SEVERITIES.length : 0);
  const size = ({ debt }: Owed) => Math.abs(debt.evaluation?.change ?? Infinity);
  return gravity(b) - gravity(a) || size(b) - size(a) || (a.key < b.key ? -1 : 1);
}
