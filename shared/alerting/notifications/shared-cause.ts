import type { Alert } from '../alerts/alert.ts';
import { asksNobody, isAnswer, isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { metricOf } from '../rules/metrics.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';
import { openOn } from './notification-history.ts';
import type { PendingNotification } from './owed.ts';

/** Fewer rules that fall together may do so by chance, or watch the same thing. */
const LEAST = 3;

/**
 * What one channel is owed, with the common cause of what has one: where most counts of an app that are judged in one
 * run fell in it, it is more likely that no longer all is counted than that everything went wrong at once. What is
 * over is told together too, unless something of its cause still fires; so is what somebody answered, once nothing of it
 * asks for anybody. What comes and goes stays a part of what it was told as.
 */
export function withCommonCauses(
  pending: PendingNotification[],
  rules: Rule[],
  standing: Standing,
): PendingNotification[] {
  const falls = Map.groupBy(pending.filter(isFall), causeOfFall);
  const causes = new Set([...falls].flatMap(([cause, fell]) => (isCommon(fell, rules) ? [cause] : [])));
  return pending.map((each) => {
    const cause = each.notification.cause ?? laterCause(each) ?? fallCause(each);
    return cause === undefined ? each : { ...each, notification: { ...each.notification, cause } };
  });

  function fallCause(each: PendingNotification): string | undefined {
    const cause = isFall(each) ? causeOfFall(each) : undefined;
    return cause !== undefined && causes.has(cause) ? cause : undefined;
  }

  function laterCause({ alert, notification }: PendingNotification): string | undefined {
    const { transition, channel } = notification;
    const cause = isLater(transition) ? notifiedCause(alert, channel) : undefined;
    if (cause === undefined) return undefined;
    const goesOn = isEnd(transition) ? standing.fires : isAnswer(transition) ? standing.asks : NOTHING;
    return goesOn.has(cause) ? undefined : cause;
  }
}

/** The common causes of which something still fires, and those of which something still asks for somebody. */
export interface Standing {
  fires: ReadonlySet<string>;
  asks: ReadonlySet<string>;
}

/**
 * What of the causes of `owed` still stands, `open` being all alerts that may: what only comes and goes does, until its
 * end is told.
 */
export function standingOf(pending: PendingNotification[], open: Alert[]): Standing {
  const channels = new Set(pending.map(({ notification }) => notification.channel));
  const ended = new Set(
    pending.flatMap(({ alert, notification }) =>
      isEnd(notification.transition) ? [nameOn(alert, notification.channel)] : [],
    ),
  );
  const fires = new Set<string>();
  const asks = new Set<string>();
  for (const alert of open)
    for (const channel of channels) {
      const cause = notifiedCause(alert, channel);
      const stands = alert.fired || (alert.flappingSinceAt !== null && !ended.has(nameOn(alert, channel)));
      if (cause === undefined || !stands) continue;
      fires.add(cause);
      if (!alert.acknowledged && !alert.snoozed) asks.add(cause);
    }
  return { fires, asks };
}

function nameOn({ ruleId, segment }: Alert, channel: string): string {
  return JSON.stringify([ruleId, segment, channel]);
}

const NOTHING: ReadonlySet<string> = new Set();

/** Whether it is news of what may have been told as a part of a cause. */
export function isLater(transition: Transition): boolean {
  return asksNobody(transition) || TRANSITIONS[transition].on.role === 'continues';
}

/** The common cause that `channel` was told that the alert fires for, or is being told. */
export function notifiedCause(alert: Alert, channel: string): string | undefined {
  const onItsWay = Object.values(alert.pending).find(
    (notification) =>
      notification.channel === channel && !isEnd(notification.transition) && notification.cause !== undefined,
  );
  return onItsWay?.cause ?? openOn(alert, channel, 'recovered')?.cause;
}

/** The rules of one app and cadence whose counts can fall together. A segment's fall says nothing of the whole. */
export function countRules(rules: Rule[], like: Rule): Rule[] {
  const cadence = nameOfCadence(like);
  return rules.filter(
    (rule) => rule.app === like.app && isCount(rule) && !hasSegments(rule) && nameOfCadence(rule) === cadence,
  );
}

type Fall = PendingNotification & { rule: Rule };

function isFall(pending: PendingNotification): pending is Fall {
  const { notification, rule } = pending;
  const fell = notification.transition === 'fired' && (notification.evaluation?.difference ?? 0) < 0;
  return fell && rule !== undefined && isCount(rule);
}

/** Whether most of the rules that could tell of it do. */
function isCommon(falls: Fall[], rules: Rule[]): boolean {
  const [first] = falls;
  if (!first) return false;
  const evaluated = countRules(rules, first.rule).filter(({ quiet }) => !quiet);
  const fell = new Set(falls.flatMap(({ rule }) => (hasSegments(rule) ? [] : [rule.id])));
  return fell.size >= LEAST && fell.size > evaluated.length / 2;
}

/** Made once a rule: it may have thousands of segments. */
const cadenceNames = new WeakMap<Rule, string>();

function nameOfCadence(rule: Rule): string {
  const name = cadenceNames.get(rule) ?? cadenceName(rule.cadence);
  cadenceNames.set(rule, name);
  return name;
}

function isCount(rule: Rule): boolean {
  return !rule.members && metricOf(rule).kind === 'count';
}

function causeOfFall({ notification, rule }: Fall): string {
  const run = `${nameOfCadence(rule)} at ${new Date(notification.since).toISOString()}`;
  return `cause:${rule.app}#${run}`;
}
