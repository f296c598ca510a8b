import type { Alert, AlertKey } from '../../shared/alerting/alerts/alert.ts';
import { isByHand } from '../../shared/alerting/alerts/answers.ts';
import { appOf } from '../../shared/alerting/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import { type Group, groupsOf } from '../../shared/alerting/notifications/groups.ts';
import { holdsAt } from '../../shared/alerting/notifications/holds.ts';
import { dueDebts } from '../../shared/alerting/notifications/notification-order.ts';
import type { Owed } from '../../shared/alerting/notifications/owed.ts';
import { strike } from '../../shared/alerting/notifications/pending-notifications.ts';
import { asksForSomebody } from '../../shared/alerting/notifications/reminders.ts';
import { standInFor } from '../../shared/alerting/notifications/routes.ts';
import {
  isLater,
  type Standing,
  standingOf,
  toldCause,
  withCommonCauses,
} from '../../shared/alerting/notifications/shared-cause.ts';
import { gravityOf } from './channel-capacity.ts';
import { changeAll } from './delivery-results.ts';
import { AlertBook } from './loaded-alerts.ts';
import { withoutUnwatched } from './removed-rules.ts';
import { type GroupOutcome, receiverNamed, sendGroup } from './send-group.ts';
import { oweHeldEnds, withoutRedirected } from './superseded.ts';
import type { AnnounceDeps, Ready, Sweep } from './sweep.ts';

/**
 * How long messages wait for the rest of their tick, counted from its scheduled time, so that one message can tell of
 * all of it. A tick that takes longer is told in parts.
 */
const GROUP_WAIT_MS = 180_000;

/** A sweep begins no message later than this: what it began must be over before the function's time is. */
const BEGIN_WITHIN_MS = 30_000;

/** What it writes is written by then, and leaves a quarter of the function's minute to the channel. */
const WRITE_WITHIN_MS = 40_000;

/** One sweep at a time: two would part what is to be one message. A crash blocks the next ones for no longer. */
const TURN = 'announce';
const TURN_MS = 70_000;

export interface Announcing {
  sent: Owed[];
  failed: Owed[];
}

/**
 * Sends what is owed: one message for each channel, route and group of it. What is sent is taken first, so that no
 * two announcers send the same, and struck off after it was sent, before the next message; whatever fails or crashes
 * before stays owed and is found by a later sweep. So each message is sent at least once. Channels are served beside
 * one another: one that is slow holds up no other. While another sweep is at it, nothing is done.
 */
export async function announceOwed(deps: AnnounceDeps): Promise<Announcing> {
  const beganAt = deps.clock.now();
  const untilAt = beganAt + TURN_MS;
  if (!(await deps.runs.takeTurn(TURN, beganAt, untilAt))) return { sent: [], failed: [] };
  try {
    return await sweepTwice(deps, beganAt);
  } finally {
    await giveBackTurn(untilAt, deps);
  }
}

/** Whatever came due while messages were sent found the turn taken: it is looked for once more. */
async function sweepTwice(deps: AnnounceDeps, beganAt: number): Promise<Announcing> {
  const sweep = {
    ...deps,
    book: new AlertBook(deps.alerts),
    beginUntilAt: beganAt + BEGIN_WITHIN_MS,
    writeUntilAt: beganAt + WRITE_WITHIN_MS,
    done: new Set<string>(),
  };
  const first = await sendDue({ ...sweep, now: deps.clock.now() });
  const now = deps.clock.now();
  if (first.sent.length === 0 || now >= sweep.beginUntilAt) return first;
  return together([first, await sendDue({ ...sweep, now })]);
}

async function giveBackTurn(untilAt: number, { runs, logger }: AnnounceDeps): Promise<void> {
  try {
    await runs.giveBackTurn(TURN, untilAt);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    logger.warn('the turn to announce could not be given back, and ends by itself', { reason });
  }
}

async function sendDue(begun: Omit<Sweep, 'ruleSet'>): Promise<Announcing> {
  const { alerts, book, now, rules, silences } = begun;
  const ready = await readyToSend(book.newest(await alerts.loadOwing(now)), now, begun);
  // After the alerts: one of a rule that came meanwhile must not be taken for one of a rule that is gone.
  const ruleSet = ready.length > 0 ? await rules.loadCurrent() : undefined;
  if (!ruleSet) return { sent: [], failed: [] };
  const sweep = { ...begun, ruleSet };
  const watched = await withoutUnwatched(ready, sweep);
  const owed = await withoutRedirected(await withoutVoid(owedBy(watched, ruleSet), sweep), sweep);
  const holds = holdsAt(now, ruleSet.routes, await silences.loadAll());
  await oweHeldEnds(owed, holds, sweep);
  const told = owed
    .filter((each) => !holds.isHeld(each))
    .map((each) => ({ ...each, heldBy: holds.heldBy(each) }));
  const byChannel = Map.groupBy(told, ({ debt }) => standInFor(debt.channel, ruleSet.routes));
  const served = await Promise.allSettled([...byChannel].map(([name, own]) => serve(name, own, sweep)));
  return together(
    served.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    }),
  );
}

function together(outcomes: Announcing[]): Announcing {
  return {
    sent: outcomes.flatMap(({ sent }) => sent),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

/** Alerts whose tick is complete or has waited long enough, with what they owe by now. */
async function readyToSend(
  owing: Alert[],
  now: number,
  { runs }: Pick<AnnounceDeps, 'runs'>,
): Promise<Ready[]> {
  const due = owing.map((alert) => ({ alert, due: dueDebts(alert, now) }));
  const ticks = new Set(due.flatMap((each) => each.due.map(([, { tick }]) => tick)));
  const complete = new Set<string>();
  for (const tick of ticks) if (isByHand(tick) || (await runs.isTickComplete(tick))) complete.add(tick);
  return due.filter(
    (each) =>
      each.due.length > 0 &&
      each.due.every(([, { tick, since }]) => complete.has(tick) || now - since >= GROUP_WAIT_MS),
  );
}

function owedBy(ready: Ready[], { rules }: RuleSet): Owed[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const zones = Map.groupBy(rules, ({ app }) => app);
  const zoneOf = (alert: AlertKey) => {
    const [zone, ...others] = new Set((zones.get(appOf(alert) ?? '') ?? []).map((rule) => rule.zone));
    return others.length === 0 ? zone : undefined;
  };
  return ready.flatMap(({ alert, due }) => {
    const rule = byId.get(alert.ruleId);
    const zone = appOf(alert) === undefined ? undefined : zoneOf(alert);
    return due.map(([key, debt]): Owed => ({ key, alert, debt, rule, zone }));
  });
}

/** A reminder of what is over by now or taken by somebody is struck and not sent. */
async function withoutVoid(owed: Owed[], sweep: Sweep): Promise<Owed[]> {
  const isVoid = ({ alert, debt, rule }: Owed) =>
    debt.transition === 'reminded' && (!asksForSomebody(alert) || rule?.quiet === true);
  await changeAll(owed.filter(isVoid), sweep, (alert, { key }) => strike(alert, [key]));
  return owed.filter((each) => !isVoid(each));
}

/** One message after another. What a channel in trouble, or with no more room, is owed waits for the next sweep. */
async function serve(name: string, owed: Owed[], sweep: Sweep): Promise<Announcing> {
  if (sweep.done.has(name)) return { sent: [], failed: [] };
  const { rules, routes } = sweep.ruleSet;
  const folded = withCommonCauses(owed, rules, await causesStanding(owed, sweep));
  const to = await receiverNamed(name, sweep);
  const groups = groupsOf(folded, routes);
  const inOrder = to.room === Infinity ? groups : gravestFirst(groups);
  const outcomes: GroupOutcome[] = [];
  for (const group of inOrder) {
    if (sweep.clock.now() >= sweep.beginUntilAt) break;
    const outcome = await sendGroup(to, group, sweep);
    outcomes.push(outcome);
    to.room = outcome.room;
    if (to.room > 0) continue;
    sweep.done.add(name);
    break;
  }
  return together(outcomes);
}

function gravestFirst(groups: Group[]): Group[] {
  return groups.toSorted((a, b) => gravityOf(b.owed) - gravityOf(a.owed));
}

/** What still stands of the common causes of which there is more to tell. */
async function causesStanding(owed: Owed[], { alerts, ruleSet }: Sweep): Promise<Standing> {
  const later = owed.filter(
    ({ alert, debt }) => isLater(debt.transition) && toldCause(alert, debt.channel) !== undefined,
  );
  if (later.length === 0) return standingOf([], []);
  const watched = new Set([...ruleSet.rules.map(({ id }) => id), ...(ruleSet.unreadable ?? [])]);
  // What lists them trails behind: whatever is over by now is no longer counted.
  const open = await alerts.load((await alerts.loadOpen()).filter(({ ruleId }) => watched.has(ruleId)));
  return standingOf(later, open);
}
