import { type Alert, type AlertKey, isOpen } from '../alerts/alert.ts';
import type { UnreadableAlert } from '../alerts/alert-store.ts';
import { appOf } from '../alerts/app-alert.ts';
import { acceptedSpan } from '../alerts/expected-band.ts';
import { unmatchedSince } from '../alerts/matches-nothing.ts';
import type { Rule } from '../rules/rule.ts';
import { SEVERITIES, type Severity } from '../rules/rule-schema.ts';
import { nextRun } from '../time/cadence.ts';
import { endAfter, type Window } from '../time/window.ts';

/** A rule or an app and a moment, in epoch milliseconds; `null` if unknown. */
export interface Since {
  name: string;
  sinceAt: number | null;
}

/** What happened in a period, as figures. Times are epoch milliseconds. */
export interface Digest {
  period: Window;
  zone: string;
  /** Deployed rules that can be read, and those of them that were evaluated in the period. */
  rules: { deployed: number; evaluated: number };
  fired: { alerts: number; rules: number; open: number; bySeverity: Record<Severity, number> };
  mostFired: { rule: string; fires: number }[];
  /** Rules that cannot be evaluated, and rules that were due and not evaluated; longest first. */
  notEvaluated: Since[];
  /** Rules that have matched no data; longest first. */
  unmatched: Since[];
  /** Apps that send no data now; longest first. */
  silentApps: Since[];
  /** What may have fired, and cannot be read. */
  unreadable: { rules: string[]; alerts: AlertKey[] };
}

/** The part of one rule, so that the alerts of a thousand rules need not be kept. */
interface RulePart {
  rule: Rule;
  fires: { isOpen: boolean }[];
  isEvaluated: boolean;
  /** `undefined`: it is evaluated, or was not due. */
  notEvaluatedSince: number | null | undefined;
  unmatchedSince: number | undefined;
  unread: UnreadableAlert[];
}

const MOST_FIRED = 3;

export function partOfRule(rule: Rule, alerts: Alert[], unread: UnreadableAlert[], period: Window): RulePart {
  const whole = alerts.find(({ segment }) => segment === null);
  const through = Math.max(0, ...alerts.map(({ evaluatedThroughAt }) => evaluatedThroughAt));
  const isEvaluated = through > 0 && evaluatedAt(rule, through) > period.startAt;
  const isDue = nextRun(rule.cadence, period.startAt) <= period.endAt;
  const unhealthySince = whole && whole.health.kind !== 'ok' ? whole.health.since : undefined;
  return {
    rule,
    // A quiet rule notifies nobody: the rules over it do.
    fires: rule.quiet ? [] : alerts.flatMap((alert) => firesOf(alert, rule, period)),
    isEvaluated,
    notEvaluatedSince: unhealthySince ?? (isEvaluated || !isDue ? undefined : through || null),
    unmatchedSince: unmatchedSince(whole?.unmatched ?? null, period.endAt),
    unread,
  };
}

/** Puts the parts together. `appAlerts`: the alerts of the apps of the rules. */
export function digestOf(
  parts: RulePart[],
  about: Pick<Digest, 'period' | 'zone' | 'unreadable'> & { appAlerts: Alert[] },
): Digest {
  const { period, zone, appAlerts, unreadable } = about;
  const all = parts.flatMap(({ rule, fires }) => fires.map((fire) => ({ ...fire, severity: rule.severity })));
  const bySeverity = SEVERITIES.map(
    (severity) => [severity, all.filter((fire) => fire.severity === severity).length] as const,
  );
  const fired = parts.filter(({ fires }) => fires.length > 0);
  return {
    period,
    zone,
    rules: { deployed: parts.length, evaluated: parts.filter(({ isEvaluated }) => isEvaluated).length },
    fired: {
      alerts: all.length,
      rules: fired.length,
      open: all.filter(({ isOpen }) => isOpen).length,
      bySeverity: Object.fromEntries(bySeverity) as Record<Severity, number>,
    },
    mostFired: fired
      .map(({ rule, fires }) => ({ rule: rule.id, fires: fires.length }))
      .toSorted((a, b) => b.fires - a.fires || (a.rule < b.rule ? -1 : 1))
      .slice(0, MOST_FIRED),
    notEvaluated: longestFirst(parts.map((part) => [part.rule.id, part.notEvaluatedSince])),
    unmatched: longestFirst(parts.map((part) => [part.rule.id, part.unmatchedSince])),
    silentApps: longestFirst(
      appAlerts.map((alert) => [appOf(alert) ?? '', isOpen(alert.state) ? alert.stateSinceAt : undefined]),
    ),
    unreadable: {
      rules: unreadable.rules,
      alerts: [...unreadable.alerts, ...parts.flatMap(({ unread }) => unread)].map(({ ruleId, segment }) => ({
        ruleId,
        segment,
      })),
    },
  };
}

function longestFirst(all: [name: string, sinceAt: number | null | undefined][]): Since[] {
  return all
    .flatMap(([name, sinceAt]) => (sinceAt === undefined ? [] : [{ name, sinceAt }]))
    .toSorted((a, b) => (a.sinceAt ?? 0) - (b.sinceAt ?? 0) || (a.name < b.name ? -1 : 1));
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
function firesOf(alert: Alert, rule: Rule, { startAt, endAt }: Window): RulePart['fires'] {
  return spansOf(alert).flatMap((span) => {
    const firedAt = windowFiredOn(alert, rule, span);
    if (firedAt > endAt || firedAt < startAt - LONGEST_MS) return [];
    const at = evaluatedAt(rule, firedAt);
    if (at <= startAt || at > endAt) return [];
    return [{ isOpen: span === alert.incidents.at(-1) && isOpen(alert.state) }];
  });
}

/** An accepted level is no incident any more, but it fired. */
function spansOf(alert: Alert): Window[] {
  const accepted = acceptedSpan(alert);
  return accepted ? [accepted, ...alert.incidents] : alert.incidents;
}

/** The end of the window that it fired on, or the earliest that it can have fired on. */
function windowFiredOn({ fired, answers, sent }: Alert, rule: Rule, { startAt, endAt }: Window): number {
  const known = [
    ...(fired ? [fired.windowEndAt] : []),
    ...answers.map(({ firedWindowEndAt }) => firedWindowEndAt),
    ...sent.flatMap(({ transition, windowEndAt }) => (transition === 'fired' ? [windowEndAt] : [])),
  ].filter((at) => at > startAt && at <= endAt);
  if (known.length > 0) return Math.min(...known);
  return endAfter(startAt, rule.fire_after.hits, { grain: rule.window, zone: rule.zone });
}
