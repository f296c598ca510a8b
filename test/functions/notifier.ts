import { notifyPending } from '../../functions/notify/notify.ts';
import type { NotifyDeps } from '../../functions/notify/sweep.ts';
import type { Alert } from '../../shared/alerts/alert.ts';
import type { Transition } from '../../shared/alerts/transitions.ts';
import { isEnd } from '../../shared/alerts/transitions.ts';
import { secretsOf } from '../../shared/channels/kinds.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { Channel } from '../../shared/messages/channel.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { createFakeChannel, type FakeChannel } from '../fakes/fake-channel.ts';
import { alertOf, breached, MONDAY } from '../fixtures/builders.ts';

/** A transition of an alert, as the evaluation would report it. */
export interface Happening {
  transition: Transition;
  segment?: string;
  evaluation?: Evaluation;
}

/**
 * A notifier over fakes, at noon of `MONDAY`. Each channel of `routes` records what it is sent,
 * unless `replaced` has a channel of that name.
 */
export async function createNotifier(
  rules: Rule[],
  routes: Record<string, unknown>,
  replaced: Partial<NotifyDeps> & { channels?: Record<string, Channel> } = {},
) {
  const { channels = {}, ...others } = replaced;
  const kept = new Map<string, FakeChannel>();
  const keeping = (name: string) => {
    const channel = kept.get(name) ?? createFakeChannel();
    kept.set(name, channel);
    return channel;
  };
  const clock = new ManualClock(MONDAY + 12 * HOUR_MS);
  const parsed = routesSchema.parse(routes);
  const stores = inMemoryStores();
  await stores.rules.save({ version: 'now', rules, routes: parsed });
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const counted: string[] = [];
  const measured: [string, number][] = [];
  const deps: NotifyDeps & Pick<typeof stores, 'audit'> = {
    ...stores,
    channelFor: async (config) => {
      const [{ name } = { name: '' }] = secretsOf(config);
      return channels[name] ?? keeping(name);
    },
    clock,
    logger: { info: log, warn: log, error: log },
    meter: {
      count: (what) => void counted.push(what),
      measure: (what, seconds) => void measured.push([what, seconds]),
    },
    ...others,
  };

  return {
    ...stores,
    clock,
    logged,
    counted,
    measured,
    deps,
    channel: keeping,
    alertOf: async (rule: Rule, segment: string | null = null): Promise<Alert | undefined> =>
      (await stores.alerts.load([{ ruleId: rule.id, segment }]))[0],

    /** Records the transition as of now. */
    async happens(rule: Rule, { transition, segment, evaluation = breached(0) }: Happening): Promise<void> {
      const scheduledAt = clock.now();
      const tick = { id: `tick-${scheduledAt}`, scheduledAt };
      await stores.runs.saveTick({ ...tick, batches: [] });
      const key = { ruleId: rule.id, segment: segment ?? null };
      const [stored] = await stores.alerts.load([key]);
      const before = stored ?? { ...alertOf(rule), ...key };
      const about = { windowEndAt: scheduledAt, evaluation, tick };
      const firedWindowEndAt = before.fired?.windowEndAt ?? null;
      const step = {
        alert: moved(before, transition, scheduledAt),
        news: [{ transition, reason: { code: 'evaluation' as const } }],
      };
      const deployed = (await stores.rules.loadCurrent())?.routes ?? parsed;
      await stores.alerts.save(queueNews(step, rule, deployed, { ...about, firedWindowEndAt }));
    },

    /** Sweeps after `hoursLater` hours. */
    async sweep(hoursLater = 0) {
      clock.advanceTo(clock.now() + hoursLater * HOUR_MS);
      return notifyPending(deps);
    },

    /** One text per message sent to the channel, such as "fired sales, recovered sales [Malta]". */
    notified: (name: string) =>
      keeping(name).sent.map(({ items }) =>
        items
          .map(
            ({ transition, ruleId, segment }) =>
              `${transition} ${ruleId}${segment === null ? '' : ` [${segment}]`}`,
          )
          .join(', '),
      ),
  };
}

function moved(alert: Alert, transition: Transition, at: number): Alert {
  if (transition === 'acknowledged') return { ...alert, acknowledged: { by: 'anna', at, reason: '' } };
  if (isEnd(transition))
    return { ...alert, state: 'normal', stateSinceAt: at, fired: null, acknowledged: null, snoozed: null };
  if (transition !== 'fired') return alert;
  const { baseline } = breached(0);
  const fired = {
    windowEndAt: at,
    firstEndAt: at,
    baseline,
    direction: 'down' as const,
    gap: null,
  };
  return { ...alert, state: 'firing', stateSinceAt: at, fired };
}

/** The configuration of channels that are named like their secrets. */
export const channelsNamed = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { slack: { webhook_secret: name } }]));
