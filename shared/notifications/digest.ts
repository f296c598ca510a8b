import { type Alert, type AlertKey, type Answer, isOpen } from '../alerts/alert.ts';
import type { UnreadableAlert } from '../alerts/alert-store.ts';
import { firingSince } from '../alerts/answers.ts';
import { unmatchedSince } from '../alerts/matches-nothing.ts';
import type { Rule } from '../rules/rule.ts';
import { SEVERITIES, type Severity } from '../rules/rule-schema.ts';
import type { Silence } from '../silences/silence.ts';
import { nextRun } from '../time/cadence.ts';
import { endAfter, type Window } from '../time/window.ts';
import type { Delivery } from './delivery-log.ts';
import { alertOfNotificationKey } from './notification-key.ts';

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
interface Fire {
  response: Response;
  isOpen: boolean;
}

/** A rule and a moment, in epoch milliseconds; `null` if unknown. */
export interface RuleSince {
  rule: string;
  sinceAt: number | null;
}

export interface NoisyRule {
  rule: string;
  /** Notifications in the delivery log, each counted once for all channels. */
  notifications: number;
  fires: number;
  isFlapping: boolean;
  /** Whether `deltawatch suggest` can tune it: not a rule over rules. */
  canBeTuned: boolean;
}

/** What happened in a period, as codes and figures. Times are epoch milliseconds. */
export interface Digest {
  period: Window;
  zone: string;
  /** Deployed rules that can be read, and those of them that were evaluated in the period. */
  rules: { deployed: number; evaluated: number };
  /** Alerts of apps that sent no data are among them. */
  fired: { alerts: number; rules: number; open: number; bySeverity: Record<Severity, number> };
  responses: Record<Response, number>;
  /** Most notifications first. */
  noisiest: NoisyRule[];
  /** Rules that cannot be evaluated, and rules that were due and not evaluated; longest first. */
  notEvaluated: RuleSince[];
  /** Rules that have matched no data; longest first. */
  unmatched: RuleSince[];
  /** What may have fired, and cannot be read. */
  unreadable: { rules: string[]; alerts: AlertKey[] };
  silences: Silence[];
}

/** The part of one rule, so that the alerts of a thousand rules need not be kept. */
export interface RulePart {
  rule: Rule;
  fires: Fire[];
  isFlapping: boolean;
  isEvaluated: boolean;
  /** `undefined`: it is evaluated, or was not due. */
  notEvaluatedSince: number | null | undefined;
  unmatchedSince: number | undefined;
  unread: UnreadableAlert[];
}

/** Fewer notifications of a rule in a period are not noise. */
const NOISY = 3;
const NOISIEST = 3;

export function partOfRule(rule: Rule, alerts: Alert[], unread: UnreadableAlert[], period: Window): RulePart {
  const whole = alerts.find(({ segment }) => segment === null);
  const through = Math.max(0, ...alerts.map(({ evaluatedThroughAt }) => evaluatedThroughAt));
  const isEvaluated = through > 0 && evaluatedAt(rule, through) > period.startAt;
  return {
    rule,
    // A quiet rule notifies nobody: the rules over it do.
    fires: rule.quiet ? [] : alerts.flatMap((alert) => firesOf(alert, rule, period)),
    isFlapping: alerts.some(({ flappingSinceAt }) => flappingSinceAt !== null),
    isEvaluated,
    notEvaluatedSince: troubleSince(whole, rule, { period, through, isEvaluated }),
    unmatchedSince: unmatchedSince(whole?.unmatched ?? null, period.endAt),
    unread,
  };
}

function troubleSince(
  whole: Alert | undefined,
  rule: Rule,
  { period, through, isEvaluated }: { period: Window; through: number; isEvaluated: boolean },
): number | null | undefined {
  if (whole && whole.health.kind !== 'ok') return whole.health.since;
  if (whole?.noData?.notified) return whole.noData.sinceAt;
  const isDue = nextRun(rule.cadence, period.startAt) <= period.endAt;
  return isEvaluated || !isDue ? undefined : through || null;
}

/** Puts the parts together. `appAlerts`: the alerts of the apps of the rules. */
export function digestOf(
  parts: RulePart[],
  about: {
    period: Window;
    zone: string;
    appAlerts: Alert[];
    unreadable: Digest['unreadable'];
    deliveries: Delivery[];
    silences: Silence[];
  },
): Digest {
  const { period, zone, appAlerts, unreadable, deliveries, silences } = about;
  const stops = appAlerts.map((alert) => stopsOf(alert, period));
  const fired = parts.flatMap(({ rule, fires }) =>
    fires.map((fire) => ({ ...fire, severity: rule.severity })),
  );
  const all = [...fired, ...stops.flat().map((fire) => ({ ...fire, severity: 'critical' as const }))];
  const count = (isCounted: (fire: (typeof all)[number]) => boolean) => all.filter(isCounted).length;
  const byCode = <Code extends string>(codes: readonly Code[], of: (fire: (typeof all)[number]) => Code) =>
    Object.fromEntries(codes.map((code) => [code, count((fire) => of(fire) === code)])) as Record<
      Code,
      number
    >;
  return {
    period,
    zone,
    rules: { deployed: parts.length, evaluated: parts.filter(({ isEvaluated }) => isEvaluated).length },
    fired: {
      alerts: all.length,
      rules: parts.filter(({ fires }) => fires.length > 0).length,
      open: count(({ isOpen }) => isOpen),
      bySeverity: byCode(SEVERITIES, ({ severity }) => severity),
    },
    responses: byCode(RESPONSES, ({ response }) => response),
    noisiest: noisiestOf(parts, deliveries, period),
    notEvaluated: longestFirst(parts, ({ notEvaluatedSince }) => notEvaluatedSince),
    unmatched: longestFirst(parts, (part) => part.unmatchedSince),
    unreadable: {
      rules: unreadable.rules,
      alerts: [...unreadable.alerts, ...parts.flatMap(({ unread }) => unread)].map(({ ruleId, segment }) => ({
        ruleId,
        segment,
      })),
    },
    silences: silences.filter(({ fromAt, untilAt }) => fromAt <= period.endAt && period.endAt < untilAt),
  };
}

function longestFirst(parts: RulePart[], since: (part: RulePart) => number | null | undefined): RuleSince[] {
  return parts
    .flatMap((part) => {
      const sinceAt = since(part);
      return sinceAt === undefined ? [] : [{ rule: part.rule.id, sinceAt }];
    })
    .toSorted((a, b) => (a.sinceAt ?? 0) - (b.sinceAt ?? 0) || (a.rule < b.rule ? -1 : 1));
}

function noisiestOf(parts: RulePart[], deliveries: Delivery[], period: Window): NoisyRule[] {
  const sent = notificationsByRule(deliveries, period);
  return parts
    .map(({ rule, fires, isFlapping }) => ({
      ...{ rule: rule.id, notifications: sent.get(rule.id) ?? 0, fires: fires.length, isFlapping },
      canBeTuned: rule.members === undefined,
    }))
    .filter(({ notifications, isFlapping }) => notifications >= NOISY || isFlapping)
    .toSorted((a, b) => b.notifications - a.notifications || b.fires - a.fires || (a.rule < b.rule ? -1 : 1))
    .slice(0, NOISIEST);
}

/** A message about several alerts logs its first 20, and a common cause has no rule: these are not counted. */
function notificationsByRule(deliveries: Delivery[], { startAt, endAt }: Window): Map<string, number> {
  const keys = new Set(
    deliveries
      .filter(({ at, outcome }) => at > startAt && at <= endAt && outcome.kind !== 'failed')
      .flatMap((each) => each.keys),
  );
  const counts = new Map<string, number>();
  for (const key of keys) {
    const { ruleId } = alertOfNotificationKey(key) ?? {};
    if (ruleId !== undefined) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
  }
  return counts;
}

/** The run that was the first to have the window that ends at `windowEndAt`. */
function evaluatedAt({ cadence, settle }: Rule, windowEndAt: number): number {
  return nextRun(cadence, windowEndAt + settle * 60_000 - 1);
}

/** A run comes at most a month after its window, and a window lasts at most a month. */
const LONGEST_MS = 70 * 86_400_000;

/**
 * The fires of an alert in the period `(startAt, endAt]` of runs, without those that late data retracted. A fire belongs
 * to the run that was due after its window, so each is in one period only.
 */
function firesOf(alert: Alert, rule: Rule, { startAt, endAt }: Window): Fire[] {
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
function stopsOf(alert: Alert, { startAt, endAt }: Window): Fire[] {
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
