import type { Alert, Debt } from '../../shared/alerting/alerts/alert.ts';
import { isAtRest } from '../../shared/alerting/alerts/at-rest.ts';
import { isEnd } from '../../shared/alerting/alerts/transitions.ts';
import { incidentNews } from '../../shared/alerting/notifications/incident.ts';
import { areOfOneStory, comesBefore } from '../../shared/alerting/notifications/notification-history.ts';
import type { Installation } from './installation.ts';
import { nameOf, type Settled } from './ledger.ts';
import { SKEW_MS } from './process.ts';
import type { Receipt } from './receivers.ts';
import type { Scenario } from './scenario.ts';

/** Every promise that the run broke, a sentence each; `undisturbed` is the same scenario without faults. */
export function broken(run: Installation, undisturbed: Installation, scenario: Scenario): string[] {
  return [
    ...lost(run),
    ...doubled(run),
    ...run.ledger.early.map((key) => `sent before it was due: ${key}`),
    ...wrongPictures(run),
    ...wrongAnswers(run),
    ...unwatched(run, scenario),
    ...otherStates(run, undisturbed, scenario),
  ];
}

/** Nothing is owed any more, and what is owed no more arrived, or was overtaken by what came after it. */
function lost({ ledger, received, poison }: Installation): string[] {
  const left = [...ledger.alerts.values()]
    .filter(isSound(poison))
    .flatMap((alert) =>
      Object.entries(alert.owed).flatMap(([key, { transition }]) =>
        transition === 'reminded' ? [] : [`still owed at the end: ${key}`],
      ),
    );
  const arrived = new Set(
    [...received.chat, ...received.hook].flatMap(({ debts }) => debts.map(({ key }) => key)),
  );
  const gone = ledger.settled.filter(
    (settled) => !arrived.has(settled.key) && !isAtPager(settled, received.pager) && !isOvertaken(settled),
  );
  return [...left, ...gone.map(({ key, by }) => `never arrived, and was struck off by ${by}: ${key}`)];
}

/** Whether the table gives and takes the alert; of one that it does not only its own rule may suffer. */
function isSound(poison: Installation['poison']): (alert: Alert) => boolean {
  return ({ ruleId }) => !poison?.rules.has(ruleId);
}

function isAtPager({ debt, alert }: Settled, pages: Installation['received']['pager']): boolean {
  if (debt.channel !== 'pager') return false;
  const news = incidentNews({ ...alert, transition: debt.transition });
  return (
    news === null ||
    pages.some(
      ({ incident, action, at }) =>
        incident === news.key && action === news.action && at >= debt.since - SKEW_MS,
    )
  );
}

/** Whether it says what is no longer so, and was struck off before anybody tried to send it or with word of its end. */
function isOvertaken({ debt, alert, by }: Settled): boolean {
  const { transition, attempts } = debt;
  if (transition === 'reminded') return true;
  if (isStillSo(debt, alert)) return false;
  const isJudged = by.startsWith('check-rules') || by.startsWith('respond');
  return attempts === 0 || (!isJudged && hasEnd(debt, alert));
}

/** Whether the alert fires for what the message tells of, and nobody knows. */
function isStillSo(
  { transition, firedWindowEndAt, windowEndAt }: Debt,
  { fired, flappingSinceAt }: Alert,
): boolean {
  if (transition !== 'fired' || flappingSinceAt !== null) return false;
  return fired !== null && fired.windowEndAt === (firedWindowEndAt ?? windowEndAt);
}

/** Whether the channel was told of an end of it, or is owed one. */
function hasEnd({ channel, transition, windowEndAt }: Debt, { owed, announced }: Alert): boolean {
  return [...Object.values(owed), ...announced].some(
    (each) =>
      each.channel === channel &&
      each.windowEndAt >= windowEndAt &&
      comesBefore(each.transition, transition) &&
      isEnd(each.transition),
  );
}

/** A receiver that knows keys hears everything once; a chat hears again only what may not have arrived. */
function doubled({ received, ledger }: Installation): string[] {
  const chat = [...Map.groupBy(received.chat, ({ key }) => key)].flatMap(([key, receipts]) => {
    const again = receipts.slice(0, -1).filter((receipt) => isStruckOff(receipt, ledger.settled));
    return again.map(({ by }) => `sent to the chat again after ${by} had sent it: ${key}`);
  });
  const hook = [
    ...Map.groupBy(firstOf(received.hook), ({ debts }) => nameOf(debts[0]?.alert ?? UNKNOWN)),
  ].flatMap(([name, receipts]) => {
    const told = receipts.flatMap(({ debts }) => debts.map(({ debt }) => debt.transition));
    const again = told.filter((transition, i) => transition === 'fired' && told[i - 1] === 'fired');
    return again.map(() => `the webhook was told twice in a row that ${name} fires`);
  });
  return [...chat, ...hook];
}

const UNKNOWN = { ruleId: 'unknown', segment: null };

/** Whether the run that sent it struck off all that it settles. */
function isStruckOff({ by, debts }: Receipt, settled: Settled[]): boolean {
  return (
    debts.length > 0 && debts.every(({ key }) => settled.some((each) => each.key === key && each.by === by))
  );
}

function firstOf(receipts: Receipt[]): Receipt[] {
  const known = new Set<string>();
  return receipts.filter(({ key }) => !known.has(key) && known.add(key));
}

/** Whoever reads only what a channel was told knows which alerts fire. */
function wrongPictures({ ledger, received, poison }: Installation): string[] {
  const alerts = [...ledger.alerts.values()].filter(
    (alert) => alert.flappingSinceAt === null && isSound(poison)(alert),
  );
  const keyOf = (alert: Alert) => incidentNews({ ...alert, transition: 'fired' })?.key;
  const lastOf = (alert: Alert, receipts: Receipt[]) =>
    receipts
      .flatMap(({ debts }) => debts)
      .filter((each) => nameOf(each.alert) === nameOf(alert) && areOfOneStory(each.debt.transition, 'fired'))
      .at(-1)?.debt.transition;
  return alerts.flatMap((alert) => {
    const pages = received.pager.filter(({ incident }) => incident === keyOf(alert));
    const isPaged = pages.length > 0 && pages.at(-1)?.action !== 'resolve';
    const isToldBy = (receipts: Receipt[]) => {
      const last = lastOf(alert, receipts);
      return last !== undefined && !isEnd(last);
    };
    const fires = alert.fired !== null || (alert.ruleId.startsWith('app:') && alert.state === 'firing');
    const shown = { pager: isPaged, chat: isToldBy(received.chat), hook: isToldBy(firstOf(received.hook)) };
    return Object.entries(shown).flatMap(([channel, isOpen]) =>
      isOpen === fires
        ? []
        : [`${nameOf(alert)} ${fires ? 'fires' : 'is over'}, and the ${channel} shows otherwise`],
    );
  });
}

/** Of all who use one link one person is told that it counts, and what counts is kept. */
function wrongAnswers({ people, ledger }: Installation): string[] {
  return people.answers.flatMap(({ link, alert, outcomes }) => {
    const counted = outcomes.filter((outcome) => outcome === 'answered').length;
    const isKept = ledger.alerts.get(alert)?.answers.some((each) => each.link === link);
    if (counted > 1) return [`${counted} people were told that theirs is the answer: ${link}`];
    return counted === 1 && !isKept ? [`an answer was confirmed and is gone: ${link}`] : [];
  });
}

/** No alert is open whose rule is gone. */
function unwatched({ ledger, poison }: Installation, { deployments }: Scenario): string[] {
  const watched = new Set(deployments.at(-1)?.ruleSet.rules.flatMap(({ id, app }) => [id, `app:${app}`]));
  return [...ledger.alerts.values()]
    .filter((alert) => !watched.has(alert.ruleId) && !isAtRest(alert) && isSound(poison)(alert))
    .map((alert) => `${nameOf(alert)} is open, and its rule is gone`);
}

/** Whatever went wrong on the way, every alert ends where it would have. */
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
    const [now, then] = [is, was].map((alert) => alert && JSON.stringify(standing(alert, restates)));
    return now === then ? [] : [`${name} ends as ${now}, and undisturbed as ${then}`];
  });
}

/** What was judged. Where figures are restated, what an alert found depends on when it looked. */
function standing(alert: Alert, restates: boolean) {
  const { state, fired, judgedThroughAt, health, noData, incidents, flappingSinceAt, recent } = alert;
  const usual = { judgedThroughAt, health: health.kind, noData: noData !== null };
  if (restates) return usual;
  const judged = recent.map(({ endAt, verdict }) => `${verdict} ${new Date(endAt).toISOString()}`);
  return {
    ...usual,
    ...{ state, fired: fired?.windowEndAt, incidents, isFlapping: flappingSinceAt !== null, judged },
  };
}
