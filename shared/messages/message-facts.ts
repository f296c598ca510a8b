import { isEnd, isOngoing, TRANSITIONS } from '../alerts/transitions.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { HeldBy } from '../notifications/pending.ts';
import type { FigureRule } from '../rules/rule.ts';
import { quoted, whatQuotedCuts } from '../text/quoted.ts';
import { windowEnding } from '../time/window.ts';
import { driverSentences } from './driver-text.ts';
import {
  amountText,
  baselineText,
  inWindowText,
  momentsIn,
  momentText,
  spanText,
  stretchText,
  windowText,
} from './figure-text.ts';
import { gateText } from './gate-text.ts';
import { reasonOf } from './headlines.ts';
import { differenceText, surenessText } from './movement-text.ts';
import { type EvaluatedWindow, evaluatedIn, type NewsContext, zoneOf } from './news.ts';
import { whatNow } from './next-steps.ts';
import { noteFacts } from './note-text.ts';
import { recoveredText } from './recovery-text.ts';

/** A label and a text; `isSmall`: shown in small print; `isNews`: what a person just said. */
export interface Fact {
  label: string;
  text: string;
  isSmall?: true;
  isNews?: true;
}

/** The facts below the headline, in reading order. */
export function factsFor(news: NewsContext & { heldBy?: HeldBy | undefined }): Fact[] {
  const { alert, notification, rule, heldBy } = news;
  const evaluated = evaluatedIn(news);
  const segment = whatQuotedCuts(alert.segment ?? '');
  const facts = [
    ...(segment === null ? [] : [{ label: 'Segment', text: segment }]),
    ...(evaluated ? figureFacts(news, evaluated) : [...memberFacts(news), ...plainFacts(news)]),
    ...noteFacts(news),
    ...snoozeFacts(news),
    ...answerFacts(news),
    ...sinceFacts(news),
    ...(evaluated ? pastFacts(news, evaluated) : []),
  ];
  if (!heldBy) return facts;
  const found = momentText(notification.since, zoneOf({ ...news, rule }));
  return [...facts, { label: 'Held back', text: `${heldText(heldBy)}; detected ${found}`, isSmall: true }];
}

/** Values, difference, significance and drivers. */
function figureFacts(news: NewsContext, { evaluation, rule }: EvaluatedWindow): Fact[] {
  const { drivers } = news.notification;
  const { segment } = news.alert;
  return [
    ...evaluationFacts(evaluation, rule).slice(0, COMPARED),
    ...groundsOf(news, evaluation, rule),
    ...(drivers
      ? [{ label: 'What drove it', text: driverSentences(drivers, { rule, segment }).join(' ') }]
      : []),
  ];
}

const BASELINE_LABELS = {
  window: 'Before',
  median: 'Typical',
  model: 'Expected',
  segments: 'Compared',
} as const;

/** The first facts of an evaluation: now, its baseline and the difference. */
const COMPARED = 3;

/** The figures of an evaluation: now, its baseline, the difference, and the window before if that is another one. */
export function evaluationFacts(evaluation: Evaluation, rule: FigureRule): Fact[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const { current, baseline, previous } = evaluation;
  const now = `${amountText(current.value, rule)} ${inWindowText(current.window, calendar)}`;
  const before = `${amountText(baseline.value, rule)} ${baselineText(baseline, calendar)}${stretchText(evaluation, rule)}`;
  const earlier = { label: `The ${rule.window} before`, text: amountText(previous.value, rule) };
  return [
    { label: 'Now', text: now },
    { label: BASELINE_LABELS[baseline.origin.of], text: before },
    { label: 'Difference', text: differenceText(evaluation, rule) },
    ...(rule.baseline.to === 'previous_period' ? [] : [{ ...earlier, isSmall: true as const }]),
  ];
}

/** The evidence that the message gives. */
function groundsOf(news: NewsContext, evaluation: Evaluation, rule: FigureRule): Fact[] {
  switch (news.notification.transition) {
    case 'fired':
      return [{ label: 'How sure', text: surenessText(evaluation, rule) }];
    case 'recovered':
      return [{ label: 'Why', text: evaluation.recovered ? recoveredText(rule) : reasonOf(news) }];
    default:
      return TRANSITIONS[news.notification.transition].why ? [{ label: 'Why', text: reasonOf(news) }] : [];
  }
}

/** The firing members of a composite rule. */
function memberFacts({ notification, rule }: NewsContext): Fact[] {
  if (!rule?.members || !notification.evaluation) return [];
  const { zone } = rule;
  return notification.evaluation.gates
    .filter(({ gate, passed }) => gate === 'member' && passed)
    .map((gate) => ({ label: 'Firing', text: gateText(gate, momentsIn(zone)) }));
}

/** Reason and next step of a message without figures. */
function plainFacts(news: NewsContext): Fact[] {
  const { transition, evaluation } = news.notification;
  const next = whatNow(news);
  const omitsWhy = !TRANSITIONS[transition].why || (transition === 'fired' && evaluation !== null);
  return [
    ...(omitsWhy ? [] : [{ label: 'Why', text: reasonOf(news) }]),
    ...(next ? [{ label: 'What happens next', text: `${next}.` }] : []),
  ];
}

function snoozeFacts({ alert, notification, rule, zone }: NewsContext): Fact[] {
  const { snoozed } = alert;
  if (notification.transition !== 'snoozed' || !snoozed) return [];
  const { untilAt, by, reason } = snoozed;
  const until = untilAt === null ? 'it recovers' : momentText(untilAt, zoneOf({ rule, zone }));
  const words = reason === '' ? '' : `: ${quoted(reason)}`;
  return [{ label: 'Snoozed', text: `until ${until}, by ${quoted(by)}${words}`, isNews: true }];
}

function answerFacts({ alert, notification, rule, zone }: NewsContext): Fact[] {
  const { acknowledged } = alert;
  if (!isOngoing(notification.transition)) return [];
  if (!acknowledged)
    return notification.transition === 'reminded' ? [{ label: 'Acknowledged by', text: 'no one yet' }] : [];
  const when = momentText(acknowledged.at, zoneOf({ rule, zone }));
  const words = acknowledged.reason === '' ? '' : `: ${quoted(acknowledged.reason)}`;
  const text = `${quoted(acknowledged.by)}, ${when}${words}`;
  const isNews = notification.transition === 'acknowledged';
  return [{ label: 'Acknowledged by', text, ...(isNews && { isNews }) }];
}

/** When it began, or how long it lasted. */
function sinceFacts({ alert, notification, rule, zone }: NewsContext): Fact[] {
  const incident = alert.incidents.at(-1);
  if (!incident) return [];
  const at = zoneOf({ rule, zone });
  const since = momentText(incident.startAt, at);
  const isMovement = TRANSITIONS[notification.transition].compared === 'moved';
  if (isMovement && !isEnd(notification.transition)) return [{ label: 'Since', text: since, isSmall: true }];
  const isOver =
    notification.transition === 'recovered' && incident.endAt >= (notification.firedWindowEndAt ?? Infinity);
  const length = spanText(incident.endAt - incident.startAt);
  return isOver ? [{ label: 'Lasted', text: `${length}, from ${since}`, isSmall: true }] : [];
}

/** What was sent before, and how late this message is. */
function pastFacts({ notification }: NewsContext, { evaluation, rule }: EvaluatedWindow): Fact[] {
  const { window } = evaluation.current;
  const calendar = { grain: rule.window, zone: rule.zone };
  const facts = evaluationFacts(evaluation, rule).slice(COMPARED);
  if (notification.firedWindowEndAt !== null && isEnd(notification.transition))
    facts.push({
      label: 'Fired',
      text: `for ${windowText(windowEnding(notification.firedWindowEndAt, calendar), calendar)}`,
      isSmall: true,
    });
  if (notification.firstRead)
    facts.push({
      label: 'First read',
      text: `${amountText(notification.firstRead.value, rule)}; the data has changed since`,
      isSmall: true,
    });
  const lateMs = notification.since - window.endAt - rule.settle * 60_000;
  if (notification.evaluation === evaluation && lateMs > window.endAt - window.startAt) {
    const evaluated = notification.firstRead ? 're-evaluated' : 'evaluated';
    facts.push({
      label: 'Late',
      text: `${evaluated} ${spanText(lateMs)} after the data was expected to be complete`,
      isSmall: true,
    });
  }
  return facts;
}

/** "until Tue 3 Mar 2026, 08:00 (Europe/Berlin) by the calendar "nights"". */
export function heldText({ by, name, untilAt, zone }: HeldBy): string {
  const until = momentText(untilAt, zone);
  switch (by) {
    case 'calendar':
      return `until ${until} by the calendar "${name}"`;
    case 'silence':
      return `until ${until} by a silence of ${name}`;
    case 'snooze':
      return `until ${until} by a snooze of ${name}`;
  }
}
