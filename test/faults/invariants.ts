import type { Alert, Notification } from '../../shared/alerts/alert.ts';
import { isAtRest } from '../../shared/alerts/open-alert.ts';
import { isEnd } from '../../shared/alerts/transitions.ts';
import { incidentNews } from '../../shared/notifications/incident.ts';
import { areOfOneStory, comesBefore } from '../../shared/notifications/notification-history.ts';
import type { Installation } from './installation.ts';
import { nameOf, type Settled } from './ledger.ts';
import { SKEW_MS } from './process.ts';
import type { Receipt } from './receivers.ts';
import type { Scenario } from './scenario.ts';

/** One sentence per invariant that the run broke. `undisturbed` is the same scenario without faults. */
export function broken(run: Installation, undisturbed: Installation, scenario: Scenario): string[] {
  return [
    ...lost(run),
    ...doubled(run),
    ...run.ledger.early.map((key) => `sent before it was due: ${key}`),
    ...run.ledger.hasty.map((at) => `sent while the channel had asked to wait: ${at}`),
    ...wrongChannelStates(run),
    ...wrongAnswers(run),
    ...removedRules(run, scenario),
    ...otherStates(run, undisturbed, scenario),
  ];
}

/** No notification is pending at the end, and each settled one arrived or was superseded. */
function lost({ ledger, received, poison }: Installation): string[] {
  const left = [...ledger.alerts.values()]
    .filter(isSound(poison))
    .flatMap((alert) =>
      Object.entries(alert.pending).flatMap(([key, { transition }]) =>
        transition === 'reminded' ? [] : [`still pending at the end: ${key}`],
      ),
    );
  const arrived = new Set(
    [...received.chat, ...received.hook].flatMap(({ notifications }) => notifications.map(({ key }) => key)),
  );
  const gone = ledger.settled.filter(
    (settled) => !arrived.has(settled.key) && !isAtPager(settled, received.pager) && !isSuperseded(settled),
  );
  return [...left, ...gone.map(({ key, by }) => `never arrived, but was settled by ${by}: ${key}`)];
}

/** Whether the table can read and write the alert. A poisoned alert may affect only its own rule. */
function isSound(poison: Installation['poison']): (alert: Alert) => boolean {
  return ({ ruleId }) => !poison?.rules.has(ruleId);
}

function isAtPager({ notification, alert }: Settled, pages: Installation['received']['pager']): boolean {
  if (notification.channel !== 'pager') return false;
  const news = incidentNews({ ...alert, transition: notification.transition });
  return (
    news === null ||
    pages.some(
      ({ incident, action, at }) =>
        incident === news.key && action === news.action && at >= notification.since - SKEW_MS,
    )
  );
}

/** Whether it is outdated, and was settled before any attempt to send it or by a notification of its end. */
function isSuperseded({ notification, alert, by }: Settled): boolean {
  const { transition, attempts } = notification;
  if (transition === 'reminded') return true;
  if (isStillSo(notification, alert)) return false;
  const isEvaluated = by.startsWith('check-rules') || by.startsWith('respond');
  return attempts === 0 || (!isEvaluated && hasEnd(notification, alert));
}

/** Whether the alert still fires for this notification. */
function isStillSo(
  { transition, firedWindowEndAt, windowEndAt }: Notification,
  { fired, flappingSinceAt }: Alert,
): boolean {
  if (transition !== 'fired' || flappingSinceAt !== null) return false;
  return fired !== null && fired.windowEndAt === (firedWindowEndAt ?? windowEndAt);
}

/** Whether an end was sent to the channel or is pending. */
function hasEnd({ channel, transition, windowEndAt }: Notification, { pending, sent }: Alert): boolean {
  return [...Object.values(pending), ...sent].some(
    (each) =>
      each.channel === channel &&
      each.windowEndAt >= windowEndAt &&
      comesBefore(each.transition, transition) &&
      isEnd(each.transition),
  );
}

/** A receiver that knows keys gets everything once. A chat gets again only what may not have arrived. */
function doubled({ received, ledger }: Installation): string[] {
  const chat = [...Map.groupBy(received.chat, ({ key }) => key)].flatMap(([key, receipts]) => {
    const again = receipts.slice(0, -1).filter((receipt) => isSettledByRun(receipt, ledger.settled));
    return again.map(({ by }) => `sent to the chat again after ${by} had sent it: ${key}`);
  });
  const hook = [
    ...Map.groupBy(firstOf(received.hook), ({ notifications }) => nameOf(notifications[0]?.alert ?? UNKNOWN)),
  ].flatMap(([name, receipts]) => {
    const transitions = receipts.flatMap(({ notifications }) =>
      notifications.map(({ notification }) => notification.transition),
    );
    const again = transitions.filter(
      (transition, i) => transition === 'fired' && transitions[i - 1] === 'fired',
    );
    return again.map(() => `the webhook was notified twice in a row that ${name} fires`);
  });
  return [...chat, ...hook];
}

const UNKNOWN = { ruleId: 'unknown', segment: null };

/** Whether the run that sent it settled all its notifications. */
function isSettledByRun({ by, notifications }: Receipt, settled: Settled[]): boolean {
  return (
    notifications.length > 0 &&
    notifications.every(({ key }) => settled.some((each) => each.key === key && each.by === by))
  );
}

function firstOf(receipts: Receipt[]): Receipt[] {
  const known = new Set<string>();
  return receipts.filter(({ key }) => !known.has(key) && known.add(key));
}

/** The messages of each channel show which alerts fire. */
function wrongChannelStates({ ledger, received, poison }: Installation): string[] {
  const alerts = [...ledger.alerts.values()].filter(
    (alert) => alert.flappingSinceAt === null && isSound(poison)(alert),
  );
  const keyOf = (alert: Alert) => incidentNews({ ...alert, transition: 'fired' })?.key;
  const lastOf = (alert: Alert, receipts: Receipt[]) =>
    receipts
      .flatMap(({ notifications }) => notifications)
      .filter(
        (each) =>
          nameOf(each.alert) === nameOf(alert) && areOfOneStory(each.notification.transition, 'fired'),
      )
      .at(-1)?.notification.transition;
  return alerts.flatMap((alert) => {
    const pages = received.pager.filter(({ incident }) => incident === keyOf(alert));
    const isPaged = pages.length > 0 && pages.at(-1)?.action !== 'resolve';
    const isNotifiedBy = (receipts: Receipt[]) => {
      const last = lastOf(alert, receipts);
      return last !== undefined && !isEnd(last);
    };
    const fires = alert.fired !== null || (alert.ruleId.startsWith('app:') && alert.state === 'firing');
    const shown = {
      pager: isPaged,
      chat: isNotifiedBy(received.chat),
      hook: isNotifiedBy(firstOf(received.hook)),
    };
    return Object.entries(shown).flatMap(([channel, isOpen]) =>
      isOpen === fires
        ? []
        : [`${nameOf(alert)} ${fires ? 'fires' : 'is over'}, and the ${channel} shows otherwise`],
    );
  });
}

/** At most one use of a link is confirmed, and a confirmed answer is stored. */
function wrongAnswers({ people, ledger }: Installation): string[] {
  return people.answers.flatMap(({ link, alert, outcomes }) => {
    const counted = outcomes.filter((outcome) => outcome === 'answered').length;
    const isKept = ledger.alerts.get(alert)?.answers.some((each) => each.link === link);
    if (counted > 1) return [`${counted} uses of one link were confirmed: ${link}`];
    return counted === 1 && !isKept ? [`an answer was confirmed and is gone: ${link}`] : [];
  });
}

/** No alert of a removed rule is open. */
function removedRules({ ledger, poison }: Installation, { deployments }: Scenario): string[] {
  const watched = new Set(deployments.at(-1)?.ruleSet.rules.flatMap(({ id, app }) => [id, `app:${app}`]));
  return [...ledger.alerts.values()]
    .filter((alert) => !watched.has(alert.ruleId) && !isAtRest(alert) && isSound(poison)(alert))
    .map((alert) => `${nameOf(alert)} is open, but its rule was removed`);
}

/** Every alert ends in the same state as without faults. */
function otherStates(
  run: Installation,
  undisturbed: Installation,
  { changedRules, restates }: Scenario,
): string[] {
  const names = new Set([...run.ledger.alerts.keys(), ...undisturbed.ledger.alerts.keys()]);
  return [...names].flatMap((name) => {
    const [is, was] = [run, undisturbed].map(({ ledger }) => ledger.alerts.get(name));
    const ruleId = (is ?? was)?.ruleId ?? '';
    if (changedRules.has(ruleId) || run.poison?.rules.has(ruleId)) return [];
    const [now, then] = [is, was].map((alert) => alert && JSON.stringify(finalState(alert, restates)));
    return now === then ? [] : [`${name} ends as ${now}, and undisturbed as ${then}`];
  });
}

/** The comparable state. With restated values, verdicts depend on the time of each run. */
function finalState(alert: Alert, restates: boolean) {
  const { state, fired, evaluatedThroughAt, health, noData, incidents, flappingSinceAt, recent } = alert;
  const progress = { evaluatedThroughAt, health: health.kind, noData: noData !== null };
  if (restates) return progress;
  const evaluated = recent.map(({ endAt, verdict }) => `${verdict} ${new Date(endAt).toISOString()}`);
  return {
    ...progress,
    ...{ state, fired: fired?.windowEndAt, incidents, isFlapping: flappingSinceAt !== null, evaluated },
  };
}
