import { type Alert, type Answer, isOpen } from '../alerts/alert.ts';
import { firingSince } from '../alerts/answers.ts';
import type { Rule } from '../rules/rule.ts';
import { nextRun } from '../time/cadence.ts';
import { endAfter, type Window } from '../time/window.ts';

/** The most telling answer to a fire, in this order. */
export const RESPONSES = ['incident', 'expected', 'accepted', 'acknowledged', 'snoozed', 'none'] as const;
export type Response = (typeof RESPONSES)[number];

const RESPONSE_OF: Record<Answer, Response> = {
  acknowledge: 'acknowledged',
  'snooze-1h': 'snoozed',
  'snooze-1d': 'snoozed',
  'snooze-1w': 'snoozed',
  'snooze-until-recovered': 'snoozed',
  accept: 'accepted',
  holiday: 'expected',
  incident: 'incident',
};

/** One fire in the period of a digest. */
export interface Fire {
  response: Response;
  isOpen: boolean;
}

/** The run that was the first to have the window that ends at `windowEndAt`. */
export function evaluatedAt({ cadence, settle }: Rule, windowEndAt: number): number {
  return nextRun(cadence, windowEndAt + settle * 60_000 - 1);
}

/** A run comes at most a month after its window, and a window lasts at most a month. */
const LONGEST_MS = 70 * 86_400_000;

/**
 * The fires of an alert in the period `(startAt, endAt]` of runs, without those that late data retracted. A fire belongs
 * to the run that was due after its window, so each is in one period only.
 */
export function firesOf(alert: Alert, rule: Rule, { startAt, endAt }: Window): Fire[] {
  return spansOf(alert).flatMap((span) => {
    const firedAt = windowFiredOn(alert, rule, span);
    if (firedAt > endAt || firedAt < startAt - LONGEST_MS) return [];
    const at = evaluatedAt(rule, firedAt);
    if (at <= startAt || at > endAt) return [];
    const isLast = span === alert.incidents.at(-1);
    return [{ response: responseTo(alert, span), isOpen: isLast && isOpen(alert.state) }];
  });
}

/** The times at which an app was found to send no data, in the period. */
export function stopsOf(alert: Alert, { startAt, endAt }: Window): Fire[] {
  const firingAt = firingSince(alert);
  const sent = alert.sent.flatMap((each) => (each.transition === 'stopped' ? [each.windowEndAt] : []));
  const stops = new Set([...sent, ...(firingAt === null ? [] : [firingAt])]);
  return [...stops]
    .filter((at) => at > startAt && at <= endAt)
    .map((at) => ({
      response: responseTo(alert, { startAt: at - 1, endAt: at }),
      isOpen: at === firingAt,
    }));
}

/** An accepted level is no incident any more, but it fired. */
function spansOf({ incidents, levelSinceAt, levelAcceptedAt }: Alert): Window[] {
  if (levelSinceAt === null || levelAcceptedAt === undefined) return incidents;
  return [{ startAt: levelSinceAt, endAt: levelAcceptedAt }, ...incidents];
}

/** The end of the window that it fired on, or the earliest that it can have fired on. */
function windowFiredOn({ fired, answers, sent }: Alert, rule: Rule, span: Window): number {
  const known = [
    ...(fired ? [fired.windowEndAt] : []),
    ...answers.map(({ firedWindowEndAt }) => firedWindowEndAt),
    ...sent.flatMap(({ transition, windowEndAt }) => (transition === 'fired' ? [windowEndAt] : [])),
  ].filter((at) => isWithin(at, span));
  if (known.length > 0) return Math.min(...known);
  return endAfter(span.startAt, rule.fire_after.hits, { grain: rule.window, zone: rule.zone });
}

function responseTo({ answers }: Alert, span: Window): Response {
  const given = new Set(
    answers.flatMap(({ answer, firedWindowEndAt }) =>
      isWithin(firedWindowEndAt, span) ? [RESPONSE_OF[answer]] : [],
    ),
  );
  return RESPONSES.find((response) => given.has(response)) ?? 'none';
}

function isWithin(endAt: number, span: Window): boolean {
  return endAt > span.startAt && endAt <= span.endAt;
}
