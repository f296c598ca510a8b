import type { Rule } from '../rules/rule.ts';
import {
  type Alert,
  ANSWER_NAMES,
  ANSWERS,
  type Answer,
  type GivenAnswer,
  quiet,
  type Said,
  type Step,
} from './alert.ts';
import { acceptLevel, excuse } from './alert-states.ts';
import { acknowledgedNews, snoozedNews } from './answer-news.ts';
import { appOf } from './app-alert.ts';
import { excusedSpan } from './excused-span.ts';

/** Answers that an alert remembers. */
const REMEMBERED_ANSWERS = 10;

const HOUR = 3_600_000;

/** What somebody says of an alert. `firedWindowEndAt`: what they were shown, in the words of `standingOn`. */
export interface Reply extends Said {
  answer: Answer;
  firedWindowEndAt: number;
  /** Which fire for that window, in the words of `Fired.fromRevision`; absent where that is not known. */
  fire?: number | undefined;
  link: string | null;
}

/** `refused`: it does nothing. */
export type Answered = { kind: 'answered'; step: Step } | { kind: 'refused'; refusal: Refusal };

/** Why an answer does nothing; `refusal-text.ts` has the words. `isOwn`: who answers has acknowledged it before. */
export type Refusal =
  | { code: 'fires-again' | 'ended'; sinceAt: number }
  | { code: 'ended-by-answer'; by: string; answer: Answer }
  | { code: 'retracted' | 'rule-removed' }
  | { code: 'acknowledged-already'; by: string; acknowledgedAt: number; isOwn: boolean }
  | { code: 'app-without-level' | 'composite-without-level' | 'app-without-figures' };

/**
 * What an alert fires on: the end of the window or, of an app's own alert, when it was found to have stopped; `null`
 * while it does not fire. An answer to anything else comes too late.
 */
export function standingOn(alert: Alert): number | null {
  if (alert.fired) return alert.fired.windowEndAt;
  return appOf(alert) !== undefined && alert.state === 'firing' ? alert.stateSinceAt : null;
}

/**
 * The alert after what somebody said of it, which stands among its answers. `rule` is the alert's; `undefined` for an
 * app's own, and for one whose rule was removed. Pure: when it was said is among what was said.
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

/** The last answers, and that it was marked as an incident, whatever else was said of it since. */
function remembered(answers: GivenAnswer[], firedWindowEndAt: number): GivenAnswer[] {
  const last = answers.slice(0, REMEMBERED_ANSWERS);
  const isMark = (each: GivenAnswer) =>
    each.answer === 'incident' && each.firedWindowEndAt === firedWindowEndAt;
  const mark = answers.find(isMark);
  return mark === undefined || last.includes(mark) ? last : [...last.slice(0, -1), mark];
}

/** What can be answered to the alert as it stands, in the order in which it is offered; none where nothing fires. */
export function answersTo(alert: Alert, rule: Rule | undefined): Answer[] {
  const firedWindowEndAt = standingOn(alert);
  if (firedWindowEndAt === null) return [];
  return ANSWER_NAMES.filter((answer) => unfit(alert, { answer, by: '' }, rule) === undefined);
}

function stepFor(alert: Alert, reply: Reply, rule: Rule | undefined): Step {
  const { answer, at, by, reason: note } = reply;
  const said: Said = { by, at, reason: note };
  switch (answer) {
    case 'acknowledge': {
      const news = acknowledgedNews(said);
      return { alert: { ...alert, acknowledged: said }, news: [news] };
    }
    case 'snooze-1h':
      return snooze(alert, said, at + HOUR);
    case 'snooze-1d':
      return snooze(alert, said, at + 24 * HOUR);
    case 'snooze-1w':
      return snooze(alert, said, at + 7 * 24 * HOUR);
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
  const snoozed = { ...said, untilAt };
  const news = snoozedNews(snoozed);
  return { alert: { ...alert, snoozed }, news: [news] };
}

/** Whoever says what it is also says that it does not come and go. */
function settled(step: Step): Step {
  return { ...step, alert: { ...step.alert, changes: [], flappingSinceAt: null } };
}

/** Of the fire, whenever somebody says so: what is wrong on a later day is another matter. */
function excusedUntil({ fired, evaluatedThroughAt }: Alert, rule: Rule | undefined): number {
  return fired && rule ? excusedSpan(fired.windowEndAt, rule).endAt : evaluatedThroughAt;
}

/** What happened since, where the alert fires no longer on what the answer is to. */
function overSince(alert: Alert, { firedWindowEndAt, fire }: Reply): Refusal | undefined {
  const standing = standingOn(alert);
  const isSame = fire === undefined || fire === alert.fired?.fromRevision;
  if (standing === firedWindowEndAt && isSame) return undefined;
  if (standing !== null) return { code: 'fires-again', sinceAt: standing };
  const [last] = alert.answers;
  const isByHand = last && last.firedWindowEndAt === firedWindowEndAt && ANSWERS[last.answer].endsAlert;
  if (isByHand) return { code: 'ended-by-answer', by: last.by, answer: last.answer };
  return isTakenBack(alert, firedWindowEndAt)
    ? { code: 'retracted' }
    : { code: 'ended', sinceAt: alert.stateSinceAt };
}

/** Whether the last that people were told of this fire is that it was none. */
function isTakenBack({ sent }: Alert, firedWindowEndAt: number): boolean {
  const notified = sent.find(
    (each) =>
      (each.transition === 'fired' || each.transition === 'retracted') &&
      (each.firedWindowEndAt ?? each.windowEndAt) === firedWindowEndAt,
  );
  return notified?.transition === 'retracted';
}

/** Why the answer cannot be given to an alert that does fire. */
function unfit(
  alert: Alert,
  { answer, by }: Pick<Reply, 'answer' | 'by'>,
  rule: Rule | undefined,
): Refusal | undefined {
  const isOfApp = appOf(alert) !== undefined;
  if (!rule && !isOfApp) return { code: 'rule-removed' };
  switch (answer) {
    case 'acknowledge':
      return alert.acknowledged ? takenBy(alert.acknowledged, by) : undefined;
    case 'snooze-1h':
    case 'snooze-1d':
    case 'snooze-1w':
    case 'snooze-until-recovered':
      return undefined;
    case 'accept':
      if (isOfApp) return { code: 'app-without-level' };
      return rule?.members ? { code: 'composite-without-level' } : undefined;
    case 'holiday':
    case 'incident':
      return isOfApp ? { code: 'app-without-figures' } : undefined;
  }
}

function takenBy({ by, at }: Said, asker: string): Refusal {
  return { code: 'acknowledged-already', by, acknowledgedAt: at, isOwn: by === asker };
}

const BY_HAND = 'by-hand@';

/** Stands for the tick of what a person brought about: nothing else belongs to it, so that nothing is waited for. */
export function tickByHand(at: number): { id: string; scheduledAt: number } {
  return { id: `${BY_HAND}${new Date(at).toISOString()}`, scheduledAt: at };
}

export function isByHand(tick: string): boolean {
  return tick.startsWith(BY_HAND);
}
