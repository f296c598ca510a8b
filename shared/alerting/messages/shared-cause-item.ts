import {
  asksNobody,
  type End,
  isAnswer,
  isEnd,
  TRANSITIONS,
  type Transition,
} from '../alerts/transitions.ts';
import { debtKey } from '../notifications/notification-key.ts';
import type { Owed } from '../notifications/owed.ts';
import { countRules } from '../notifications/shared-cause.ts';
import { type Rule, SEVERITIES } from '../rules/rule.ts';
import { severest } from '../rules/severity.ts';
import { judgedIn, summaryOf } from './headlines.ts';
import { heldText } from './held-text.ts';
import { type Message, type MessageItem, messageFor, messageOf, turnOf } from './message.ts';
import type { Fact } from './message-facts.ts';
import { movedText } from './movement-text.ts';
import { subjectOf } from './subjects.ts';

/** Rules that a common cause lists one by one. */
const LISTED = 10;

/** One message for all that one channel is owed, in which one item stands for all that has a cause in common. */
export function messageWithCauses(owed: Owed[], rules: Rule[]): Message {
  const [ofCauses, others] = [owed.filter(hasCause), owed.filter((each) => !hasCause(each))];
  const items = [...Map.groupBy(ofCauses, itemKeyOf).values()].map((members) => causeItem(members, rules));
  const [over, open] = [items.filter(isOver), items.filter((item) => !isOver(item))];
  return messageOf([...open, ...(others.length > 0 ? messageFor(others).items : []), ...over]);
}

/** The key of the item that tells of this. */
export function itemKeyOf({ alert, debt }: Pick<Owed, 'alert' | 'debt'>): string {
  if (debt.cause === undefined) return debtKey(alert, { ...debt, channel: '' });
  const what = isEnd(debt.transition) ? 'recovered' : debt.transition;
  // Some may come and go before others do.
  const isOneOfMany = TRANSITIONS[debt.transition].on.role === 'continues';
  const when = isOneOfMany ? [new Date(debt.windowEndAt).toISOString()] : [];
  return [debt.cause, what, ...when, ...(debt.reminder === undefined ? [] : [debt.reminder])].join('#');
}

/** One item for what has a cause in common: fired, to be reminded of, or over. */
function causeItem(members: Owed[], rules: Rule[]): MessageItem {
  const [first, ...others] = members.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (!first) throw new RangeError('a common cause needs something that it is the cause of');
  const { debt, rule } = first;
  const app = rule?.app ?? null;
  const [ruleId = '', segment = ''] = (debt.cause ?? '').split('#');
  const isEnded = isEnd(debt.transition);
  return {
    key: itemKeyOf(first),
    ruleId,
    segment,
    transition: isEnded ? endOf(members) : debt.transition,
    severity: SEVERITIES[severest(members.map((each) => each.rule))] ?? 'warning',
    headline: headlineFor(members, app ?? 'an app'),
    summary: isEnded ? overText(members) : togetherText(members, rules),
    facts: [
      ...[first, ...others].slice(0, LISTED).map(factOf),
      ...moreFact(members.length),
      ...heldFact(first),
    ],
    runbook: asksNobody(debt.transition)
      ? null
      : 'Look first at whether all is still sent and counted, then at the figures.',
    links: null,
    figures: null,
    window: debt.evaluation?.window ?? null,
    app,
    at: debt.since,
    turn: Math.max(...members.map(turnOf)),
  };
}

function headlineFor(members: Owed[], app: string): string {
  const transition = members[0]?.debt.transition ?? 'fired';
  const together = `what fell together in ${app}`;
  const end = commonEnd(members);
  if (isEnd(transition)) return `${end && isEnd(end) ? OVER[end] : 'Over'}: ${together}`;
  if (transition === 'acknowledged') return `Taken: ${together}`;
  if (transition === 'snoozed') return `Snoozed: ${together}`;
  if (transition === 'flapping') return `Coming and going: ${together}`;
  return `Tracking or the source of ${app} may be down`;
}

/** What each of these is called where all of a cause ended so. */
const OVER: Record<End, string> = {
  recovered: 'Recovered',
  retracted: 'Retracted',
  accepted: 'Accepted as usual',
  excused: 'To be expected',
  calmed: 'Calm again',
  restarted: 'Over',
  'data-back': 'Over',
  healed: 'Over',
  resumed: 'Over',
};

/** How all of it ended; `undefined` where not all of it ended alike. */
function commonEnd(members: Owed[]): Transition | undefined {
  const [end, ...others] = new Set(members.map(({ debt }) => debt.transition));
  return others.length === 0 ? end : undefined;
}

/** The kind of news that its end is for those who sort by that. */
function endOf(members: Owed[]): Transition {
  return commonEnd(members) ?? 'recovered';
}

function togetherText(members: Owed[], rules: Rule[]): string {
  const transition = members[0]?.debt.transition ?? 'fired';
  if (isAnswer(transition)) return 'Nothing of it asks for anybody any more';
  if (transition === 'flapping') return `${members.length} of its alerts fire and end again and again`;
  const [like] = members.flatMap(({ rule }) => rule ?? []);
  const counts = like ? countRules(rules, like) : [];
  const fell = counts.filter(({ id }) => members.some(({ alert }) => alert.ruleId === id));
  const still = transition === 'fired' ? 'fell together' : 'are still down';
  return `${fell.length} of the ${counts.length} counts that are judged in the same run ${still}`;
}

function overText(members: Owed[]): string {
  return members.length === 1 ? 'The last of it is over' : `All ${members.length} alerts are over`;
}

function factOf(owed: Owed): Fact {
  const judged = judgedIn(owed);
  const label = subjectOf(owed.alert, owed.rule);
  if (!judged || isEnd(owed.debt.transition)) return { label, text: summaryOf(owed) };
  return { label, text: movedText(judged.evaluation, judged.rule) };
}

function moreFact(count: number): Fact[] {
  return count > LISTED ? [{ label: 'And', text: `+${count - LISTED} more` }] : [];
}

function heldFact({ heldBy }: Owed): Fact[] {
  return heldBy ? [{ label: 'Held back', text: heldText(heldBy) }] : [];
}

function hasCause({ debt }: Owed): boolean {
  return debt.cause !== undefined;
}

function isOver({ transition }: MessageItem): boolean {
  return isEnd(transition);
}

function sizeOf({ debt }: Owed): number {
  return Math.abs(debt.evaluation?.change ?? 0);
}
