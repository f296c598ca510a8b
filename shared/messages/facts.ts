import type { Alert } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import { isEnd, isOngoing, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { levelBand } from '../evaluation/expected-limits.ts';
import type { HeldBy, PendingNotification } from '../notifications/pending.ts';
import { boundsLevel, comparesSegments, type FigureRule } from '../rules/rule.ts';
import { quoted, whatQuotedCuts } from '../text/quoted.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';
import { windowEnding } from '../time/window.ts';
import { MINUTE_MS } from '../units/durations.ts';
import { driverSentences } from './driver-text.ts';
import {
  amountText,
  baselineText,
  boundsText,
  firesText,
  spanText,
  stretchText,
  valueText,
} from './figure-text.ts';
import { gateText } from './gate-text.ts';
import { differenceText, surenessText, withMovement } from './movement-text.ts';
import { newsNotes, notesText } from './notes-text.ts';
import { reasonText } from './reason-text.ts';
import { subjectOf } from './subjects.ts';
import { inWindowText, momentText, windowText } from './time-text.ts';
import { verdictText } from './verdict-text.ts';

export type News = Omit<PendingNotification, 'key'>;

/** A label and a text; `isSmall`: shown in small print; `isNews`: what a person just said. */
export interface Fact {
  label: string;
  text: string;
  isSmall?: true;
  isNews?: true;
}

/** What there is to say about a notification, each part once. Headlines and layouts choose from it. */
export interface FactSheet {
  zone: string;
  /** What it is about: "Purchases in Germany". */
  subject: string;
  /** The subject and its movement: "Purchases in Germany down 41%". */
  moved: string;
  /** The evaluation that it shows; `undefined` if it shows no figures. */
  evaluated: { evaluation: Evaluation; rule: FigureRule } | undefined;
  /** The present value with its unit; empty without figures. */
  now: string;
  /** The firing members of a composite rule. */
  members: string[];
  reason: string;
  /** What happens next, without a full stop; `undefined` if there is nothing to say. */
  next: string | undefined;
  /** All facts below the headline, in reading order. */
  facts: Fact[];
}

export function factsOf(news: News): FactSheet {
  const { alert, notification, rule } = news;
  const evaluated = evaluatedIn(news);
  const gates = rule?.members ? (notification.evaluation?.gates ?? []) : [];
  const zone = rule?.zone ?? news.zone ?? 'UTC';
  const subject = subjectOf(alert, rule);
  const sheet = {
    ...{ zone, subject, evaluated, reason: reasonOf(news), next: nextOf(news) },
    moved: movedOf(news, subject, zone),
    now: evaluated ? amountText(evaluated.evaluation.current.value, evaluated.rule) : '',
    members: gates
      .filter(({ gate, passed }) => gate === 'member' && passed)
      .map((gate) => gateText(gate, zone)),
  };
  return { ...sheet, facts: factList(news, sheet) };
}

function movedOf(news: News, subject: string, zone: string): string {
  const { alert, notification, rule } = news;
  const evaluated = evaluatedIn(news);
  const app = appOf(alert);
  if (evaluated) return withMovement(subject, evaluated);
  if (app !== undefined) return `no data from ${quoted(app)}`;
  return rule?.members && notification.evaluation
    ? `${subject}: ${verdictText(notification.evaluation, zone, rule)}`
    : `${subject} fires`;
}

/** The evaluation that a message shows; `undefined` if it shows none. */
export function evaluatedIn({
  alert: { last },
  notification,
  rule,
}: Pick<News, 'alert' | 'notification' | 'rule'>): FactSheet['evaluated'] {
  const { figures } = TRANSITIONS[notification.transition];
  const own = notification.evaluation;
  const evaluation = figures === 'own' ? own : figures === 'last' ? (last ?? own) : (own ?? last);
  if (!rule || rule.members || !evaluation) return undefined;
  const isKnown = evaluation.current.value !== null && (evaluation.difference !== null || boundsLevel(rule));
  return isKnown ? { evaluation, rule } : undefined;
}

/** The reason in plain words, in the rule's zone. */
export function reasonOf({ notification, rule, zone = 'UTC' }: Omit<News, 'alert'>): string {
  const { evaluation, reason } = notification;
  const known = { zone: rule?.zone ?? zone, window: rule?.window };
  const verdict = evaluation ? verdictText(evaluation, known.zone, rule) : '';
  // The segment may be well, and what it was compared with gone.
  const isAlone = reason.code === 'segment-gone' && evaluation?.reason.code === 'too-few-to-compare';
  return isAlone ? verdict : reasonText(reason, { ...known, verdict });
}

/** What happens next for notifications without figures. */
const NEXT: Partial<Record<Transition, string>> = {
  restarted: 'If the values breach the changed rule, it fires again',
  'no-data': 'The alert keeps its state until data arrives. You will be notified when it does',
  'data-back': 'The rule is being evaluated again',
  failing: 'This is not an all-clear. The next run retries the same windows',
  broken: 'Each run tries again. You will be notified when a run succeeds',
  stalled: 'The windows will be evaluated when calls are available again, and you will be notified then',
  healed: `The missed windows, at most the last ${MAX_CATCH_UP}, are being evaluated now`,
  'matches-nothing':
    'If the event is rare, this may be fine. Otherwise, fix the rule: deltawatch check --live lists the names that exist. You will not be notified about this again',
  stopped: 'Rules for this app are paused until data arrives. You will be notified when it does',
  resumed: `The missed windows, at most the last ${MAX_CATCH_UP}, are being evaluated now`,
};

/** Calls are left, but the runs have no time for the queries of the rule. */
const NO_TIME = 'The windows will be evaluated when a run has time for them, and you will be notified then';

/** `undefined` once the app or rule is removed. */
function nextOf({ alert, notification: { transition, reason }, rule }: News): string | undefined {
  const isGone = appOf(alert) === undefined ? !rule : transition === 'restarted';
  if (isGone) return undefined;
  return transition === 'stalled' && reason.code === 'out-of-time' ? NO_TIME : NEXT[transition];
}

/** No fact without a text. */
function fact(label: string, text: string | null | undefined | false, how: Partial<Fact> = {}): Fact[] {
  return text ? [{ label, text, ...how }] : [];
}

const SMALL = { isSmall: true } as const;

function factList(news: News, sheet: Omit<FactSheet, 'facts'>): Fact[] {
  const { alert, notification, heldBy } = news;
  const { zone, evaluated, members, next } = sheet;
  const { transition, drivers } = notification;
  const about = evaluated && { rule: evaluated.rule, segment: alert.segment };
  const notes = newsNotes(news);
  const beganAt = alert.incidents.at(-1)?.startAt ?? notification.evaluation?.current.window.startAt ?? 0;
  return [
    ...fact('Segment', whatQuotedCuts(alert.segment ?? '')),
    ...(evaluated ? evaluationFacts(evaluated.evaluation, evaluated.rule) : []),
    ...members.flatMap((member) => fact('Firing', member)),
    ...fact(
      'How sure',
      evaluated &&
        transition === 'fired' &&
        !boundsLevel(evaluated.rule) &&
        surenessText(evaluated.evaluation, evaluated.rule),
    ),
    ...fact('Why', whyOf(news, sheet)),
    ...fact('What drove it', about && drivers && driverSentences(drivers, about).join(' ')),
    ...fact('What happens next', !evaluated && next && `${next}.`),
    ...fact(notes.length === 1 ? 'Note' : 'Notes', notesText(notes, beganAt)),
    ...personFacts(news, zone),
    ...sinceFacts(news, zone),
    ...(evaluated ? pastFacts(news, evaluated) : []),
    ...fact(
      'Held back',
      heldBy && `${heldText(heldBy)}; detected ${momentText(notification.since, zone)}`,
      SMALL,
    ),
  ];
}

const BASELINE_LABELS = {
  window: 'Before',
  median: 'Typical',
  model: 'Expected',
  segments: 'Compared with',
} as const;

/** Now, the baseline, the difference, and the window before. Of a plain threshold: now, its bound and the window before. */
export function evaluationFacts(evaluation: Evaluation, rule: FigureRule): Fact[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const { current, baseline, previous } = evaluation;
  const now = `${amountText(current.value, rule)} ${inWindowText(current.window, calendar)}`;
  const before = `${amountText(baseline.value, rule)} ${baselineText(baseline, calendar)}${stretchText(evaluation, rule)}`;
  const level = levelBand(rule);
  const isOther = level || (rule.baseline.to !== 'previous_period' && !comparesSegments(rule));
  return [
    ...fact('Now', now),
    ...fact('Bound', level && `${firesText(level, (limit) => valueText(limit, rule))}${timesText(rule)}`),
    ...fact(BASELINE_LABELS[baseline.origin.of], !level && before),
    ...fact('Difference', !level && differenceText(evaluation, rule)),
    ...fact(`The ${rule.window} before`, isOther && amountText(previous.value, rule), SMALL),
  ];
}

/** ", in 2 of 2 hours". */
function timesText({ fire_after: { hits, windows }, window }: FigureRule): string {
  return windows === 1 ? '' : `, in ${hits} of ${windows} ${window}s`;
}

function whyOf(
  { notification: { transition, evaluation } }: News,
  { evaluated, reason }: Omit<FactSheet, 'facts'>,
): string | undefined {
  if (!TRANSITIONS[transition].why || (transition === 'fired' && evaluation)) return undefined;
  return transition === 'recovered' && evaluated?.evaluation.recovered
    ? recoveredText(evaluated.rule)
    : reason;
}

/** "no longer crosses the threshold (change below -30%)". */
function recoveredText(rule: FigureRule): string {
  const bounds = rule.recover ?? rule.fire;
  const threshold = rule.recover ? 'recovery threshold' : 'threshold';
  return bounds ? `no longer crosses the ${threshold} (${boundsText(bounds, rule)})` : 'back to normal';
}

function personFacts({ alert, notification: { transition } }: News, zone: string): Fact[] {
  const { snoozed, acknowledged } = alert;
  const said = (reason: string) => (reason === '' ? '' : `: ${quoted(reason)}`);
  const by = acknowledged
    ? `${quoted(acknowledged.by)}, ${momentText(acknowledged.at, zone)}${said(acknowledged.reason)}`
    : transition === 'reminded' && 'no one yet';
  return [
    ...fact(
      'Snoozed',
      transition === 'snoozed' &&
        snoozed &&
        `until ${untilText(alert, zone)}, by ${quoted(snoozed.by)}${said(snoozed.reason)}`,
      { isNews: true },
    ),
    ...fact(
      'Acknowledged by',
      isOngoing(transition) && by,
      transition === 'acknowledged' ? { isNews: true } : {},
    ),
  ];
}

export function untilText({ snoozed }: Alert, zone: string): string {
  return snoozed && snoozed.untilAt !== null ? momentText(snoozed.untilAt, zone) : 'it recovers';
}

function sinceFacts({ alert, notification }: News, zone: string): Fact[] {
  const { transition, firedWindowEndAt } = notification;
  const incident = alert.incidents.at(-1);
  if (!incident) return [];
  const { startAt, endAt } = incident;
  const since = momentText(startAt, zone);
  const isOver = transition === 'recovered' && endAt >= (firedWindowEndAt ?? Infinity);
  const isOpen = TRANSITIONS[transition].compared === 'moved' && !isEnd(transition);
  return [
    ...fact('Since', isOpen && since, SMALL),
    ...fact('Lasted', isOver && `${spanText(endAt - startAt)}, from ${since}`, SMALL),
  ];
}

/** What was sent before, and how late this message is. */
function pastFacts(
  { notification }: News,
  { evaluation, rule }: NonNullable<FactSheet['evaluated']>,
): Fact[] {
  const { transition, firedWindowEndAt, firstRead, since } = notification;
  const { window } = evaluation.current;
  const calendar = { grain: rule.window, zone: rule.zone };
  const lateMs = since - window.endAt - rule.settle * MINUTE_MS;
  const isLate = notification.evaluation === evaluation && lateMs > window.endAt - window.startAt;
  const evaluated = firstRead ? 're-evaluated' : 'evaluated';
  return [
    ...fact(
      'Fired',
      firedWindowEndAt !== null &&
        isEnd(transition) &&
        `for ${windowText(windowEnding(firedWindowEndAt, calendar), calendar)}`,
      SMALL,
    ),
    ...fact(
      'First read',
      firstRead && `${amountText(firstRead.value, rule)}; the data has changed since`,
      SMALL,
    ),
    ...fact(
      'Late',
      isLate && `${evaluated} ${spanText(lateMs)} after the data was expected to be complete`,
      SMALL,
    ),
  ];
}

/** "until Tue 3 Mar 2026, 08:00 (Europe/Berlin) by the calendar "nights"". */
export function heldText({ by, name, untilAt, zone }: HeldBy): string {
  const whose = by === 'calendar' ? `the calendar "${name}"` : `a ${by} of ${name}`;
  return `until ${momentText(untilAt, zone)} by ${whose}`;
}
