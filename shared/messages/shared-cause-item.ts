import { asksNobody, isAnswer, isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { notificationKey } from '../notifications/notification-key.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { countRules } from '../notifications/shared-cause.ts';
import type { Rule } from '../rules/rule.ts';
import { mostSevere } from '../rules/rule.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { summaryOf } from './headlines.ts';
import { contextOf, type Message, type MessageItem, messageFor, messageOf, turnOf } from './message.ts';
import { type Fact, heldText } from './message-facts.ts';
import { movedText } from './movement-text.ts';
import { evaluatedIn } from './news.ts';
import { ENDED } from './recovery-text.ts';
import { subjectOf } from './subjects.ts';

/** Alerts listed one by one. */
const LISTED = 10;

/** One message for the pending notifications of a channel. Notifications with a common cause share one item. */
export function messageWithCauses(pending: PendingNotification[], rules: Rule[]): Message {
  const [ofCauses, others] = [pending.filter(hasCause), pending.filter((each) => !hasCause(each))];
  const items = [...Map.groupBy(ofCauses, itemKeyOf).values()].map((members) => causeItem(members, rules));
  const [over, open] = [items.filter(isOver), items.filter((item) => !isOver(item))];
  return messageOf([...open, ...(others.length > 0 ? messageFor(others).items : []), ...over]);
}

/** The key of the item that this notification is part of. */
export function itemKeyOf({
  alert,
  notification,
}: Pick<PendingNotification, 'alert' | 'notification'>): string {
  if (notification.cause === undefined) return notificationKey(alert, { ...notification, channel: '' });
  const what = isEnd(notification.transition) ? 'recovered' : notification.transition;
  // Members can start and stop flapping in different runs.
  const isOneOfMany = TRANSITIONS[notification.transition].on.role === 'continues';
  const when = isOneOfMany ? [new Date(notification.windowEndAt).toISOString()] : [];
  return [
    notification.cause,
    what,
    ...when,
    ...(notification.reminder === undefined ? [] : [notification.reminder]),
  ].join('#');
}

/** One item for notifications with a common cause: fired, reminded or ended. */
function causeItem(members: PendingNotification[], rules: Rule[]): MessageItem {
  const [first, ...others] = members.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (!first) throw new RangeError('a common cause needs something that it is the cause of');
  const { notification, rule } = first;
  const app = rule?.app ?? null;
  const [ruleId = '', segment = ''] = (notification.cause ?? '').split('#');
  const isEnded = isEnd(notification.transition);
  return {
    key: itemKeyOf(first),
    ruleId,
    segment,
    transition: isEnded ? endOf(members) : notification.transition,
    severity: SEVERITIES[mostSevere(members.map((each) => each.rule))] ?? 'warning',
    headline: headlineFor(members, app ?? 'an app'),
    summary: isEnded ? overText(members) : togetherText(members, rules),
    facts: [
      ...[first, ...others].slice(0, LISTED).map(factOf),
      ...moreFact(members.length),
      ...heldFact(first),
    ],
    runbook: asksNobody(notification.transition)
      ? null
      : 'First check whether all events are still being sent and counted; then look at the figures.',
    links: null,
    figures: null,
    window: notification.evaluation?.current.window ?? null,
    app,
    at: notification.since,
    turn: Math.max(...members.map(turnOf)),
    ...contextOf([first, ...others]),
  };
}

function headlineFor(members: PendingNotification[], app: string): string {
  const transition = members[0]?.notification.transition ?? 'fired';
  const together = `counts that fell together in ${app}`;
  const end = commonEnd(members);
  if (isEnd(transition)) return `${end && isEnd(end) ? ENDED[end] : 'Ended'}: ${together}`;
  if (transition === 'acknowledged') return `Acknowledged: ${together}`;
  if (transition === 'snoozed') return `Snoozed: ${together}`;
  if (transition === 'flapping') return `Flapping: ${together}`;
  return `Tracking or the data source of ${app} may be down`;
}

/** The common end of all members; `undefined` if they differ. */
function commonEnd(members: PendingNotification[]): Transition | undefined {
  const [end, ...others] = new Set(members.map(({ notification }) => notification.transition));
  return others.length === 0 ? end : undefined;
}

/** The transition of an ended item, for receivers that sort by it. */
function endOf(members: PendingNotification[]): Transition {
  return commonEnd(members) ?? 'recovered';
}

function togetherText(members: PendingNotification[], rules: Rule[]): string {
  const transition = members[0]?.notification.transition ?? 'fired';
  if (isAnswer(transition)) return 'No alert of this group needs attention';
  if (transition === 'flapping') return `${members.length} of its alerts are flapping`;
  const [like] = members.flatMap(({ rule }) => rule ?? []);
  const counts = like ? countRules(rules, like) : [];
  const fell = counts.filter(({ id }) => members.some(({ alert }) => alert.ruleId === id));
  const still = transition === 'fired' ? 'fell together' : 'are still down';
  const which = fell.length === counts.length ? 'All' : `${fell.length} of the`;
  return `${which} ${counts.length} counts evaluated in the same run ${still}`;
}

function overText(members: PendingNotification[]): string {
  return members.length === 1 ? 'The last alert has ended' : `All ${members.length} alerts have ended`;
}

function factOf(pending: PendingNotification): Fact {
  const evaluated = evaluatedIn(pending);
  const label = subjectOf(pending.alert, pending.rule);
  if (!evaluated || isEnd(pending.notification.transition)) return { label, text: summaryOf(pending) };
  return { label, text: movedText(evaluated.evaluation, evaluated.rule) };
}

function moreFact(count: number): Fact[] {
  return count > LISTED ? [{ label: 'And', text: `+${count - LISTED} more` }] : [];
}

function heldFact({ heldBy }: PendingNotification): Fact[] {
  return heldBy ? [{ label: 'Held back', text: heldText(heldBy) }] : [];
}

function hasCause({ notification }: PendingNotification): boolean {
  return notification.cause !== undefined;
}

function isOver({ transition }: MessageItem): boolean {
  return isEnd(transition);
}

function sizeOf({ notification }: PendingNotification): number {
  return Math.abs(notification.evaluation?.change ?? 0);
}
