import type { Alert } from '../alerts/alert.ts';
import { asksNobody, isAnswer, isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { cadenceName } from '../time/cadence.ts';
import { openOn } from './notification-history.ts';
import type { PendingNotification } from './pending.ts';

/** Fewer rules can fall together by chance, or because they watch the same event. */
const LEAST = 3;

/**
 * The pending notifications of one channel, with their common cause. If most counts of an app fall in one run, a
 * tracking failure is more likely than independent incidents. Ends are grouped once no member fires, answers once no
 * member needs attention. A flapping member stays in its group.
 */
export function withCommonCauses(
  pending: PendingNotification[],
  rules: Rule[],
  open: OpenCauses,
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
    const goesOn = isEnd(transition) ? open.fires : isAnswer(transition) ? open.asks : NOTHING;
    return goesOn.has(cause) ? undefined : cause;
  }
}

/** Common causes with a member that still fires (`fires`) or still needs attention (`asks`). */
export interface OpenCauses {
  fires: ReadonlySet<string>;
  asks: ReadonlySet<string>;
}

/**
 * The causes of `pending` that still stand. `open`: all alerts that may fire. A flapping member counts until its end
 * is sent.
 */
export function openCauses(pending: PendingNotification[], open: Alert[]): OpenCauses {
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

/** Whether it can follow a notification that had a common cause. */
export function isLater(transition: Transition): boolean {
  return asksNobody(transition) || TRANSITIONS[transition].on.role === 'continues';
}

/** The common cause under which `channel` was, or is being, notified of the fire. */
export function notifiedCause(alert: Alert, channel: string): string | undefined {
  const onItsWay = Object.values(alert.pending).find(
    (notification) =>
      notification.channel === channel && !isEnd(notification.transition) && notification.cause !== undefined,
  );
  return onItsWay?.cause ?? openOn(alert, channel, 'recovered')?.cause;
}

/**
 * The rules of one app and cadence whose counts can fall together. Segments are excluded: their fall says nothing
 * about the whole.
 */
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

/** Whether most of the rules that could fall did. */
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
