import type { Alert } from '../shared/alerting/alert.ts';
import { debtKey } from '../shared/alerting/debt-key.ts';
import { drillKey } from '../shared/alerting/drill.ts';
import { callDrill, type Drill, withdrawDrill } from '../shared/alerting/drill-debts.ts';
import type { AlertStore, Delivery, DeliveryLog } from '../shared/alerting/ports.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConflictError } from '../shared/runtime/errors.ts';
import { stuckIn } from './operating/status-report.ts';

/**
 * What became of a drill on one channel. `kept`: it was taken, and sent nowhere. `unsent`: nobody tried to send
 * it; `refusing`: because the channel refused what it was sent before, since when and why.
 * Each is final but `waiting`, which `refused` is as well while `permanent` is false and there is time left.
 */
export type DrillOutcome = { channel: string } & (
  | { kind: 'sent'; afterMs: number }
  | { kind: 'kept'; afterMs: number; reason: string }
  | { kind: 'refused'; reason: string; permanent: boolean }
  | { kind: 'unsent'; refusing?: { since: string; reason: string } }
);

export interface FireDrillDeps {
  alerts: AlertStore;
  deliveries: DeliveryLog;
  clock: Clock;
}

/** How often the log is looked at. */
const LOOK_MS = 1_000;

/** Deliveries that are looked through for those of the drill. */
const LOOKED_THROUGH = 200;

/**
 * Calls the drill and waits until each channel has taken it or refuses it for good, for `waitMs` at most or until the
 * signal. What was not sent of it by then is taken back, so that nobody hears of it later. Gives what became of each
 * channel, in their order.
 */
export async function holdDrill(
  drill: Drill,
  { waitMs, signal, onWait }: { waitMs: number; signal?: AbortSignal; onWait?: (waitedMs: number) => void },
  deps: FireDrillDeps,
): Promise<DrillOutcome[]> {
  const { clock } = deps;
  await change(drill.route, (stored) => callDrill(stored, drill), deps);
  const untilAt = drill.at + waitMs;
  let outcomes = await outcomesOf(drill, deps);
  while (!outcomes.every(isFinal) && clock.now() < untilAt && !signal?.aborted) {
    onWait?.(clock.now() - drill.at);
    await clock.sleep(LOOK_MS);
    outcomes = await outcomesOf(drill, deps);
  }
  if (outcomes.every(({ kind }) => kind === 'sent' || kind === 'kept')) return outcomes;
  await change(drill.route, (stored) => stored && withdrawDrill(stored, drill.at, clock.now()), deps);
  return outcomesOf(drill, deps);
}

function isFinal(outcome: DrillOutcome): boolean {
  return outcome.kind !== 'unsent' && (outcome.kind !== 'refused' || outcome.permanent);
}

async function outcomesOf(drill: Drill, { alerts, deliveries }: FireDrillDeps): Promise<DrillOutcome[]> {
  const [[alert], log] = await Promise.all([
    alerts.load([drillKey(drill.route)]),
    deliveries.loadLast(LOOKED_THROUGH),
  ]);
  return drill.channels.map((channel) => outcomeOf(channel, { drill, alert, log }));
}

/** What is struck off was sent, whether or not the log could tell of it. */
function outcomeOf(
  channel: string,
  { drill, alert, log }: { drill: Drill; alert: Alert | undefined; log: Delivery[] },
): DrillOutcome {
  const { route, at } = drill;
  const key = debtKey(drillKey(route), { transition: 'drill', channel: '', windowEndAt: at });
  const last = log.find((each) => each.channel === channel && each.keys.includes(key));
  const told = alert?.announced.find(
    (each) => each.transition === 'drill' && each.channel === channel && each.windowEndAt === at,
  );
  const afterMs = Math.max(0, (told?.sentAt ?? last?.at ?? at) - at);
  if (last?.outcome.kind === 'kept') return { channel, kind: 'kept', afterMs, reason: last.outcome.reason };
  if (told || last?.outcome.kind === 'sent') return { channel, kind: 'sent', afterMs };
  if (!last) {
    const [refusing] = stuckIn(log.filter((each) => each.channel === channel));
    if (!refusing) return { channel, kind: 'unsent' };
    const { since, reason } = refusing;
    return { channel, kind: 'unsent', refusing: { since, reason } };
  }
  const { reason, permanent } = last.outcome;
  return { channel, kind: 'refused', reason, permanent };
}

/** Saves what `changed` makes of the drills of the route, however often others change them meanwhile. */
async function change(
  route: string,
  changed: (stored: Alert | undefined) => Alert | undefined,
  { alerts }: FireDrillDeps,
): Promise<void> {
  for (;;) {
    const [stored] = await alerts.load([drillKey(route)]);
    const next = changed(stored);
    if (!next || next === stored) return;
    try {
      await alerts.save(next);
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
