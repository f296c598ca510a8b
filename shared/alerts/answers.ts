import { hasOwnLevel, type Rule } from '../rules/rule.ts';
import { type Calendar, endAfter, lastClosedWindow, type Window, windowEnding } from '../time/window.ts';
import { HOUR_MS } from '../units/durations.ts';
import {
  type Alert,
  ANSWER_NAMES,
  ANSWERS,
  type Answer,
  type GivenAnswer,
  type News,
  quiet,
  type Said,
  type Step,
} from './alert.ts';
import { acceptLevel, excuse } from './alert-states.ts';
import { appOf } from './app-alert.ts';

const REMEMBERED_ANSWERS = 10;

/** An answer to an alert. `firedWindowEndAt`: the fire that was shown, as `firingSince` gives it. */
export interface Reply extends Said {
  answer: Answer;
  firedWindowEndAt: number;
  /** Which fire on that window (`Fired.fromRevision`); absent if unknown. */
  fire?: number | undefined;
  link: string | null;
}

/** `refused`: no change. */
export type Answered = { kind: 'answered'; step: Step } | { kind: 'refused'; refusal: Refusal };

/** Why an answer is refused; `answer-text.ts` has the text. `isOwn`: the same person acknowledged it before. */
export type Refusal =
  | { code: 'fires-again' | 'ended'; sinceAt: number }
  | { code: 'ended-by-answer'; by: string; answer: Answer }
  | { code: 'retracted' | 'rule-removed' }
  | { code: 'acknowledged-already'; by: string; acknowledgedAt: number; isOwn: boolean }
  | { code: 'app-without-level' | 'composite-without-level' | 'without-own-level' | 'app-without-figures' };

/**
 * What an alert fires on: the end of the window, or for an app alert the time at which the app was found to have
 * stopped; `null` if it does not fire. An answer to anything else is too late.
 */
export function firingSince(alert: Alert): number | null {
  if (alert.fired) return alert.fired.windowEndAt;
  return appOf(alert) !== undefined && alert.state === 'firing' ? alert.stateSinceAt : null;
}

/**
 * The alert after the answer, which is added to its answers. `rule` is `undefined` for an app alert and for a removed
 * rule. Pure: the time is in `reply`.
 */
export function answerAlert(alert: Alert, reply: Reply, rule: Rule | undefined): Answered {
  const isOver = overSince(alert, reply) ?? unfit(alert, reply, rule);
  if (isOver !== undefined) return { kind: 'refused', refusal: isOver };
  const step = stepFor(alert, reply, rule);
  const { by, at, reason, answer, firedWindowEndAt, link } = reply;
  const given: GivenAnswer = { answer, by, at, reason, firedWindowEndAt, link };
  const answers = remembered([given, ...alert.answers], firedWindowEndAt);
  return { kind: 'answered', step: { ...step, alert: { ...step.alert, answers } } };
}

/** The last answers, always including the mark as an incident. */
function remembered(answers: GivenAnswer[], firedWindowEndAt: number): GivenAnswer[] {
  const last = answers.slice(0, REMEMBERED_ANSWERS);
  const isMark = (each: GivenAnswer) =>
    each.answer === 'incident' && each.firedWindowEndAt === firedWindowEndAt;
  const mark = answers.find(isMark);
  return mark === undefined || last.includes(mark) ? last : [...last.slice(0, -1), mark];
}

/** Answers that apply to the alert, in display order; empty if it does not fire. */
export function answersTo(alert: Alert, rule: Rule | undefined): Answer[] {
  const firedWindowEndAt = firingSince(alert);
  if (firedWindowEndAt === null) return [];
  return ANSWER_NAMES.filter((answer) => unfit(alert, { answer, by: '' }, rule) === undefined);
}

function stepFor(alert: Alert, reply: Reply, rule: Rule | undefined): Step {
  const { answer, at, by, reason: note } = reply;
  const said: Said = { by, at, reason: note };
  switch (answer) {
    case 'acknowledge': {
      const news: News = { transition: 'acknowledged', reason: { code: 'acknowledged', by, note } };
      return { alert: { ...alert, acknowledged: said }, news: [news] };
    }
    case 'snooze-1h':
      return snooze(alert, said, at + HOUR_MS);
    case 'snooze-1d':
      return snooze(alert, said, at + 24 * HOUR_MS);
    case 'snooze-1w':
      return snooze(alert, said, at + 7 * 24 * HOUR_MS);
    case 'snooze-until-recovered':
      return snooze(alert, said, null);
    case 'accept':
      return settled(acceptLevel(alert, alert.evaluatedThroughAt, { code: 'level-accepted', by, note }));
    case 'holiday':
      return settled(excuse(alert, excusedUntil(alert, rule), { code: 'marked-as-holiday', by, note }));
    case 'incident':
      return quiet(alert);
  }
}

function snooze(alert: Alert, said: Said, untilAt: number | null): Step {
  const { by, reason: note } = said;
  const news: News = { transition: 'snoozed', reason: { code: 'snoozed', by, note, untilAt } };
  return { alert: { ...alert, snoozed: { ...said, untilAt } }, news: [news] };
}

/** An answer that ends the alert also ends flapping. */
function settled(step: Step): Step {
  return { ...step, alert: { ...step.alert, changes: [], flappingSinceAt: null } };
}

/** End of the excused span of the fire, whenever the answer is given. Later days are not excused. */
function excusedUntil({ fired, evaluatedThroughAt }: Alert, rule: Rule | undefined): number {
  return fired && rule ? excusedSpan(fired.windowEndAt, rule).endAt : evaluatedThroughAt;
}

/** Why the answer is too late; `undefined` if the alert still fires on the same window. */
function overSince(alert: Alert, { firedWindowEndAt, fire }: Reply): Refusal | undefined {
  const firingAt = firingSince(alert);
  const isSame = fire === undefined || fire === alert.fired?.fromRevision;
  if (firingAt === firedWindowEndAt && isSame) return undefined;
  if (firingAt !== null) return { code: 'fires-again', sinceAt: firingAt };
  const [last] = alert.answers;
  const isByHand = last && last.firedWindowEndAt === firedWindowEndAt && ANSWERS[last.answer].endsAlert;
  if (isByHand) return { code: 'ended-by-answer', by: last.by, answer: last.answer };
  return isRetracted(alert, firedWindowEndAt)
    ? { code: 'retracted' }
    : { code: 'ended', sinceAt: alert.stateSinceAt };
}

/** Whether the last notification of this fire was its retraction. */
function isRetracted({ sent }: Alert, firedWindowEndAt: number): boolean {
  const last = sent.find(
    (each) =>
      (each.transition === 'fired' || each.transition === 'retracted') &&
      (each.firedWindowEndAt ?? each.windowEndAt) === firedWindowEndAt,
  );
  return last?.transition === 'retracted';
}

/** Why the answer does not apply to a firing alert. */
function unfit(
  alert: Alert,
  { answer, by }: Pick<Reply, 'answer' | 'by'>,
  rule: Rule | undefined,
): Refusal | undefined {
  const isOfApp = appOf(alert) !== undefined;
  if (!rule && !isOfApp) return { code: 'rule-removed' };
  switch (answer) {
    case 'acknowledge':
      return alert.acknowledged ? acknowledgedBy(alert.acknowledged, by) : undefined;
    case 'snooze-1h':
    case 'snooze-1d':
    case 'snooze-1w':
    case 'snooze-until-recovered':
      return undefined;
    case 'accept':
      if (isOfApp) return { code: 'app-without-level' };
      if (rule?.members) return { code: 'composite-without-level' };
      return rule && !hasOwnLevel(rule) ? { code: 'without-own-level' } : undefined;
    case 'holiday':
    case 'incident':
      return isOfApp ? { code: 'app-without-figures' } : undefined;
  }
}

function acknowledgedBy({ by, at }: Said, answerer: string): Refusal {
  return { code: 'acknowledged-already', by, acknowledgedAt: at, isOwn: by === answerer };
}

const BY_HAND = 'by-hand@';

/** The run id of an answer. Nothing else belongs to it, so nothing waits for it. */
export function tickByHand(at: number): { id: string; scheduledAt: number } {
  return { id: `${BY_HAND}${new Date(at).toISOString()}`, scheduledAt: at };
}

export function isByHand(tick: string): boolean {
  return tick.startsWith(BY_HAND);
}

/** The span excused with a window: for an hour its whole day in the rule's zone, otherwise the window. */
export function excusedSpan(firedWindowEndAt: number, rule: Rule): Window {
  const calendar = excusedCalendar(rule);
  if (rule.window !== 'hour') return windowEnding(firedWindowEndAt, calendar);
  return windowEnding(
    endAfter(lastClosedWindow(firedWindowEndAt - 1, calendar).endAt, 1, calendar),
    calendar,
  );
}

/** The calendar of excused spans. */
export function excusedCalendar({ window: grain, zone }: Rule): Calendar {
  return { grain: grain === 'hour' ? 'day' : grain, zone };
}
